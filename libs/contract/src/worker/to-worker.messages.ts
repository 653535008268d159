import { z } from 'zod';
import { locatorSchema } from '../actions/locator.schema.ts';
import { agentNotesSchema } from '../project/agent-notes.schema.ts';
import { assignmentEgressSchema } from '../project/egress.schema.ts';
import { MAX_AGENT_EVENTS, MAX_THOUGHT, agentEventSchema } from '../events/agent.events.ts';
import { cachedTurnSchema, callCostSchema } from '../agent/agent.schema.ts';
import { parsedElementsSchema } from '../observation/screen-parse.schema.ts';
import { modelAnswerSchema } from '../model/model.schema.ts';
import { assignedTurnRecordingSchema } from '../agent/turn-recording.schema.ts';
import { assignmentPolitenessSchema, siteLimitWaitSchema } from '../project/politeness.schema.ts';
import { profileNameSchema, storageStateSchema } from '../project/profile.schema.ts';
import { errorViewSchema } from '../errors/pilothouse-error.ts';
import { transferSchema } from '../run/artifact.schema.ts';
import { budgetSchema } from '../run/budget.schema.ts';
import { captureSchema, framesPerSecondSchema } from '../run/capture.schema.ts';
import { runAnswerSchema, stepPathSchema } from '../run/run-question.schema.ts';
import { pageQuerySchema, controlInputsSchema, controlTokenSchema } from '../control/control.schema.ts';
import { stepStatusSchema } from '../run/run-status.ts';
import { idSchema, parsedJsonObjectSchema, parsedJsonValueSchema, timestampSchema } from '../primitives.schema.ts';
import {
  MESSAGE_CHUNK_CHARS,
  attemptSchema,
  requestIdSchema,
  safePointSchema,
  storedDefinitionSchema,
} from './assignment.schema.ts';

/** Answer to `hello`. Attempts of the `hello` that are not in `attempts` are lost. */
const welcome = z.object({
  type: z.literal('welcome'),
  protocol: z.int(),
  session: idSchema,
  fleet: z.string(),
  isTokenExchanged: z
    .boolean()
    .optional()
    .describe('true: the join token is used up; the session key of `hello` replaces it'),
  slots: z.int().min(1).describe('Slots that the worker may use: its own number, limited by the fleet'),
  leaseMs: z.int().min(1),
  renewMs: z.int().min(1),
  maxUnackedEvents: z.int().min(1).describe('Maximum number of unacknowledged events of an attempt'),
  metricsMs: z.int().min(1).optional().describe('Milliseconds between two `metrics`; missing: send none'),
  wantsThinking: z.boolean().optional().describe('true: send `agent.thinking`'),
  hasScreenParser: z.boolean().optional().describe('true: the gateway answers `screen_parse.request`'),
  attempts: z.array(
    z.object({
      ...attemptSchema.shape,
      sequence: z.int().min(0).describe('Number of the last durable event of the attempt'),
    }),
  ),
});

/** The last checkpoint of a step in earlier attempts. */
export const checkpointSchema = z.object({
  step: z.int().min(0),
  status: stepStatusSchema,
  epoch: z.int().min(1),
  value: parsedJsonValueSchema.nullable(),
  verifiable: z.boolean().describe('As in `step.started`'),
  path: stepPathSchema.optional(),
  error: errorViewSchema.optional().describe('Error of a failed step'),
  attempts: z.int().min(1).optional().describe('Started attempts of the step (default: 1)'),
  failedAt: timestampSchema.optional().describe('With `retrying`: time at which the last attempt failed'),
});
export type Checkpoint = z.infer<typeof checkpointSchema>;

