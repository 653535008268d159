import { z } from 'zod';
import { actionSchema } from '../actions/action-sets.ts';
import {
  idSchema,
  jsonSchema,
  parsedJsonObjectSchema,
  parsedJsonValueSchema,
  timestampSchema,
} from '../primitives.schema.ts';
import { egressBlockSchema } from '../project/egress.schema.ts';
import { evidenceSchema } from '../actions/extraction.schema.ts';
import { locatorSchema } from '../actions/locator.schema.ts';
import { siteLimitWaitSchema } from '../project/politeness.schema.ts';
import { errorCodes } from '../errors/error-codes.ts';
import { errorViewSchema } from '../errors/pilothouse-error.ts';
import { artifactKindSchema, screenshotMomentSchema } from '../run/artifact.schema.ts';
import {
  callTierSchema,
  tierSchema,
  modelFinishSchema,
  modelRoleSchema,
  modelUsageSchema,
  promptRefSchema,
} from '../model/model.schema.ts';
import { runAnswerSchema, stepPathSchema, questionKeySchema, runQuestionSchema } from '../run/run-question.schema.ts';
import { dialogKindSchema, MAX_DIALOG_TEXT, controlTokenSchema } from '../control/control.schema.ts';
import { approvalEffectSchema, stepActions } from '../workflow/step.schema.ts';
import { expectationSchema } from '../agent/agent.schema.ts';

const stepRef = {
  step: z.int().min(0).describe('Number of the step in the run, from 0; without control flow its index'),
  path: stepPathSchema.optional(),
  id: z.string().nullable().describe('Its id'),
};

/** Characters of the message of an event. */
export const MAX_MESSAGE = 4000;

/** Most rows of a list that an event names, and characters of each. */
export const MAX_SEEN_ROWS = 60;
export const MAX_ROW_TEXT = 200;

/** Longest thought of an agent that is kept, in characters. */
export const MAX_THOUGHT = 8000;

/** The step that has branches, and a step of one of them. */
const branchRef = {
  ...stepRef,
  branch: z.string().describe('Name of the branch'),
  sequence: z.int().min(1).describe('Which step of the branch it is, in the order in which it came to them'),
  branchPath: stepPathSchema.optional().describe('Where it stands in the branch, when that is not its number'),
};

/** The step of an agent, and its turn in it, from 1; 0 is before the first. */
const agentRef = {
  ...stepRef,
  turn: z.int().min(0),
  branch: branchRef.branch.optional(),
  branchPath: branchRef.branchPath.describe('Where the goal stands in the branch'),
};

/**
 * What an agent is thinking, as far as its model has said it: told while the model speaks, and kept nowhere. What holds is the `agent.turn` of
 * the same turn, which comes once the model has ended; of a verdict the `agent.note`.
 */
export const agentThinkingSchema = z.object({
  step: stepRef.step,
  turn: z.int().min(1).describe('Turn of the agent in it'),
  branch: agentRef.branch,
  branchPath: agentRef.branchPath,
  subject: z.enum(['plan', 'verdict']).optional().describe('What is thought about, when it is not what to do next'),
  text: z.string().max(MAX_THOUGHT).describe('From its beginning'),
});
export type AgentThinking = z.infer<typeof agentThinkingSchema>;

/** What may heal a step, the cheapest first. */
export const healingMethods = ['earlier-run', 'similarity', 'text-model', 'vision-model', 'human'] as const;
export type HealingMethod = (typeof healingMethods)[number];

