import { z } from 'zod';
import {
  identifierSchema,
  idSchema,
  labelsSchema,
  parsedJsonValueSchema,
  slugSchema,
  surfaceKindSchema,
} from '../primitives.schema.ts';
import { answerChoices, MAX_ANSWER_CHARS } from '../run/run-question.schema.ts';

/** Longest and default wait of a tool call, in seconds. Clients give up on a request after a minute. */
export const MAX_WAIT_SECONDS = 50;

const run = idSchema.describe('Id of the run');
const waitSeconds = z
  .int()
  .min(0)
  .max(MAX_WAIT_SECONDS)
  .default(MAX_WAIT_SECONDS)
  .describe('Seconds to wait for the end of the run, or for a question. 0: return at once');
const inputs = z
  .record(identifierSchema, parsedJsonValueSchema)
  .default({})
  .describe(
    'Values of the inputs by name. A secret input takes the name of a project secret: `{ "secret": "portal-password" }`',
  );

/** Settings of every tool that starts a run. */
const runSettings = {
  fleet: slugSchema.optional().describe('Fleet (default: one that serves the surface and the project)'),
  model: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Model for all calls of the run (default: the models of the project)'),
  labels: labelsSchema.optional(),
  maxUsd: z.number().positive().max(100_000).optional().describe('US dollars that models may cost'),
  idempotencyKey: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'For 24 hours, a repeated call with the same key and arguments returns the same run. Give a `version` too: the published one may change',
    ),
  waitSeconds,
};

export const runWorkflowArgumentsSchema = z.strictObject({
  workflow: slugSchema.describe('Name of the workflow'),
  version: z.int().min(1).optional().describe('Version (default: the published one)'),
  inputs,
  ...runSettings,
});
export type RunWorkflowArguments = z.infer<typeof runWorkflowArgumentsSchema>;

export const startGoalArgumentsSchema = z.strictObject({
  goal: z.string().min(1).max(20_000).describe('Goal in plain words. Do not put secrets into it'),
  url: z.string().max(10_000).optional().describe('URL of the first page'),
  surface: surfaceKindSchema.optional().describe('`browser` (default) or `desktop`'),
  apps: z.array(z.string().min(1).max(200)).min(1).max(50).optional().describe('On a desktop: ids of the applications'),
  outputSchema: z
    .record(z.string(), parsedJsonValueSchema)
    .optional()
    .describe('JSON Schema of the answer (default: a string)'),
  ...runSettings,
});

export const runArgumentsSchema = z.strictObject({ run });

export const getRunArgumentsSchema = z.strictObject({
  run,
  withSteps: z.boolean().default(false).describe('true: also the result of each step, as `stepResults`'),
});

export const waitForRunArgumentsSchema = z.strictObject({ run, waitSeconds });

export const answerQuestionArgumentsSchema = z.strictObject({
  run,
  question: z.string().max(600).describe('`key` of the question. With another open question the call fails'),
  choice: z.enum(answerChoices).describe('One of the choices of the question'),
  text: z
    .string()
    .min(1)
    .max(MAX_ANSWER_CHARS)
    .optional()
    .describe('The answer in words, for an agent. It is stored, so do not include secrets'),
  waitSeconds,
});

export const listWorkflowsArgumentsSchema = z.strictObject({
  text: z.string().min(1).max(200).optional().describe('Only workflows whose name or title contains this text'),
  limit: z.int().min(1).max(200).default(50),
  cursor: z.string().max(500).optional().describe('`nextCursor` of the previous page'),
});

export const getArtifactArgumentsSchema = z.strictObject({
  run,
  artifact: idSchema.optional().describe('Id of the artifact. Missing: the list of the artifacts of the run'),
});

/** Answer of a person to a question, as an elicitation form returns it. */
export const elicitedAnswerSchema = z.discriminatedUnion('action', [
  z.object({
    action: z.literal('accept'),
    content: z.object({ choice: z.enum(answerChoices), text: z.string().max(MAX_ANSWER_CHARS).optional() }),
  }),
  z.object({ action: z.enum(['decline', 'cancel']) }),
]);

/** Parameters of `tasks/get` and `tasks/cancel`. A task is a run. */
export const taskParamsSchema = z.object({ taskId: idSchema });

/** Parameters of `tasks/update`. */
export const updateTaskParamsSchema = taskParamsSchema.extend({
  inputResponses: z.record(z.string().max(600), z.unknown()),
});
export type UpdateTaskParams = z.infer<typeof updateTaskParamsSchema>;

/** Resource metadata of OAuth 2.0 (RFC 9728). */
export const protectedResourceSchema = z
  .object({
    resource: z.url(),
    resource_name: z.string(),
    bearer_methods_supported: z.array(z.literal('header')),
  })
  .meta({ id: 'ProtectedResource' });
export type ProtectedResource = z.infer<typeof protectedResourceSchema>;
