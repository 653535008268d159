import { z } from 'zod';
import { locatorSchema } from '../actions/locator.schema.ts';
import { assignmentEgressSchema } from '../project/egress.schema.ts';
import { MAX_AGENT_EVENTS, MAX_THOUGHT, agentEventSchema, cachedTurnSchema } from '../agent/agent.schema.ts';
import { modelAnswerSchema } from '../model/model.schema.ts';
import { assignmentPolitenessSchema, siteLimitWaitSchema } from '../project/politeness.schema.ts';
import { profileNameSchema, storageStateSchema } from '../project/profile.schema.ts';
import { errorViewSchema } from '../errors/pilothouse-error.ts';
import { transferSchema } from '../run/artifact.schema.ts';
import { budgetSchema, captureSchema } from '../run/run.schema.ts';
import { runAnswerSchema, stepPathSchema } from '../run/run-question.schema.ts';
import { pageQuerySchema, controlInputsSchema, controlTokenSchema } from '../control/control.schema.ts';
import { stepStatusSchema } from '../run/run-status.ts';
import { idSchema, parsedJsonObjectSchema, parsedJsonValueSchema } from '../primitives.schema.ts';
import {
  MESSAGE_CHUNK_CHARS,
  attemptSchema,
  requestIdSchema,
  safePointSchema,
  storedDefinitionSchema,
} from './assignment.schema.ts';

/** Answer to `hello`. Attempts of `held` that are not in `keep` are lost. */
const welcome = z.object({
  type: z.literal('welcome'),
  protocol: z.int(),
  session: idSchema,
  fleet: z.string(),
  slots: z.int().min(1).describe('Slots the worker may use: its own number, capped by the fleet'),
  leaseMs: z.int().min(1),
  renewMs: z.int().min(1),
  window: z.int().min(1).describe('Events the worker may have unacknowledged per attempt'),
  metricsMs: z.int().min(1).optional().describe('Milliseconds between two `metrics`; left out: none are wanted'),
  thinks: z.boolean().optional().describe('Whether `thinking` is wanted: a gateway of before does not know it'),
  keep: z.array(
    z.object({
      ...attemptSchema.shape,
      sequence: z.int().min(0).describe('Number of the last durable event of the attempt'),
    }),
  ),
});

/** How far a former attempt came: the last checkpoint of a step. */
export const checkpointSchema = z.object({
  step: z.int().min(0),
  status: stepStatusSchema,
  epoch: z.int().min(1),
  value: parsedJsonValueSchema.nullable(),
  verifiable: z.boolean().describe('As in `step.acting`'),
  path: stepPathSchema.optional(),
  error: errorViewSchema.optional().describe('Of a step that failed'),
});
export type Checkpoint = z.infer<typeof checkpointSchema>;

/** What a worker needs to carry out a run. Secret inputs are named in `secrets` and have no value here. */
export const assignmentSchema = z.object({
  ...attemptSchema.shape,
  definition: storedDefinitionSchema,
  inputs: parsedJsonObjectSchema,
  secrets: z.array(z.string()),
  budget: budgetSchema.extend({ usedSteps: z.int().min(0), usedSeconds: z.number().min(0) }),
  record: captureSchema,
  checkpoints: z.array(checkpointSchema),
  saved: safePointSchema.required().nullable().describe('The last safe point of former attempts'),
  answer: runAnswerSchema.nullable().describe('What a person answered to the last question of a former attempt'),
  agent: z
    .array(agentEventSchema)
    .max(MAX_AGENT_EVENTS)
    .default([])
    .describe('What agents of former attempts did in the step that was last begun, in order'),
  askHoldMs: z.int().min(0).describe('Milliseconds a question may hold its slot'),
  intended: z
    .boolean()
    .default(false)
    .describe('The claim wrote the intent of the first step, as event 1 of the attempt: it may act at once'),
  egress: assignmentEgressSchema.default({ project: null, run: null }),
  politeness: assignmentPolitenessSchema.default({ project: null }),
  heardAt: z
    .number()
    .optional()
    .describe('`sentAt` of the last `renew` that came before the claim: the lease counts from its sending'),
});
export type Assignment = z.infer<typeof assignmentSchema>;

const assign = z.object({ type: z.literal('assign'), assignment: assignmentSchema });

/**
 * A part of the text of a message that is too long for one. Sent only to a worker whose `hello` has `pieces`; other messages may come
 * between two of them.
 */
const piece = z.object({
  type: z.literal('piece'),
  of: z.int().min(1).describe('Number of the long message on this connection'),
  text: z.string().max(MESSAGE_CHUNK_CHARS).describe('The next characters of its JSON'),
  last: z.boolean(),
});

/**
 * Events up to `sequence` are durable; `ended`: so is the outcome; `leased`: the lease was renewed with them, which counts from the sending of
 * the first events of the attempt on this connection.
 */
const appended = z.object({
  type: z.literal('appended'),
  ...attemptSchema.shape,
  sequence: z.int().min(0),
  ended: z.boolean(),
  leased: z.boolean().default(false),
});

/** Answer to `renew`. */
const renewed = z.object({
  type: z.literal('renewed'),
  sentAt: z.number(),
  held: z.array(attemptSchema).describe('Leases that hold'),
  cancel: z.array(attemptSchema).describe('Runs to stop'),
  answers: z.array(attemptSchema.extend({ answer: runAnswerSchema })).describe('Answers that were not acted upon yet'),
  drain: z.boolean(),
});