/** Data of each event, by type. */
export const eventData = {
  'run.queued': z.object({
    fleet: z.string(),
    priority: z.int(),
    retryOf: idSchema.nullable(),
    steps: z.int().optional().describe('Steps that the run comes to, each once; left out where control flow decides'),
  }),
  'run.assigned': z.object({ worker: z.string(), fleet: z.string() }),
  'run.requeued': z.object({ error: errorViewSchema, worker: z.string().nullable() }),
  'run.cancelling': z.object({ by: z.string() }),
  'run.awaiting_user': runQuestionSchema.extend({ key: questionKeySchema, until: timestampSchema }),
  'run.slot_released': z.object({ worker: z.string().nullable().describe('Name of the worker that had the run') }),
  'run.answered': runAnswerSchema,
  'run.completed': z.object({
    output: parsedJsonValueSchema.nullable(),
    durationMs: z.int().min(0).describe('Milliseconds since the first attempt began'),
    dismissedBy: z.string().optional().describe('Who ended the run while it waited for a person'),
  }),
  'run.failed': z.object({ error: errorViewSchema, step: z.int().min(0).nullable() }),
  'run.cancelled': z.object({ by: z.string() }),
  'step.started': z.object({
    ...stepRef,
    action: z.enum(stepActions),
    title: z.string(),
    summary: z.string(),
    attempt: z.int().min(2).optional().describe('Which attempt of the step it is; left out: the first'),
    verifiable: z
      .boolean()
      .optional()
      .describe('What is to be true after the step was not so before it: found later, it tells that the step happened'),
  }),
  'step.completed': z.object({
    ...stepRef,
    tier: tierSchema,
    durationMs: z.int().min(0).describe('Milliseconds from intent to outcome'),
    located: z
      .object({
        locator: z.string(),
        tried: z.int().min(1),
        alternatives: z
          .array(locatorSchema)
          .max(10)
          .optional()
          .describe('Other locators that would have found the same element'),
      })
      .nullable()
      .describe('Which locator of the chain found the element, and how many were tried'),
    value: parsedJsonValueSchema.optional().describe('What the step read'),
    evidence: evidenceSchema.optional(),
    page: z.object({ url: z.string(), title: z.string() }).nullable().describe('Where the surface is afterwards'),
  }),
  'step.healed': z.object({
    ...stepRef,
    tier: tierSchema,
    by: z
      .enum(healingMethods)
      .describe(
        '`earlier-run`: by a locator that found it in a former run; `similarity`: by role, name and what stands beside it; `text-model`: by a model that read the list of elements; `vision-model`: by one that saw the page; `human`: somebody pointed at it',
      ),
    element: z.string().max(500).describe('What was acted on, in words'),
    old: z.array(locatorSchema).min(1).max(10).describe('The locators that found nothing, as the workflow has them'),
    locators: z
      .array(locatorSchema)
      .max(10)
      .describe('Locators that find it now, as a workflow would have them, the sturdiest first; none: none that lasts'),
  }),
  'step.failed': z.object({
    ...stepRef,
    error: errorViewSchema,
    durationMs: z.int().min(0),
    tier: tierSchema.optional().describe('Highest tier that a goal had come to (default `replay`)'),
  }),
  'step.retrying': z.object({
    ...stepRef,
    attempt: z.int().min(1).describe('Which attempt of the step failed, from 1'),
    maxAttempts: z.int().min(2),
    errorCode: z.enum(errorCodes),
    error: errorViewSchema,
    durationMs: z.int().min(0).describe('Milliseconds the attempt took'),
    nextAttemptAt: timestampSchema.describe(
      'When the next attempt begins, unless the run ends or is handed over before',
    ),
  }),
  'step.skipped': z.object({ ...stepRef, reason: z.string() }),
  'branch.step_started': z.object({ ...branchRef, action: z.enum(stepActions), title: z.string() }),
  'branch.step_completed': z.object({
    ...branchRef,
    durationMs: z.int().min(0).describe('Milliseconds that it took'),
    error: errorViewSchema.nullable().describe('Why it did not happen; null: it did'),
    page: z
      .object({ url: z.string(), title: z.string() })
      .nullable()
      .describe('Where the page of the branch is afterwards'),
  }),
  'agent.turn': z.object({
    ...agentRef,
    thought: z.string().max(MAX_THOUGHT).describe('Why, in words of the model'),
    plannedActions: z.array(z.string()).max(20).describe('What it wants to do, in a line each'),
    expects: expectationSchema
      .optional()
      .describe('What is to be seen once all of it is done; left out: it did not say'),
    subGoals: z
      .string()
      .max(500)
      .optional()
      .describe('What is done of the goal and what is next, in words of the model; left out: as before'),
    source: z
      .enum(['model', 'cache'])
      .optional()
      .describe('`cache`: it is what worked on the same page before, and no model was asked (left out: model)'),
    prompt: promptRefSchema,
    tier: tierSchema.exclude(['human']).optional().describe('Left out by workers of before'),
    page: z.object({ url: z.string(), title: z.string() }).nullable().describe('What it saw'),
  }),
  'agent.action_started': z.object({
    ...agentRef,
    sequence: z.int().min(1).describe('Which action of the step it is'),
    action: actionSchema.describe('The action as it is carried out; secrets by their name'),
    title: z.string(),
    approval: z
      .string()
      .max(2000)
      .nullable()
      .optional()
      .describe('What a person approved before it; null: no approval was needed; left out by workers of before'),
  }),
  'agent.action_completed': z.object({
    ...agentRef,
    sequence: z.int().min(1),
    durationMs: z.int().min(0),
    error: errorViewSchema.nullable().describe('Why it did not happen; null: it did'),
    page: z.object({ url: z.string(), title: z.string() }).nullable().describe('Where the surface is afterwards'),
    pageBefore: z
      .object({ url: z.string(), title: z.string(), height: z.int().min(0).describe('Pixels of the whole page') })
      .nullable()
      .describe('The page as it was seen before; null: it is not known'),
    locators: z
      .array(locatorSchema)
      .max(10)
      .describe('Ways to find its element again, the sturdiest first; none: it has no element, or none is known'),
    ends: z
      .array(locatorSchema)
      .max(10)
      .optional()
      .describe('Of a drag: ways to find again the element on which it ended'),
    rows: z
      .array(z.string().max(MAX_ROW_TEXT))
      .max(MAX_SEEN_ROWS)
      .optional()
      .describe('Texts of the rows that were in view before it; left out by workers of before'),
    effect: approvalEffectSchema
      .nullable()
      .describe('What of it cannot be taken back: `pay`, `delete`, `send`, `upload`'),
  }),
  'agent.answer_sources': z.object({
    ...agentRef,
    found: z
      .array(
        z.object({
          at: z.string().describe('JSON pointer into the answer'),
          locators: z.array(locatorSchema).min(1).max(10).describe('Ways to find the element that has this text'),
        }),
      )
      .describe('Parts of the answer that stand on the page as the whole text of one element'),
    missing: z.array(z.string()).describe('JSON pointers of the parts that do not'),
  }),
  'agent.note': z.object({
    ...agentRef,
    kind: z
      .enum([
        'problem',
        'repeated_turn',
        'page_changed',
        'approval_needed',
        'unverified',
        'verified',
        'approval_decision',
        'answer',
        'human_asked',
        'screenshot_described',
        'data_stored',
        'escalated',
        'replanned',
      ])
      .describe(
        '`problem`: the answer of the model could not be used; `repeated_turn`: the same actions on the same page; `page_changed`: the list of elements changed, and the rest of the turn is dropped; `approval_needed`: an action waits for approval; `unverified`, `verified`: result of a check; `approval_decision`: whether a person approves the action; `answer`: what a person answered; `human_asked`: nothing worked, and a person is asked; `screenshot_described`: what a screenshot shows, in words of a model; `data_stored`: data kept for later turns; `escalated`: the next turn uses a screenshot; `replanned`: the next plan, after no progress',
      ),
    note: z.string().max(MAX_THOUGHT),
    newlyMet: expectationSchema
      .optional()
      .describe(
        'With `verified`, of a turn: what of its expectation is to be seen that was not before it; of texts those that a condition finds',
      ),
    question: z.string().max(MAX_THOUGHT).optional().describe('With `answer`: the question of the agent'),
  }),
  'control.taken': z.object({ by: z.string(), token: controlTokenSchema }),
  'control.released': z.object({
    by: z.string().describe('Name of the person who had control'),
    token: controlTokenSchema,
    reason: z
      .enum(['released', 'idle', 'resumed'])
      .describe('`released`: by the person; `idle`: no input for too long; `resumed`: the run continued'),
  }),
  'dialog.opened': z.object({
    ...stepRef,
    dialog: idSchema.describe('Id of the dialog'),
    kind: dialogKindSchema,
    question: z.string().max(MAX_DIALOG_TEXT),
    text: z.string().max(MAX_DIALOG_TEXT).nullable().describe('The text that a prompt proposes; null: it is none'),
    multiple: z.boolean().optional().describe('true: the file chooser takes more than one file'),
    by: z.string().describe('The person in control, who is asked'),
    forMs: z.int().min(0).describe('Milliseconds for an answer; then it is dismissed'),
  }),
  'dialog.closed': z.object({
    ...stepRef,
    dialog: idSchema.describe('Id of the dialog'),
    accepted: z.boolean(),
    why: z
      .enum(['answered', 'expired', 'released', 'replaced', 'failed'])
      .describe(
        '`answered`: by the person in control; `expired`: not answered in time; `released`: control ended; `replaced`: the page opened ' +
          'another file chooser; `failed`: the files could not be given to the page',
      ),
  }),
  'control.action': z.object({
    ...stepRef,
    by: z.string().describe('Name of the person in control'),
    action: actionSchema.describe('The input as an action of a step'),
    title: z.string(),
    secret: z.boolean().describe('What was typed is not told: it went into a password field'),
    page: z.object({ url: z.string(), title: z.string() }).nullable().describe('Where the surface is afterwards'),
  }),
  'egress.blocked': egressBlockSchema.extend({
    step: z.int().min(0).nullable().describe('Number of the step that was at work'),
  }),
  'site_limit.waiting': siteLimitWaitSchema.extend({
    host: z.string().max(300),
    step: z.int().min(0).nullable().describe('Number of the step that waits to begin'),
  }),
  'site_limit.passed': siteLimitWaitSchema.extend({
    host: z.string().max(300),
    step: z.int().min(0).nullable().describe('Number of the step that waited'),
    durationMs: z.int().min(0).describe('Milliseconds it waited; they are not in the `durationMs` of the step'),
  }),
  'artifact.created': z.object({
    artifact: idSchema,
    step: z.int().min(0).nullable(),
    kind: artifactKindSchema,
    moment: screenshotMomentSchema.optional().describe('Of a screenshot'),
    name: z.string(),
    contentType: z.string(),
    size: z.int().min(0),
  }),
  'model.called': z.object({
    step: z.int().min(0).nullable().describe('Number of the step that asked'),
    role: modelRoleSchema,
    tier: callTierSchema.optional(),
    provider: z.string(),
    model: z.string(),
    prompt: promptRefSchema,
    dialect: z.string().optional().describe('How it was to write actions, where not by calling functions'),
    durationMs: z.int().min(0).describe('Milliseconds until the answer was there'),
    ...modelUsageSchema.shape,
    usd: z.number().min(0).nullable().describe('null: the price is not known'),
    finish: z
      .enum([...modelFinishSchema.options, 'invalid', 'outrun'])
      .describe(
        'Why the model stopped; `invalid`: what it answered could not be used; `outrun`: another call answered first, and its tokens are an estimate',
      ),
    trace: idSchema.optional().describe('The artifact with prompt and answer, where they are kept (`trace: full`)'),
  }),
  'run.log': z.object({ facts: parsedJsonObjectSchema }),
} as const;

