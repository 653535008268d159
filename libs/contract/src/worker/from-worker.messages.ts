import { z } from 'zod';
import { errorViewSchema } from '../errors/pilothouse-error.ts';
import { MAX_CACHED_TURNS, cachedTurnSchema, sha256Schema } from '../agent/agent.schema.ts';
import { agentThinkingSchema } from '../events/agent.events.ts';
import { newEventSchema } from '../events/event-log.schema.ts';
import { MAX_SLOTS_PER_WORKER } from '../fleet/fleet.schema.ts';
import { artifactKindSchema, screenshotMomentSchema } from '../run/artifact.schema.ts';
import { modelRequestMessageSchema } from '../model/model.schema.ts';
import { stepPathSchema, runQuestionSchema } from '../run/run-question.schema.ts';
import { siteSchema } from '../project/politeness.schema.ts';
import { profileNameSchema, storageStateSchema } from '../project/profile.schema.ts';
import { idSchema, parsedJsonValueSchema, surfaceKindSchema } from '../primitives.schema.ts';
import { dropdownOptionsSchema, copiedTextSchema, pageInspectionSchema } from '../control/control.schema.ts';
import { metricDeltasSchema } from './worker-metrics.schema.ts';
import { attemptSchema, requestIdSchema, safePointSchema } from './assignment.schema.ts';

/** Attempts of a worker: those in its slots, and those that gave their slot back while they wait or end. */
const MAX_ATTEMPTS = 2 * MAX_SLOTS_PER_WORKER;

/** First message on every socket. With `session` the worker goes on after a lost connection. */
const hello = z.object({
  type: z.literal('hello'),
  protocol: z.int(),
  worker: z.object({
    name: z.string().min(1).max(100),
    incarnation: idSchema.describe('Made anew each time the process starts'),
    version: z.string().max(100),
    surface: surfaceKindSchema,
    slots: z.int().min(1).max(MAX_SLOTS_PER_WORKER),
    host: z.string().max(255),
    pid: z.int().min(0).max(2_147_483_647),
  }),
  session: idSchema.optional(),
  attempts: z.array(attemptSchema).max(MAX_ATTEMPTS).default([]).describe('Attempts it still carries out'),
  acceptsChunks: z.boolean().optional().describe('Whether it assembles a message from `chunk` messages'),
});

/**
 * How many slots are free now. Sent whenever that changes; the gateway assigns no more than the last one said, less what it has assigned that
 * the worker did not know of when it said so.
 */
const ready = z.object({
  type: z.literal('ready'),
  freeSlots: z.int().min(0).max(MAX_SLOTS_PER_WORKER),
  assignmentsReceived: z.int().min(0).optional().describe('Assignments that have come on this connection'),
});

/** The worker has taken the run: only now is the claim final. Events of the attempt say so, too. */
const accepted = z.object({ type: z.literal('accepted'), ...attemptSchema.shape });

/** The worker cannot take the run, gives it back at a step boundary, or gives back the slot of one that waits for a person. */
const handback = z.object({ type: z.literal('handback'), ...attemptSchema.shape, error: errorViewSchema });

/** How an attempt ended. */
export const attemptOutcomeSchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('completed'), output: parsedJsonValueSchema }),
  z.object({ status: z.literal('failed'), error: errorViewSchema, step: z.int().min(0).nullable() }),
  z.object({ status: z.literal('cancelled') }),
]);
export type AttemptOutcome = z.infer<typeof attemptOutcomeSchema>;

/**
 * Events of one attempt, in order, and at the last its outcome. Answered by `append.ack` when durable. With `safePoint` the safe point
 * of the run moves on, without events only where none came that this socket does not know of; with `question` the run waits for a person from here.
 */
const append = z.object({
  type: z.literal('append'),
  ...attemptSchema.shape,
  events: z.array(newEventSchema).max(500),
  safePoint: safePointSchema.optional(),
  question: runQuestionSchema.optional(),
  outcome: attemptOutcomeSchema.optional(),
});

/** Once a second: renews all leases of the worker. `sentAt` comes back, so the worker counts from the sending. */
const renew = z.object({
  type: z.literal('renew'),
  sentAt: z.number(),
  attempts: z.array(attemptSchema).max(MAX_ATTEMPTS),
});

/** Asks where to send a file of the run. */
const uploadRequest = z.object({
  type: z.literal('upload.request'),
  id: requestIdSchema,
  ...attemptSchema.shape,
  step: z.int().min(0).nullable(),
  kind: artifactKindSchema,
  moment: screenshotMomentSchema.optional(),
  name: z.string().min(1).max(255),
  contentType: z.string().min(1).max(255),
  size: z.int().min(0),
});

/** The file is where it was to be sent: the gateway looks, and only then is there an artifact. */
const uploadDone = z.object({
  type: z.literal('upload.done'),
  id: requestIdSchema,
  ...attemptSchema.shape,
  artifact: idSchema,
});

/** Asks for a file input of the run. */
const fileRequest = z.object({
  type: z.literal('file.request'),
  id: requestIdSchema,
  ...attemptSchema.shape,
  upload: idSchema,
});

/** Asks for a secret input, at the moment of typing, for the origin it types into. */
const secretRequest = z.object({
  type: z.literal('secret.request'),
  id: requestIdSchema,
  ...attemptSchema.shape,
  name: z.string().min(1).max(100),
  origin: z.string().max(2000),
});

