import { z } from 'zod';
import { idSchema } from '../primitives.schema.ts';
import { runViewSchema } from '../run/run.schema.ts';
import {
  readDropdownSchema,
  copySelectionSchema,
  sendControlInputSchema,
  inspectPageSchema,
  MAX_COPIED_CHARS,
  dropdownOptionsSchema,
  copiedTextSchema,
  pageInspectionSchema,
  controlSessionSchema,
} from '../control/control.schema.ts';
import { defineRoute } from './route-definition.ts';

const tag = 'Runs';
const params = z.object({ run: idSchema.describe('Id of the run') });

export const controlRoutes = {
  takeControl: defineRoute({
    method: 'POST',
    path: '/v1/runs/{run}/control',
    tag,
    summary: 'Take the wheel of a run',
    description:
      'The run stops before its next step, or the next turn of its agent, or in a step that only waits, and is `awaiting_user` while you ' +
      'drive its browser by hand; one that waits already goes on waiting. One at a time: who else asks gets 409 with who has it. Asked again by who has it, it keeps ' +
      'the token and begins its minute anew. Without input for a minute the wheel goes back to the run.',
    role: 'operator',
    params,
    responses: { 200: { description: 'It is yours', schema: controlSessionSchema } },
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  sendControlInput: defineRoute({
    method: 'POST',
    path: '/v1/runs/{run}/control/input',
    tag,
    summary: 'Send mouse and keyboard to a run',
    description:
      'Only from who has the wheel, with its token, and once the run waits. One request at a time, so that the order holds. What is typed ' +
      'is kept in no log; in the events of the run stands what was done, of password fields without the text. A file chooser that the page ' +
      'opens is answered with an input `dialog` that has the ids of uploads as `files`.',
    role: 'operator',
    params,
    body: sendControlInputSchema,
    audit: 'nothing',
    responses: { 200: { description: 'It is on its way', schema: controlSessionSchema } },
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  inspectPage: defineRoute({
    method: 'POST',
    path: '/v1/runs/{run}/control/inspect',
    tag,
    summary: 'Ask what is on the page of a run',
    description:
      'The elements in view, and of one of them the ways to find it that a step would have as its `target`. Only for who has the wheel, ' +
      'with its token, and once the run waits; it counts as input. Nothing is done to the page.',
    role: 'operator',
    params,
    body: inspectPageSchema,
    audit: 'nothing',
    responses: { 200: { description: 'What is in view', schema: pageInspectionSchema } },
    errors: ['NOT_FOUND', 'CONFLICT', 'UNAVAILABLE'],
  }),
  readDropdown: defineRoute({
    method: 'POST',
    path: '/v1/runs/{run}/control/dropdown',
    tag,
    summary: 'Ask what a drop-down list offers',
    description:
      'Of the `<select>` that has the focus: what the browser would open is in no picture, and it opens nothing while somebody drives. ' +
      'An input `choose` chooses. Only for who has the wheel, with its token, and once the run waits; it counts as input.',
    role: 'operator',
    params,
    body: readDropdownSchema,
    audit: 'nothing',
    responses: { 200: { description: 'Its choices', schema: dropdownOptionsSchema } },
    errors: ['NOT_FOUND', 'CONFLICT', 'UNAVAILABLE'],
  }),
  copySelection: defineRoute({
    method: 'POST',
    path: '/v1/runs/{run}/control/copy',
    tag,
    summary: 'Copy out of the page of a run',
    description:
      'Presses Control+C on the page, or Control+X, and says what was copied: what is selected, or what the page itself copied last. Never ' +
      `what is in a password field; secrets of the run come as dots. At most ${MAX_COPIED_CHARS.toLocaleString('en')} characters. Only for who has ` +
      'the wheel, with its token, and once the run waits. What is copied is kept in no log.',
    role: 'operator',
    params,
    body: copySelectionSchema,
    audit: 'nothing',
    responses: { 200: { description: 'What was copied', schema: copiedTextSchema } },
    errors: ['NOT_FOUND', 'CONFLICT', 'PAYLOAD_TOO_LARGE', 'UNAVAILABLE'],
  }),
  releaseControl: defineRoute({
    method: 'DELETE',
    path: '/v1/runs/{run}/control',
    tag,
    summary: 'Give the wheel back',
    description: 'The run goes on, unless it waits for an answer besides.',
    role: 'operator',
    params,
    responses: { 200: { description: 'The run', schema: runViewSchema } },
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
} as const;
