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
      .describe('What the client can draw; left out, it is the basic catalogue of 0.9'),
  })
  .meta({ id: 'SubmitA2ui' });
export type SubmitA2ui = z.output<typeof submitA2uiSchema>;

const stream = {
  description: 'Messages of A2UI, one each `data:` line; the `id` is the number of the last event that they tell',
  types: { 'text/event-stream': null },
} as const;

export const a2uiRoutes = {
  streamRunA2ui: defineRoute({
    method: 'GET',
    path: '/v1/runs/{run}/a2ui',
    tag,
    summary: 'Watch a run as a user interface',
    description:
      'The steps of a run, what it asks and how it ends, as messages of [A2UI](https://a2ui.org) for any of its renderers, from the ' +
      'first event on. A connection that broke goes on with `Last-Event-ID`, on the surface that is there; without it everything is told ' +
      'anew, for a fresh surface. Asked again after the end, the stream answers 204.',
    role: 'viewer',
    params,
    query: z.object({
      a2ui: z.string().default('0.9').describe('Version: `0.9` or `0.8`; any other is answered with 406'),
      after: z.coerce.number().int().min(0).optional().describe('As `Last-Event-ID`, where no header can be sent'),
    }),
    headers: z.object({
      'last-event-id': z.string().optional().describe('Number of the last event that was told'),
    }),
    responses: { 200: stream, 204: { description: 'The run has ended and everything was told' } },
    errors: ['NOT_FOUND', 'NOT_ACCEPTABLE', 'GONE'],
    seconds: null,
  }),
  submitRunA2ui: defineRoute({
    method: 'POST',
    path: '/v1/a2ui/runs',
    tag,
    summary: 'Submit a run and watch it in the same request',
    description:
      'As `POST /v1/runs`, but the answer is the stream of `GET /v1/runs/{run}/a2ui`. The run does not end with the connection: `Location` ' +
      'says where it is watched on.',
    role: 'operator',
    headers: idempotencyHeaders,
    body: submitA2uiSchema,
    anyText: ['/run/inputs'],
    audit: { usersOnly: true },
    responses: { 200: { ...stream, headers: { Location: 'Where the run is watched on' } } },
    errors: [...submitErrors, 'NOT_ACCEPTABLE', 'GONE'],
    seconds: null,
  }),
  sendA2uiMessage: defineRoute({
    method: 'POST',
    path: '/v1/runs/{run}/a2ui',
    tag,
    summary: 'Pass on what a person did on the surface of a run',
    description:
      'A message of a renderer: `action` (0.9) or `userAction` (0.8), named `answer`, `complete` or `cancel`. It must be of the surface of ' +
      'this run, and an answer of the question that is open.',
    role: 'operator',
    params,
    body: a2uiClientMessageSchema,
    responses: {
      200: { description: 'It was done', schema: runViewSchema },
      204: { description: 'What the renderer could not draw was taken note of' },
    },
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
} as const;