/**
 * Asks whether the run may open something of a site now. Places it has on other sites are given back, but for those in `openSites`: where its page is, and
 * what it opens besides.
 * Without `site` nothing is asked, only given back.
 */
const siteLimitRequest = z.object({
  type: z.literal('site_limit.request'),
  id: requestIdSchema,
  ...attemptSchema.shape,
  site: siteSchema.nullable(),
  openSites: z.array(siteSchema).max(50),
});

/** Asks for the profile that the run begins with; the gateway knows which it is. */
const profileRequest = z.object({ type: z.literal('profile.request'), id: requestIdSchema, ...attemptSchema.shape });

/** Keeps what the browser of the run has as a profile, under a name that its workflow says. */
const profileSave = z.object({
  type: z.literal('profile.save'),
  id: requestIdSchema,
  ...attemptSchema.shape,
  name: profileNameSchema,
  state: storageStateSchema,
});

/**
 * First message on a second socket of a worker, which it opens for requests to models that have images, and for what its surfaces show:
 * nothing else comes on it, and nothing waits behind an image. The session is the one of its first socket.
 */
const bulkHello = z.object({ type: z.literal('bulk.hello'), protocol: z.int(), session: idSchema });

/**
 * Asks a model, by way of the gateway, which alone has keys. Images are in it, each sent once on a connection: nothing larger than
 * `MAX_MODEL_REQUEST_BYTES` is sent. Answered by `model.response`; asked again on a new connection, and then the same call is answered, where the gateway
 * is the same.
 */
const modelRequest = z.object({
  type: z.literal('model.request'),
  id: requestIdSchema,
  ...attemptSchema.shape,
  step: z.int().min(0).nullable().describe('Number of the step that asks'),
  request: modelRequestMessageSchema,
  timeoutMs: z.int().min(1).max(600_000).describe('Milliseconds after which nobody waits for the answer'),
  streamPartial: z.boolean().optional().describe('Whether `model.partial` is wanted while the model speaks'),
});

/** Asks how former runs of the workflow found the element of a step that is not found any more. */
const locatorsRequest = z.object({
  type: z.literal('locators.request'),
  id: requestIdSchema,
  ...attemptSchema.shape,
  path: stepPathSchema,
});

/** Largest frame, in bytes: four megapixels of noise would be less. */
export const MAX_FRAME_BYTES = 3_000_000;

/** What the surface of a run shows, for who looks at it. Comes on the second socket only; not answered, and nobody minds one that is lost. */
const screencastFrame = z.object({
  type: z.literal('screencast.frame'),
  ...attemptSchema.shape,
  jpeg: z
    .base64()
    .min(1)
    .max(Math.ceil(MAX_FRAME_BYTES / 3) * 4),
});

/** Asks what an agent did in a step when it saw a page, the last time that this worked. */
const actionCacheGet = z.object({
  type: z.literal('action_cache.get'),
  id: requestIdSchema,
  ...attemptSchema.shape,
  step: sha256Schema.describe('Of where the step stands and what it says'),
  key: sha256Schema.describe('Of the page, the way there, and what the run was given'),
});

/** Keeps what worked, and forgets what did not. */
const actionCachePut = z.object({
  type: z.literal('action_cache.put'),
  id: requestIdSchema,
  ...attemptSchema.shape,
  step: sha256Schema,
  entries: z.array(z.object({ key: sha256Schema, actions: cachedTurnSchema })).max(MAX_CACHED_TURNS),
  evict: z.array(sha256Schema).max(MAX_CACHED_TURNS),
});

/**
 * What the worker measured since it last said so. Sent only when `welcome` asked for it, at most that often and once more before
 * `bye`; not answered. One that is lost with its connection is not sent again: the figures of those seconds are missing.
 */
const metrics = z.object({ type: z.literal('metrics'), ...metricDeltasSchema.shape });

/** What a page shows to the person in control: the answer to `inspect` of `control.input`. It may be lost: it is requested again. */
const controlInspection = z.object({
  type: z.literal('control.inspection'),
  ...attemptSchema.shape,
  id: idSchema.describe('Id of the query'),
  result: z.union([
    pageInspectionSchema,
    dropdownOptionsSchema,
    copiedTextSchema,
    z.object({ error: errorViewSchema }),
  ]),
});

/** What an agent is thinking, for who follows its run. Not answered, and nobody minds one that is lost. */
const agentThinking = z.object({
  type: z.literal('agent.thinking'),
  ...attemptSchema.shape,
  ...agentThinkingSchema.shape,
});

/** The worker goes: it takes nothing more, and holds nothing. */
const bye = z.object({ type: z.literal('bye'), reason: z.string().max(200) });

/** Everything a worker may say. */
export const fromWorkerSchema = z.discriminatedUnion('type', [
  hello,
  ready,
  accepted,
  handback,
  append,
  renew,
  uploadRequest,
  uploadDone,
  fileRequest,
  secretRequest,
  siteLimitRequest,
  profileRequest,
  profileSave,
  bulkHello,
  modelRequest,
  locatorsRequest,
  actionCacheGet,
  actionCachePut,
  screencastFrame,
  metrics,
  controlInspection,
  agentThinking,
  bye,
]);
export type FromWorker = z.infer<typeof fromWorkerSchema>;
export type FromWorkerOf<Type extends FromWorker['type']> = Extract<FromWorker, { type: Type }>;

/** What a message of a worker is about: a request, an attempt, or neither. */
export const messageSubjectSchema = z.object({ id: requestIdSchema, ...attemptSchema.shape }).partial();
