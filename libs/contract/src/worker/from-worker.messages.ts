import { z } from 'zod';
import { errorViewSchema } from '../errors/pilothouse-error.ts';
import { MAX_CACHED_TURNS, cachedTurnSchema, callCostSchema, sha256Schema } from '../agent/agent.schema.ts';
import { agentThinkingSchema } from '../events/agent.events.ts';
import { newEventSchema } from '../events/event-log.schema.ts';
import { MAX_SLOTS_PER_WORKER } from '../fleet/fleet.schema.ts';
import { artifactKindSchema, screenshotMomentSchema } from '../run/artifact.schema.ts';
import { MAX_MODEL_TIMEOUT_MS, modelRequestMessageSchema } from '../model/model.schema.ts';
import { stepPathSchema, runQuestionSchema } from '../run/run-question.schema.ts';
import { siteSchema } from '../project/politeness.schema.ts';
import { profileNameSchema, storageStateSchema } from '../project/profile.schema.ts';
import { idSchema, parsedJsonValueSchema, surfaceKindSchema } from '../primitives.schema.ts';
import { dropdownOptionsSchema, copiedTextSchema, pageInspectionSchema } from '../control/control.schema.ts';
import { MAX_PARSED_SCREENSHOT_BYTES } from '../observation/screen-parse.schema.ts';
import { metricDeltasSchema } from './worker-metrics.schema.ts';
import { attemptSchema, requestIdSchema, safePointSchema } from './assignment.schema.ts';

/** Maximum attempts of a worker: those in its slots, and waiting or ending ones without a slot. */
const MAX_ATTEMPTS = 2 * MAX_SLOTS_PER_WORKER;

/** Enforcement of the egress proxy for programs of a desktop. */
const egressEnforcementSchema = z
  .enum(['network', 'settings'])
  .describe(
    '`network`: programs can connect only to the egress proxy of their run; `settings`: only programs that follow proxy settings use it',
  );
export type EgressEnforcement = z.infer<typeof egressEnforcementSchema>;

/** First message on every socket. With `session` the worker resumes after a lost connection. */
const hello = z.object({
  type: z.literal('hello'),
  protocol: z.int(),
  worker: z.object({
    name: z.string().min(1).max(100),
    incarnation: idSchema.describe('Id of the process, new at every start'),
    version: z.string().max(100),
    surface: surfaceKindSchema,
    slots: z.int().min(1).max(MAX_SLOTS_PER_WORKER),
    host: z.string().max(255),
    pid: z.int().min(0).max(2_147_483_647),
    egressEnforcement: egressEnforcementSchema.optional(),
  }),
  sessionKeyHash: sha256Schema
    .optional()
    .describe('SHA-256 of the session key of the process, for which a join token is exchanged'),
  session: idSchema.optional(),
  attempts: z.array(attemptSchema).max(MAX_ATTEMPTS).default([]).describe('Attempts that the worker still executes'),
});

/**
 * Number of free slots, sent on every change. The gateway assigns at most this number, minus the assignments that the worker had not
 * received when it sent the message.
 */
const ready = z.object({
  type: z.literal('ready'),
  freeSlots: z.int().min(0).max(MAX_SLOTS_PER_WORKER),
  assignmentsReceived: z.int().min(0).optional().describe('Number of assignments received on this connection'),
});

/** The worker accepts the run, which makes the claim final. The first events of the attempt imply it. */
const accepted = z.object({ type: z.literal('accepted'), ...attemptSchema.shape });

/** The worker rejects the run, returns it at a step boundary, or releases the slot of a waiting run. */
const handback = z.object({ type: z.literal('handback'), ...attemptSchema.shape, error: errorViewSchema });

export const attemptOutcomeSchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('completed'), output: parsedJsonValueSchema }),
  z.object({ status: z.literal('failed'), error: errorViewSchema, step: z.int().min(0).nullable() }),
  z.object({ status: z.literal('cancelled') }),
]);
export type AttemptOutcome = z.infer<typeof attemptOutcomeSchema>;

/**
 * Events of one attempt in order, and finally its outcome. Acknowledged by `append.ack` once durable. `safePoint` advances the safe point
 * of the run; without events it applies only if the gateway knows all earlier events of this socket. With `question` the run starts to
 * wait for a person.
 */
const append = z.object({
  type: z.literal('append'),
  ...attemptSchema.shape,
  events: z.array(newEventSchema).max(500),
  safePoint: safePointSchema.optional(),
  question: runQuestionSchema.optional(),
  outcome: attemptOutcomeSchema.optional(),
});

/** Renews all leases of the worker, once a second. The answer repeats `sentAt`, so that leases count from the sending. */
const renew = z.object({
  type: z.literal('renew'),
  sentAt: z.number(),
  attempts: z.array(attemptSchema).max(MAX_ATTEMPTS),
});

/** Requests a signed URL to upload a file of the run. */
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

/** The file was uploaded. The gateway verifies it before it creates the artifact. */
const uploadDone = z.object({
  type: z.literal('upload.done'),
  id: requestIdSchema,
  ...attemptSchema.shape,
  artifact: idSchema,
});

/** Requests a file input of the run. */
const fileRequest = z.object({
  type: z.literal('file.request'),
  id: requestIdSchema,
  ...attemptSchema.shape,
  upload: idSchema,
});

