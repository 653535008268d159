import { z } from 'zod';
import { a2uiCapabilitiesSchema, a2uiClientMessageSchema } from '../a2ui/a2ui.schema.ts';
import { runViewSchema, submitRunSchema } from '../run/run.schema.ts';
import { idSchema } from '../primitives.schema.ts';
import { idempotencyHeaders } from './query-params.ts';
import { defineRoute } from './route-definition.ts';
import { submitErrors } from './runs.routes.ts';

const tag = 'A2UI';
const params = z.object({ run: idSchema.describe('Id of the run') });

/** Body of `POST /v1/a2ui/runs`. */
export const submitA2uiSchema = z
  .strictObject({
    run: submitRunSchema,
    a2uiClientCapabilities: a2uiCapabilitiesSchema
      .optional()
      .describe('Capabilities of the renderer (default: the basic catalog of 0.9)'),
  })
  .meta({ id: 'SubmitA2ui' });

const stream = {
  description: 'A2UI messages, one in each `data:` line. `id` is the number of the last event that they include',
  types: { 'text/event-stream': null },
} as const;

export const a2uiRoutes = {
  streamRunA2ui: defineRoute({
    method: 'GET',
    path: '/v1/runs/{run}/a2ui',
    tag,
    summary: 'Stream a run as A2UI',
    description:
      'Streams steps, questions and result of a run as [A2UI](https://a2ui.org) messages, from the first event on. Send `Last-Event-ID` to resume on the existing surface. Without it, the stream starts again for a new surface. Returns 204 after the end.',
    role: 'viewer',
    params,
    query: z.object({
      a2ui: z
        .string()
        .default('0.9')
        .describe('Version of A2UI: `0.9`, `0.9.1` or `0.8`, also with a leading `v`. Others return 406'),
      after: z.coerce
        .number()
        .int()
        .min(0)
        .optional()
        .describe('Replaces `Last-Event-ID` for clients that cannot send headers'),
    }),
    headers: z.object({
      'last-event-id': z.string().optional().describe('Number of the last received event'),
    }),
    responses: { 200: stream, 204: { description: 'The run has ended and there are no further messages' } },
    errors: ['NOT_FOUND', 'NOT_ACCEPTABLE', 'GONE'],
    seconds: null,
  }),
  submitRunA2ui: defineRoute({
    method: 'POST',
    path: '/v1/a2ui/runs',
    tag,
    summary: 'Submit a run and stream it as A2UI',
    description:
      'Combines `POST /v1/runs` and `GET /v1/runs/{run}/a2ui`. The capabilities choose the version. The run continues if the connection breaks: resume at the URL in `Location`.',
    role: 'operator',
    headers: idempotencyHeaders,
    body: submitA2uiSchema,
    anyText: ['/run/inputs'],
    audit: { usersOnly: true },
    responses: { 200: { ...stream, headers: { Location: 'URL to resume the stream' } } },
    errors: [...submitErrors, 'NOT_ACCEPTABLE', 'GONE'],
    seconds: null,
  }),
  sendA2uiMessage: defineRoute({
    method: 'POST',
    path: '/v1/runs/{run}/a2ui',
    tag,
    summary: 'Send a user action to a run',
    description:
      'Takes the message of a renderer: `action` (0.9 and 0.9.1) or `userAction` (0.8), named `answer`, `complete` or `cancel`. The `Content-Type` may also be `application/a2ui+json`. The surface must belong to this run, and an answer to its open question.',
    role: 'operator',
    params,
    body: a2uiClientMessageSchema,
    responses: {
      200: { description: 'The action was executed', schema: runViewSchema },
      204: { description: 'The error of the renderer was recorded' },
    },
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
} as const;