/** What an agent did, as an attempt that takes over is told of it. */
export const agentEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('agent.turn'), data: eventData['agent.turn'] }),
  z.object({ type: z.literal('agent.action_started'), data: eventData['agent.action_started'] }),
  z.object({ type: z.literal('agent.action_completed'), data: eventData['agent.action_completed'] }),
  z.object({ type: z.literal('agent.note'), data: eventData['agent.note'] }),
]);
export type AgentEvent = z.infer<typeof agentEventSchema>;

/** Most of them that an assignment carries: those of some fifty turns. */
export const MAX_AGENT_EVENTS = 400;

/** Type of an event. */
export type EventType = keyof typeof eventData;
export const eventTypes = Object.keys(eventData) as [EventType, ...EventType[]];

/** Data of one type of event. */
export type EventData<Type extends EventType> = z.infer<(typeof eventData)[Type]>;

/** Newest version of each event. */
export const eventVersions: Readonly<Record<EventType, number>> = {
  'run.queued': 1,
  'run.assigned': 1,
  'run.requeued': 1,
  'run.cancelling': 1,
  'run.awaiting_user': 1,
  'run.slot_released': 1,
  'run.answered': 1,
  'run.completed': 1,
  'run.failed': 1,
  'run.cancelled': 1,
  'step.started': 1,
  'step.completed': 1,
  'step.healed': 1,
  'step.failed': 1,
  'step.retrying': 1,
  'step.skipped': 1,
  'branch.step_started': 1,
  'branch.step_completed': 1,
  'agent.turn': 1,
  'agent.action_started': 1,
  'agent.action_completed': 2,
  'agent.answer_sources': 1,
  'agent.note': 2,
  'control.taken': 1,
  'control.released': 1,
  'dialog.opened': 1,
  'dialog.closed': 1,
  'control.action': 1,
  'egress.blocked': 1,
  'site_limit.waiting': 1,
  'site_limit.passed': 1,
  'artifact.created': 1,
  'model.called': 1,
  'run.log': 1,
};

