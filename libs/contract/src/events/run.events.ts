import { z } from 'zod';
import { deliverySchema } from '../actions/delivery.schema.ts';
import { evidenceSchema } from '../actions/extraction.schema.ts';
import { locatorSchema } from '../actions/locator.schema.ts';
import { errorCodes } from '../errors/error-codes.ts';
import { errorViewSchema } from '../errors/pilothouse-error.ts';
import { callTierSchema, modelFinishSchema, modelRoleSchema, modelUsageSchema } from '../model/model.schema.ts';
import { promptRefSchema, tierSchema } from '../model/model.schema.ts';
import { idSchema, parsedJsonObjectSchema, parsedJsonValueSchema, timestampSchema } from '../primitives.schema.ts';
import { egressBlockSchema } from '../project/egress.schema.ts';
import { siteLimitWaitSchema } from '../project/politeness.schema.ts';
import { artifactKindSchema, screenshotMomentSchema } from '../run/artifact.schema.ts';
import { runAnswerSchema, stepPathSchema, questionKeySchema, runQuestionSchema } from '../run/run-question.schema.ts';
import { stepActions } from '../workflow/step.schema.ts';

/** The step that an event is about. */
export const stepRefFields = {
  step: z.int().min(0).describe('Number of the step in the run, from 0; without control flow its index'),
  path: stepPathSchema.optional(),
  id: z.string().nullable().describe('Its id'),
};

/** A step of one branch of a `parallel` step. */
export const branchRefFields = {
  ...stepRefFields,
  branch: z.string().describe('Name of the branch'),
  sequence: z.int().min(1).describe('Number of the step in the branch, in order of execution'),
  branchPath: stepPathSchema.optional().describe('Path of the step in the branch, where it differs from its number'),
};

/** The page that the surface shows. */
export const eventPageSchema = z.object({ url: z.string(), title: z.string() }).nullable();
const pageAfterSchema = eventPageSchema.describe('The page afterwards');

/** Methods that heal a step, cheapest first. */
export const healingMethods = ['earlier-run', 'similarity', 'text-model', 'vision-model', 'human'] as const;
export type HealingMethod = (typeof healingMethods)[number];

const siteLimitFields = siteLimitWaitSchema.extend({ host: z.string().max(300) });