/** Everything a worker needs to execute a run. `secrets` has the names of secret inputs, without values. */
export const assignmentSchema = z.object({
  ...attemptSchema.shape,
  definition: storedDefinitionSchema,
  inputs: parsedJsonObjectSchema,
  secrets: z.array(z.string()),
  budget: budgetSchema.extend({ usedSteps: z.int().min(0), usedSeconds: z.number().min(0) }),
  capture: captureSchema,
  checkpoints: z.array(checkpointSchema),
  safePoint: safePointSchema.required().nullable().describe('Last safe point of earlier attempts'),
  answer: runAnswerSchema.nullable().describe('Answer to the last question of an earlier attempt'),
  agentEvents: z
    .array(agentEventSchema)
    .max(MAX_AGENT_EVENTS)
    .default([])
    .describe('Agent events of earlier attempts in the last started step, in order'),
  questionHoldMs: z.int().min(0).describe('Milliseconds for which a waiting question may keep its slot'),
  firstIntentWritten: z
    .boolean()
    .default(false)
    .describe(
      'true: the claim wrote the intent of the first step as event 1 of the attempt. The worker may act at once',
    ),
  egress: assignmentEgressSchema.default({ project: null, run: null }),
  politeness: assignmentPolitenessSchema.default({ project: null }),
  agentNotes: agentNotesSchema.default([]).describe('Notes of the project for agents'),
  isAlwaysVision: z
    .boolean()
    .optional()
    .describe(
      'true: every model call of a goal has a screenshot, because the project chose a computer tool for acting',
    ),
  recordTurns: assignedTurnRecordingSchema.default('off'),
  leaseCountsFrom: z
    .number()
    .optional()
    .describe('`sentAt` of the last `renew` before the claim. The lease counts from this time'),
});
export type Assignment = z.infer<typeof assignmentSchema>;

const assign = z.object({ type: z.literal('assign'), assignment: assignmentSchema });

/**
 * Part of a text that is too long for one message. Other messages may come between two chunks.
 */
const chunk = z.object({
  type: z.literal('chunk'),
  message: z.int().min(1).describe('Number of the long message on this connection'),
  text: z.string().max(MESSAGE_CHUNK_CHARS).describe('The next characters of its JSON'),
  isLast: z.boolean(),
});

/**
 * Events up to `sequence` are durable; with `isFinal`, so is the outcome. `leaseRenewed`: the lease was renewed with
 * them. It counts from the sending of the first events of the attempt on this connection.
 */
const appendAck = z.object({
  type: z.literal('append.ack'),
  ...attemptSchema.shape,
  sequence: z.int().min(0),
  isFinal: z.boolean(),
  leaseRenewed: z.boolean().default(false),
});

/** Answer to `renew`. */
const renewAck = z.object({
  type: z.literal('renew.ack'),
  sentAt: z.number(),
  attempts: z.array(attemptSchema).describe('Attempts whose leases were renewed'),
  cancelled: z.array(attemptSchema).describe('Runs to stop'),
  answers: z
    .array(attemptSchema.extend({ answer: runAnswerSchema }))
    .describe('Answers that the worker has not yet applied'),
  drain: z.boolean(),
});

/** The attempt no longer holds its run: stop acting at once, close its surface, write nothing more. */
const attemptLost = z.object({ type: z.literal('attempt.lost'), ...attemptSchema.shape, error: errorViewSchema });

/** Cancels the run. Arrives before the next `renew.ack`. */
const cancel = z.object({ type: z.literal('cancel'), ...attemptSchema.shape });

/** The answer of a person. Arrives before the next `renew.ack`. */
const questionAnswered = z.object({
  type: z.literal('question.answered'),
  ...attemptSchema.shape,
  answer: runAnswerSchema,
});

/** Requests `screencast.frame` messages for `durationMs` from now. Repeated while there are viewers; 0 ends the screencast. */
const screencastRequest = z.object({
  type: z.literal('screencast.request'),
  ...attemptSchema.shape,
  durationMs: z.int().min(0).max(60_000),
  resendCurrent: z.boolean().describe('A new viewer: send the current frame even if it has not changed'),
  framesPerSecond: framesPerSecondSchema.optional().describe('Highest frame rate that a viewer requests; missing: 25'),
});

/** Accept no new run, finish the current ones, then exit. */
const drain = z.object({ type: z.literal('drain') });