/** Requests a secret input at the moment of typing, for the origin that receives it. */
const secretRequest = z.object({
  type: z.literal('secret.request'),
  id: requestIdSchema,
  ...attemptSchema.shape,
  name: z.string().min(1).max(100),
  origin: z.string().max(2000),
});

/**
 * Requests permission to open a site. Releases its slots of all sites except those in `openSites`. With `site: null` it only
 * releases.
 */
const siteLimitRequest = z.object({
  type: z.literal('site_limit.request'),
  id: requestIdSchema,
  ...attemptSchema.shape,
  site: siteSchema.nullable(),
  openSites: z.array(siteSchema).max(50),
});

/** Requests the profile that the run starts with. The gateway selects it. */
const profileRequest = z.object({ type: z.literal('profile.request'), id: requestIdSchema, ...attemptSchema.shape });

/** Saves the state of the browser as a profile. */
const profileSave = z.object({
  type: z.literal('profile.save'),
  id: requestIdSchema,
  ...attemptSchema.shape,
  name: profileNameSchema,
  state: storageStateSchema,
});

/**
 * First message on the bulk socket, which carries model requests with images and screencast frames, so that no control message waits
 * behind an image. The session is the one of the control socket.
 */
const bulkHello = z.object({ type: z.literal('bulk.hello'), protocol: z.int(), session: idSchema });

/**
 * Requests a model call through the gateway, because only the gateway has keys. Contains images; each is sent once per connection.
 * Requests are limited to `MAX_MODEL_REQUEST_BYTES`. Answered by `model.response`. Sent again on a new connection; the same gateway then
 * returns the result of the same call.
 */
const modelRequest = z.object({
  type: z.literal('model.request'),
  id: requestIdSchema,
  ...attemptSchema.shape,
  step: z.int().min(0).nullable().describe('Number of the requesting step'),
  request: modelRequestMessageSchema,
  timeoutMs: z.int().min(1).max(MAX_MODEL_TIMEOUT_MS).describe('Timeout in milliseconds'),
  streamPartial: z.boolean().optional().describe('true: send `model.partial` while the model streams'),
});

/** Requests the elements in the screenshot of a window, on the bulk socket. Answered by `screen_parse.response`. */
const screenParseRequest = z.object({
  type: z.literal('screen_parse.request'),
  id: requestIdSchema,
  ...attemptSchema.shape,
  jpeg: z
    .base64()
    .min(1)
    .max(Math.ceil(MAX_PARSED_SCREENSHOT_BYTES / 3) * 4),
});

/** Requests the locators with which earlier runs of the workflow found the element of a step. */
const locatorsRequest = z.object({
  type: z.literal('locators.request'),
  id: requestIdSchema,
  ...attemptSchema.shape,
  path: stepPathSchema,
});

/** Maximum size of a frame in bytes. Even four megapixels of noise are smaller. */
export const MAX_FRAME_BYTES = 3_000_000;

/** A screencast frame for viewers, on the bulk socket only. Not acknowledged; frames may be lost. */
const screencastFrame = z.object({
  type: z.literal('screencast.frame'),
  ...attemptSchema.shape,
  jpeg: z
    .base64()
    .min(1)
    .max(Math.ceil(MAX_FRAME_BYTES / 3) * 4),
});

/** Reads the cached turn of a step for a page. */
const actionCacheGet = z.object({
  type: z.literal('action_cache.get'),
  id: requestIdSchema,
  ...attemptSchema.shape,
  step: sha256Schema.describe('Hash of the path and the definition of the step'),
  key: sha256Schema.describe('Hash of the page, the turns before it, and the inputs of the run'),
});

/** Stores turns that worked and evicts turns that failed. */
const actionCachePut = z.object({
  type: z.literal('action_cache.put'),
  id: requestIdSchema,
  ...attemptSchema.shape,
  step: sha256Schema,
  entries: z
    .array(
      z.object({
        key: sha256Schema,
        actions: cachedTurnSchema,
        callCost: callCostSchema.describe('Cost of the model call that chose the actions'),
      }),
    )
    .max(MAX_CACHED_TURNS),
  evict: z.array(sha256Schema).max(MAX_CACHED_TURNS),
});

/**
 * Metrics since the previous message. Sent only if `welcome` requests it, at most at that interval and once before `bye`. Not
 * acknowledged: metrics of a lost message are missing.
 */
const metrics = z.object({ type: z.literal('metrics'), ...metricDeltasSchema.shape });

/** Result of a page query in `control.input`. It may be lost: the API sends the query again. */
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

/** Streamed thought of an agent, for viewers. Not acknowledged; messages may be lost. */
const agentThinking = z.object({
  type: z.literal('agent.thinking'),
  ...attemptSchema.shape,
  ...agentThinkingSchema.shape,
});

/** The worker disconnects: it accepts no more runs and holds none. */
const bye = z.object({ type: z.literal('bye'), reason: z.string().max(200) });

/** All messages of a worker. */
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
  screenParseRequest,
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

/** The subject of any worker message: a request, an attempt, or neither. */
export const messageSubjectSchema = z.object({ id: requestIdSchema, ...attemptSchema.shape }).partial();
