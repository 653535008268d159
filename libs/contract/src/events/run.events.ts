import { z } from 'zod';
import { evidenceSchema } from '../actions/extraction.schema.ts';
import { locatorSchema } from '../actions/locator.schema.ts';
import { errorCodes } from '../errors/error-codes.ts';
import { errorViewSchema } from '../errors/pilothouse-error.ts';
import {
  callTierSchema,
  modelFinishSchema,
  modelRoleSchema,
  modelUsageSchema,
  shortenedPromptSchema,
} from '../model/model.schema.ts';
import { promptRefSchema, tierSchema } from '../model/model.schema.ts';
import { idSchema, parsedJsonObjectSchema, parsedJsonValueSchema, timestampSchema } from '../primitives.schema.ts';
import { egressBlockSchema } from '../project/egress.schema.ts';
import { siteLimitWaitSchema } from '../project/politeness.schema.ts';
import { artifactKindSchema, screenshotMomentSchema } from '../run/artifact.schema.ts';
import { resultFields } from '../run/outcome.schema.ts';
import {
  runAnswerSchema,
  stepLabelSchema,
  stepPathSchema,
  questionKeySchema,
  runQuestionSchema,
} from '../run/run-question.schema.ts';
import { stepActions } from '../workflow/step.schema.ts';

/** The step that an event is about. */
export const stepRefFields = {
  step: z.int().min(0).describe('Number of the step in the run, from 0; without control flow its index'),
  path: stepPathSchema.optional(),
  id: z.string().nullable().describe('Id of the step in the definition; null: it has none'),
};

/** A step of one branch of a `parallel` step. */
export const branchRefFields = {
  ...stepRefFields,
  branch: z.string().describe('Name of the branch'),
  sequence: z.int().min(1).describe('Number of the step in the branch, in order of execution'),
  branchPath: stepPathSchema.optional().describe('Path of the step in the branch, where it differs from its number'),
};

/** The page that the surface shows. */
export const eventPageSchema = z
  .object({
    url: z.string().describe('URL of the page, or `app://` URI of the window'),
    title: z.string().describe('Title of the page or window'),
    status: z.int().optional().describe('HTTP status of the page; missing: below 400 or unknown'),
  })
  .nullable();
const pageAfterSchema = eventPageSchema.describe('The page afterwards');

/** Maximum locators of a target in `located.tried`. */
export const MAX_TRIED_LOCATORS = 10;

/** A locator that a step tried, with its last result. */
const triedLocatorSchema = z.object({
  locator: z.string().describe('Locator in one line'),
  matches: z.int().min(0).describe('Elements that it matched in its last try'),
  elapsedMs: z.int().min(0).describe('Milliseconds from the start of the search to its last try'),
});
export type TriedLocator = z.infer<typeof triedLocatorSchema>;

/** Methods that heal a step, cheapest first. */
export const healingMethods = ['earlier-run', 'similarity', 'text-model', 'vision-model', 'human'] as const;
export type HealingMethod = (typeof healingMethods)[number];

const siteLimitFields = siteLimitWaitSchema.extend({ host: z.string().max(300).describe('Host that the step opens') });