/** This gateway stops: reconnect to any gateway. */
const gatewayClosing = z.object({ type: z.literal('gateway.closing') });

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
const secretValue = z.object({
  type: z.literal('secret.value'),
  id: requestIdSchema,
  value: z.string(),
  former: z.array(z.string()).optional().describe('Replaced values that the run may show. They are masked'),
});

/** Answer to `site_limit.request`: a run with `blockedBy` asks again after `retryAfterMs`. */
const siteLimitPermit = z.object({
  type: z.literal('site_limit.permit'),
  id: requestIdSchema,
  retryAfterMs: z.int().min(0).describe('Milliseconds to wait before the next request; 0: the run may open the site'),
  blockedBy: siteLimitWaitSchema.nullable().describe('Limit that the run waits for; null: the run may open the site'),
});

const profileValue = z.object({
  type: z.literal('profile.value'),
  id: requestIdSchema,
  name: profileNameSchema,
  profile: z
    .object({ version: z.int().min(1), state: storageStateSchema })
    .nullable()
    .describe('null: the project has no profile of this name'),
});

/** The profile is durable. */
const profileSaved = z.object({
  type: z.literal('profile.saved'),
  id: requestIdSchema,
  version: z.int().min(1),
  size: z.int().min(0).describe('Bytes of JSON'),
});

/** Answer to `model.request`. Blocked or unreadable answers arrive as `rejected`. */
const modelResponse = z.object({ type: z.literal('model.response'), id: requestIdSchema, answer: modelAnswerSchema });

/** The complete text of a response so far; `model.response` has the final text. A retried model call starts over. */
const modelPartial = z.object({
  type: z.literal('model.partial'),
  id: requestIdSchema,
  text: z.string().max(MAX_THOUGHT),
});

const screenParseResponse = z.object({
  type: z.literal('screen_parse.response'),
  id: requestIdSchema,
  elements: parsedElementsSchema,
});

/** Locators with templates, as in a workflow; locators of earlier healing come first. */
const locatorsValue = z.object({
  type: z.literal('locators.value'),
  id: requestIdSchema,
  locators: z.array(locatorSchema).max(20),
});

const actionCacheValue = z.object({
  type: z.literal('action_cache.value'),
  id: requestIdSchema,
  cached: z
    .object({ actions: cachedTurnSchema, callCost: callCostSchema })
    .nullable()
    .describe('null: no turn is cached'),
});
const actionCacheStored = z.object({ type: z.literal('action_cache.stored'), id: requestIdSchema });

/** Manual control of the run and its input. Repeated; each message is valid for `validMs`. Small enough for the control socket. */
const controlInput = z.object({
  type: z.literal('control.input'),
  ...attemptSchema.shape,
  token: controlTokenSchema.describe('Input with an older token is ignored'),
  operator: z.string(),
  validMs: z
    .int()
    .min(0)
    .describe('Milliseconds for which control is valid without another message; 0: control is released'),
  sequence: z
    .int()
    .min(0)
    .describe('Number of the batch, from 1: a batch that was received before is ignored; 0: no input'),
  inputs: controlInputsSchema,
  inspect: pageQuerySchema.optional().describe('Query after the inputs. `control.inspection` has the result'),
});

/** Rejects a request (`id`) or a message about an attempt. */
const rejected = z.object({
  type: z.literal('rejected'),
  id: requestIdSchema.optional(),
  ...attemptSchema.partial().shape,
  error: errorViewSchema,
});

/** All messages of a gateway. */
export const toWorkerSchema = z.discriminatedUnion('type', [
  welcome,
  assign,
  chunk,
  appendAck,
  renewAck,
  attemptLost,
  cancel,
  questionAnswered,
  screencastRequest,
  controlInput,
  drain,
  gatewayClosing,
  uploadGrant,
  uploadStored,
  fileGrant,
  secretValue,
  siteLimitPermit,
  profileValue,
  profileSaved,
  modelResponse,
  modelPartial,
  screenParseResponse,
  locatorsValue,
  actionCacheValue,
  actionCacheStored,
  rejected,
]);
export type ToWorker = z.infer<typeof toWorkerSchema>;
export type ToWorkerOf<Type extends ToWorker['type']> = Extract<ToWorker, { type: Type }>;
