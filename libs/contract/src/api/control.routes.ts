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
    summary: 'Take manual control of a run',
    description:
      'The run pauses before its next step or agent turn, or in a step that only waits, and is `awaiting_user` while you operate its browser. ' +
      'Only one person has control: others get 409 with the name of the operator. A repeated request of the operator keeps the token and ' +
      'restarts the idle time. Control is released after a minute without input.',
    role: 'operator',
    params,
    responses: { 200: { description: 'The control session', schema: controlSessionSchema } },
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  sendControlInput: defineRoute({
    method: 'POST',
    path: '/v1/runs/{run}/control/input',
    tag,
    summary: 'Send mouse and keyboard to a run',
    description:
      'Only for the operator, with the token, and once the run waits. Send one request at a time to preserve the order. Typed text is never ' +
      'logged. The events of the run record the actions, without the text of secret fields. Answer a file chooser with an input ' +
      '`dialog` that has the ids of uploads as `files`.',
    role: 'operator',
    params,
    body: sendControlInputSchema,
    audit: 'nothing',
    responses: { 200: { description: 'The input was forwarded', schema: controlSessionSchema } },
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  inspectPage: defineRoute({
    method: 'POST',
    path: '/v1/runs/{run}/control/inspect',
    tag,
    summary: 'Inspect the page of a run',
    description:
      'Returns the elements in view, and the locators of one of them for the `target` of a step. Only for the operator, with the token, ' +
      'and once the run waits. It counts as input but does not change the page.',
    role: 'operator',
    params,
    body: inspectPageSchema,
    audit: 'nothing',
    responses: { 200: { description: 'The elements in view', schema: pageInspectionSchema } },
    errors: ['NOT_FOUND', 'CONFLICT', 'UNAVAILABLE'],
  }),
  readDropdown: defineRoute({
    method: 'POST',
    path: '/v1/runs/{run}/control/dropdown',
    tag,
    summary: 'Read the options of a dropdown',
    description:
      'Returns the options of the focused `<select>`. Its native popup is in no screenshot and does not open during manual control. ' +
      'Select with an input `selectOption`. Only for the operator, with the token, and once the run waits. It counts as input.',
    role: 'operator',
    params,
    body: readDropdownSchema,
    audit: 'nothing',
    responses: { 200: { description: 'The options', schema: dropdownOptionsSchema } },
    errors: ['NOT_FOUND', 'CONFLICT', 'UNAVAILABLE'],
  }),
  copySelection: defineRoute({
    method: 'POST',
    path: '/v1/runs/{run}/control/copy',
    tag,
    summary: 'Copy text from the page of a run',
    description:
      'Presses Control+C or Control+X on the page and returns the copied text: the selection, or the text that the page copied last. ' +
      `Password fields are never copied, and secrets of the run appear as dots. At most ${MAX_COPIED_CHARS.toLocaleString('en')} characters. Only for ` +
      'the operator, with the token, and once the run waits. The text is never logged.',
    role: 'operator',
    params,
    body: copySelectionSchema,
    audit: 'nothing',
    responses: { 200: { description: 'The copied text', schema: copiedTextSchema } },
    errors: ['NOT_FOUND', 'CONFLICT', 'PAYLOAD_TOO_LARGE', 'UNAVAILABLE'],
  }),
  releaseControl: defineRoute({
    method: 'DELETE',
    path: '/v1/runs/{run}/control',
    tag,
    summary: 'Release manual control',
    description: 'The run continues, unless it also waits for an answer.',
    role: 'operator',
    params,
    responses: { 200: { description: 'The run', schema: runViewSchema } },
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
} as const;