/** Data of a run's events, its steps, branches, artifacts and model calls, by type. */
export const runEventData = {
  'run.queued': z
    .object({
      fleet: z.string().describe('Name of the fleet'),
      priority: z.int().describe('Priority of the run; a higher one starts first'),
      retryOf: idSchema.nullable().describe('Run that this one retries'),
      steps: z.int().optional().describe('Number of steps; missing if control flow decides'),
    })
    .describe('The run was stored and queued'),
  'run.assigned': z
    .object({
      worker: z.string().describe('Name of the worker'),
      fleet: z.string().describe('Name of its fleet'),
    })
    .describe('A worker received the run. A new attempt starts'),
  'run.requeued': z
    .object({
      error: errorViewSchema.describe('Error that ended the attempt'),
      worker: z.string().nullable().describe('Worker of the attempt'),
    })
    .describe('The run went back to the queue after an attempt ended early'),
  'run.cancelling': z
    .object({ requestedBy: z.string().describe('Name of the user or key that requested it') })
    .describe('A user asked to cancel the run, and its worker was asked to stop'),
  'run.awaiting_user': runQuestionSchema
    .extend({ key: questionKeySchema, expiresAt: timestampSchema })
    .describe('The run waits for the answer of a person. `POST /v1/runs/{run}/answer` answers it'),
  'run.slot_released': z
    .object({ worker: z.string().nullable().describe('Name of the worker that held the run') })
    .describe('A waiting run gave its slot back. It continues through the queue after the answer'),
  'run.answered': runAnswerSchema.describe('A person answered the question'),
  'run.completed': z
    .object({
      output: parsedJsonValueSchema.nullable().describe('Output of the workflow; null: it has none'),
      durationMs: z.int().min(0).describe('Milliseconds since the first attempt started'),
      dismissedBy: z.string().optional().describe('Person who completed the run while it waited for an answer'),
    })
    .describe('The run succeeded'),
  'run.failed': z
    .object({
      error: errorViewSchema,
      step: z.int().min(0).nullable().describe('Number of the failed step; null: no step failed'),
    })
    .describe('The run failed'),
  'run.cancelled': z
    .object({ requestedBy: z.string().describe('Name of the user or key that requested it') })
    .describe('The run was cancelled'),
  'step.started': z
    .object({
      ...stepRefFields,
      label: stepLabelSchema.optional(),
      action: z.enum(stepActions).describe('Action or block of the step'),
      title: z.string().describe('Title of the step'),
      summary: z.string().describe('Action and target in one line'),
      attempt: z.int().min(2).optional().describe('Number of the attempt; missing for the first'),
      verifiable: z
        .boolean()
        .optional()
        .describe('true: `expect` of the step did not hold before it, so finding it later proves that the step ran'),
    })
    .describe('A step starts. Written before its action'),
  'step.completed': z
    .object({
      ...stepRefFields,
      tier: tierSchema,
      durationMs: z.int().min(0).describe('Milliseconds from start to result'),
      located: z
        .object({
          locator: z.string().describe('Locator that matched, in one line'),
          triedCount: z.int().min(1).describe('Number of locators that were tried'),
          tried: z
            .array(triedLocatorSchema)
            .max(MAX_TRIED_LOCATORS)
            .optional()
            .describe('Locators that were tried, in the order of the chain; the last one matched'),
          alternatives: z
            .array(locatorSchema)
            .max(10)
            .optional()
            .describe('Other locators that match the same element'),
        })
        .nullable()
        .describe('The locator of the chain that matched, and how many were tried'),
      value: parsedJsonValueSchema.optional().describe('Value that the step read'),
      evidence: evidenceSchema.optional(),
      ...resultFields,
      page: pageAfterSchema,
    })
    .describe('A step succeeded'),
  'step.healed': z
    .object({
      ...stepRefFields,
      tier: tierSchema,
      method: z
        .enum(healingMethods)
        .describe(
          '`earlier-run`: a locator from an earlier run; `similarity`: role, name and neighbors; `text-model`: a model that read the element list; `vision-model`: a model that saw a screenshot; `human`: a person pointed at it',
        ),
      element: z.string().max(500).describe('Description of the element that was used'),
      previousLocators: z
        .array(locatorSchema)
        .min(1)
        .max(10)
        .describe('Locators of the workflow, which matched nothing'),
      locators: z
        .array(locatorSchema)
        .max(10)
        .describe('Locators that match now, most stable first; empty if no stable locator exists'),
    })
    .describe('A step found its element although no locator of the workflow matched'),
  'step.failed': z
    .object({
      ...stepRefFields,
      error: errorViewSchema,
      ...resultFields,
      durationMs: z.int().min(0).describe('Milliseconds from start to failure'),
      tier: tierSchema.optional().describe('Highest tier that a goal reached (default `replay`)'),
    })
    .describe('A step failed, and no further attempt follows'),
  'step.retrying': z
    .object({
      ...stepRefFields,
      attempt: z.int().min(1).describe('Number of the attempt that failed, from 1'),
      maxAttempts: z.int().min(2).describe('Maximum number of attempts'),
      errorCode: z.enum(errorCodes).describe('Code of the error'),
      error: errorViewSchema,
      ...resultFields,
      durationMs: z.int().min(0).describe('Duration of the attempt in milliseconds'),
      nextAttemptAt: timestampSchema.describe('Start of the next attempt, unless the run ends or is handed over first'),
    })
    .describe('An attempt of a step failed, and another one follows'),
  'step.skipped': z
    .object({
      ...stepRefFields,
      reason: z.string().describe('Reason why it is not executed again'),
      ...resultFields,
    })
    .describe('An interrupted step is not executed again'),
  'branch.step_started': z
    .object({
      ...branchRefFields,
      action: z.enum(stepActions).describe('Action of the step'),
      title: z.string().describe('Title of the step'),
    })
    .describe('A step of a branch of `parallel` starts'),
  'branch.step_completed': z
    .object({
      ...branchRefFields,
      durationMs: z.int().min(0).describe('Milliseconds from start to result'),
      error: errorViewSchema.nullable().describe('null: the step succeeded'),
      ...resultFields,
      page: eventPageSchema.describe('The page of the branch afterwards'),
    })
    .describe('A step of a branch of `parallel` ended'),
  'egress.blocked': egressBlockSchema
    .extend({
      step: z.int().min(0).nullable().describe('Number of the current step'),
    })
    .describe('A connection was refused by the egress rules'),
  'site_limit.waiting': siteLimitFields
    .extend({
      step: z.int().min(0).nullable().describe('Number of the step that waits to start'),
    })
    .describe('A step waits for a site limit'),
  'site_limit.passed': siteLimitFields
    .extend({
      step: z.int().min(0).nullable().describe('Number of the step that waited'),
      durationMs: z.int().min(0).describe('Milliseconds it waited; not part of `durationMs` of the step'),
    })
    .describe('A step that waited for a site limit starts'),
  'artifact.created': z
    .object({
      artifact: idSchema,
      step: z.int().min(0).nullable().describe('Number of the step that made the file; null: no step'),
      kind: artifactKindSchema,
      moment: screenshotMomentSchema.optional().describe('Only for screenshots'),
      name: z.string().describe('File name'),
      contentType: z.string().describe('Media type of the file'),
      size: z.int().min(0).describe('Size in bytes'),
    })
    .describe('A file of the run was stored. Files of kind `turn` have no event'),
  'model.called': z
    .object({
      step: z.int().min(0).nullable().describe('Number of the step that called the model'),
      role: modelRoleSchema,
      tier: callTierSchema.optional().describe('Tier of the call; missing for checks of a result'),
      provider: z.string().describe('Name of the endpoint'),
      model: z.string().describe('Name of the model at its provider'),
      prompt: promptRefSchema.describe('Prompt of the call'),
      dialect: z.string().optional().describe('Text format of actions; missing for function calls'),
      durationMs: z.int().min(0).describe('Milliseconds until the answer was complete'),
      ...modelUsageSchema.shape,
      shortened: shortenedPromptSchema.optional(),
      usd: z.number().min(0).nullable().describe('null: the price is not known'),
      finish: z
        .enum([...modelFinishSchema.options, 'invalid', 'superseded'])
        .describe(
          'Reason why the model stopped; `invalid`: the answer cannot be used; `superseded`: another call answered first, and the tokens are an estimate',
        ),
      trace: idSchema.optional().describe('Artifact with prompt and answer, with `trace: full`'),
    })
    .describe('A model was called'),
  'run.log': z
    .object({ facts: parsedJsonObjectSchema.describe('Details of the message') })
    .describe('A message that no other event type covers'),
} as const;