/** The attempt no longer holds its run: stop acting at once, close its surface, write nothing more. */
const lost = z.object({ type: z.literal('lost'), ...attemptSchema.shape, error: errorViewSchema });

/** Stop the run: sooner than the next `renewed` would say. */
const cancel = z.object({ type: z.literal('cancel'), ...attemptSchema.shape });

/** A person answered the question of the run: sooner than the next `renewed` would say. */
const answered = z.object({ type: z.literal('answered'), ...attemptSchema.shape, answer: runAnswerSchema });

/**
 * Somebody looks at the run: show what its surface shows, as `frame`, for so many milliseconds from now. Said again as long as
 * somebody looks; 0: nobody does any more.
 */
const watch = z.object({
  type: z.literal('watch'),
  ...attemptSchema.shape,
  forMs: z.int().min(0).max(60_000),
  fresh: z.boolean().describe('Somebody new looks: show what is there also where it has not changed'),
});

/** Take no new run, finish what is there, then go. */
const drain = z.object({ type: z.literal('drain') });

/** This gateway stops: connect again, to any. */
const moved = z.object({ type: z.literal('moved') });

const uploadGrant = z.object({
  type: z.literal('upload.grant'),
  id: requestIdSchema,
  artifact: idSchema,
  transfer: transferSchema,
});
const uploadStored = z.object({ type: z.literal('upload.stored'), id: requestIdSchema, artifact: idSchema });
const fileGrant = z.object({
  type: z.literal('file.grant'),
  id: requestIdSchema,
  name: z.string(),
  contentType: z.string(),
  size: z.int(),
  transfer: transferSchema,
});
const secretValue = z.object({ type: z.literal('secret.value'), id: requestIdSchema, value: z.string() });

/** Answer to `site.request`: a run that is `blocked` asks again after `waitMs`. */
const siteAnswer = z.object({
  type: z.literal('site.answer'),
  id: requestIdSchema,
  waitMs: z.int().min(0).describe('Milliseconds to wait before asking again; 0: go'),
  blocked: siteLimitWaitSchema.nullable().describe('What it waits for; null: it may go'),
});

const profileValue = z.object({
  type: z.literal('profile.value'),
  id: requestIdSchema,
  name: profileNameSchema,
  profile: z
    .object({ version: z.int().min(1), state: storageStateSchema })
    .nullable()
    .describe('null: the project has none of this name'),
});

/** The profile is durable. */
const profileSaved = z.object({
  type: z.literal('profile.saved'),
  id: requestIdSchema,
  version: z.int().min(1),
  size: z.int().min(0).describe('Bytes of JSON'),
});

/** Answer to `model.request`. A provider that blocked the answer, or one that cannot be read, is a refusal. */
const modelAnswer = z.object({ type: z.literal('model.answer'), id: requestIdSchema, answer: modelAnswerSchema });

/** The text of an answer as far as it has come, from its beginning: `model.answer` brings it whole. A model that is asked again begins again. */
const modelSaid = z.object({ type: z.literal('model.said'), id: requestIdSchema, text: z.string().max(MAX_THOUGHT) });

/** Locators with their templates, as a workflow would have them; those that healed the step before come first. */
const elementKnown = z.object({
  type: z.literal('element.known'),
  id: requestIdSchema,
  locators: z.array(locatorSchema).max(20),
});

const memoryValue = z.object({
  type: z.literal('memory.value'),
  id: requestIdSchema,
  moves: cachedTurnSchema.nullable().describe('null: nothing is remembered'),
});
const memoryKept = z.object({ type: z.literal('memory.kept'), id: requestIdSchema });

/**
 * Somebody has the wheel of the run, and what they did. Said again and again: what is said last holds for so long. It is small enough to come
 * on the first socket.
 */
const wheel = z.object({
  type: z.literal('wheel'),
  ...attemptSchema.shape,
  token: controlTokenSchema.describe('What has an older one does not count any more'),
  by: z.string(),
  forMs: z.int().min(0).describe('Milliseconds for which they have it, unless it is said again; 0: they gave it back'),
  sequence: z
    .int()
    .min(0)
    .describe('Number of the batch, from 1: one that came before is not carried out again; 0: none'),
  inputs: controlInputsSchema,
  look: pageQuerySchema.optional().describe('Asked after the inputs; answered by `sight`'),
});

/** A message was refused: the request `id`, or what was said of the attempt. */
const refused = z.object({
  type: z.literal('refused'),
  id: requestIdSchema.optional(),
  ...attemptSchema.partial().shape,
  error: errorViewSchema,
});

/** Everything a gateway may say. */
export const toWorkerSchema = z.discriminatedUnion('type', [
  welcome,
  assign,
  piece,
  appended,
  renewed,
  lost,
  cancel,
  answered,
  watch,
  wheel,
  drain,
  moved,
  uploadGrant,
  uploadStored,
  fileGrant,
  secretValue,
  siteAnswer,
  profileValue,
  profileSaved,
  modelAnswer,
  modelSaid,
  elementKnown,
  memoryValue,
  memoryKept,
  refused,
]);
export type ToWorker = z.infer<typeof toWorkerSchema>;
export type ToWorkerOf<Type extends ToWorker['type']> = Extract<ToWorker, { type: Type }>;