/** Events after which a run has no more. */
export const terminalEvents: ReadonlySet<EventType> = new Set(['run.completed', 'run.failed', 'run.cancelled']);

/** Events a worker may write; the others are written by the house. */
export const workerEvents: ReadonlySet<EventType> = new Set([
  'step.started',
  'step.completed',
  'step.healed',
  'step.failed',
  'step.retrying',
  'step.skipped',
  'branch.step_started',
  'branch.step_completed',
  'agent.turn',
  'agent.action_started',
  'agent.action_completed',
  'agent.answer_sources',
  'agent.note',
  'dialog.opened',
  'dialog.closed',
  'control.action',
  'egress.blocked',
  'site_limit.waiting',
  'site_limit.passed',
  'run.log',
]);

export const eventLevelSchema = z.enum(['debug', 'info', 'warn', 'error']);
export type EventLevel = z.infer<typeof eventLevelSchema>;

/** What every event has, whoever sends it. */
const envelope = {
  type: z.enum(eventTypes),
  v: z.int().min(1).describe('Version of `data`'),
  level: eventLevelSchema,
  message: z.string().max(MAX_MESSAGE).describe('One line for people'),
  at: timestampSchema.describe('When it happened, by the clock of who saw it'),
};

/** An event as a worker sends it: `sequence` counts the events of one attempt from 1, so that one sent again is known. */
export const newEventSchema = z.object({ ...envelope, data: parsedJsonObjectSchema, sequence: z.int().min(1) });
export type NewEvent = z.infer<typeof newEventSchema>;

/** An event of a run: `seq` counts the events of the run from 1 without a gap. */
export const runEventSchema = z
  .object({
    ...envelope,
    data: z.record(z.string(), jsonSchema).describe('Facts, by type and version'),
    seq: z.int().min(1),
    run: idSchema,
    epoch: z.int().min(0),
  })
  .meta({ id: 'RunEvent', description: 'One numbered, versioned fact about a run' });
export type RunEvent = z.infer<typeof runEventSchema>;