/** Data of the events of a run, its steps, branches, artifacts and model calls, by type. */
export const runEventData = {
  'run.queued': z.object({
    fleet: z.string(),
    priority: z.int(),
    retryOf: idSchema.nullable(),
    steps: z.int().optional().describe('Number of steps; missing if control flow decides'),
  }),
  'run.assigned': z.object({ worker: z.string(), fleet: z.string() }),
  'run.requeued': z.object({ error: errorViewSchema, worker: z.string().nullable() }),
  'run.cancelling': z.object({ requestedBy: z.string() }),
  'run.awaiting_user': runQuestionSchema.extend({ key: questionKeySchema, expiresAt: timestampSchema }),
  'run.slot_released': z.object({ worker: z.string().nullable().describe('Name of the worker that held the run') }),
  'run.answered': runAnswerSchema,
  'run.completed': z.object({
    output: parsedJsonValueSchema.nullable(),
    durationMs: z.int().min(0).describe('Milliseconds since the first attempt started'),
    dismissedBy: z.string().optional().describe('Person who completed the run while it waited for an answer'),
  }),
  'run.failed': z.object({ error: errorViewSchema, step: z.int().min(0).nullable() }),
  'run.cancelled': z.object({ requestedBy: z.string() }),
  'step.started': z.object({
    ...stepRefFields,
    action: z.enum(stepActions),
    title: z.string(),
    summary: z.string(),
    attempt: z.int().min(2).optional().describe('Number of the attempt; missing for the first'),
    verifiable: z
      .boolean()
      .optional()
      .describe('true: `expect` of the step did not hold before it, so finding it later proves that the step ran'),
  }),
  'step.completed': z.object({
    ...stepRefFields,
    tier: tierSchema,
    durationMs: z.int().min(0).describe('Milliseconds from start to result'),
    located: z
      .object({
        locator: z.string(),
        triedCount: z.int().min(1),
        alternatives: z.array(locatorSchema).max(10).optional().describe('Other locators that match the same element'),
      })
      .nullable()
      .describe('The locator of the chain that matched, and how many were tried'),
    value: parsedJsonValueSchema.optional().describe('Value that the step read'),
    evidence: evidenceSchema.optional(),
    delivery: deliverySchema.optional(),
    page: pageAfterSchema,
  }),
  'step.healed': z.object({
    ...stepRefFields,
    tier: tierSchema,
    method: z
      .enum(healingMethods)
      .describe(
        '`earlier-run`: a locator from an earlier run; `similarity`: role, name and neighbors; `text-model`: a model that read the element list; `vision-model`: a model that saw a screenshot; `human`: a person pointed at it',
      ),
    element: z.string().max(500).describe('Description of the element that was used'),
    previousLocators: z.array(locatorSchema).min(1).max(10).describe('Locators of the workflow, which matched nothing'),
    locators: z
      .array(locatorSchema)
      .max(10)
      .describe('Locators that match now, most stable first; empty if no stable locator exists'),
  }),
  'step.failed': z.object({
    ...stepRefFields,
    error: errorViewSchema,
    durationMs: z.int().min(0),
    tier: tierSchema.optional().describe('Highest tier that a goal reached (default `replay`)'),
  }),
  'step.retrying': z.object({
    ...stepRefFields,
    attempt: z.int().min(1).describe('Number of the attempt that failed, from 1'),
    maxAttempts: z.int().min(2),
    errorCode: z.enum(errorCodes),
    error: errorViewSchema,
    durationMs: z.int().min(0).describe('Duration of the attempt in milliseconds'),
    nextAttemptAt: timestampSchema.describe('Start of the next attempt, unless the run ends or is handed over first'),
  }),
  'step.skipped': z.object({ ...stepRefFields, reason: z.string() }),
  'branch.step_started': z.object({ ...branchRefFields, action: z.enum(stepActions), title: z.string() }),
  'branch.step_completed': z.object({
    ...branchRefFields,
    durationMs: z.int().min(0),
    error: errorViewSchema.nullable().describe('null: the step succeeded'),
    page: eventPageSchema.describe('The page of the branch afterwards'),
  }),
  'egress.blocked': egressBlockSchema.extend({
    step: z.int().min(0).nullable().describe('Number of the current step'),
  }),
  'site_limit.waiting': siteLimitFields.extend({
    step: z.int().min(0).nullable().describe('Number of the step that waits to start'),
  }),
  'site_limit.passed': siteLimitFields.extend({
    step: z.int().min(0).nullable().describe('Number of the step that waited'),
    durationMs: z.int().min(0).describe('Milliseconds it waited; not part of `durationMs` of the step'),
  }),
  'artifact.created': z.object({
    artifact: idSchema,
    step: z.int().min(0).nullable(),
    kind: artifactKindSchema,
    moment: screenshotMomentSchema.optional().describe('Only for screenshots'),
    name: z.string(),
    contentType: z.string(),
    size: z.int().min(0),
  }),
  'model.called': z.object({
    step: z.int().min(0).nullable().describe('Number of the step that called the model'),
    role: modelRoleSchema,
    tier: callTierSchema.optional(),
    provider: z.string(),
    model: z.string(),
    prompt: promptRefSchema,
    dialect: z.string().optional().describe('Text format of actions; missing for function calls'),
    durationMs: z.int().min(0).describe('Milliseconds until the answer was complete'),
    ...modelUsageSchema.shape,
    usd: z.number().min(0).nullable().describe('null: the price is not known'),
    finish: z
      .enum([...modelFinishSchema.options, 'invalid', 'superseded'])
      .describe(
        'Why the model stopped; `invalid`: the answer cannot be used; `superseded`: another call answered first, and the tokens are an estimate',
      ),
    trace: idSchema.optional().describe('Artifact with prompt and answer, with `trace: full`'),
  }),
  'run.log': z.object({ facts: parsedJsonObjectSchema }),
} as const;
