import { z } from 'zod';
import { errorViewSchema } from '../errors/pilothouse-error.ts';
import {
  MAX_CACHED_TURNS,
  agentThinkingSchema,
  cachedTurnSchema,
  newEventSchema,
  sha256Schema,
} from '../agent/agent.schema.ts';
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
const MOST_HELD = 2 * MAX_SLOTS_PER_WORKER;

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
  held: z.array(attemptSchema).max(MOST_HELD).default([]).describe('Attempts it still carries out'),
  pieces: z.boolean().optional().describe('Whether it puts a `piece` to the next: a worker of before does not'),
});

/**
 * How many slots are free now. Sent whenever that changes; the gateway assigns no more than the last one said, less what it has assigned that
 * the worker did not know of when it said so.
 */
const ready = z.object({
  type: z.literal('ready'),
  free: z.int().min(0).max(MAX_SLOTS_PER_WORKER),
  assigned: z.int().min(0).optional().describe('Assignments that have come on this connection'),
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
 * Events of one attempt, in order, and at the last its outcome. Answered by `appended` when durable. With `saved` the safe point
 * of the run moves on, without events only where none came that this socket does not know of; with `question` the run waits for a person from here.
 */
const append = z.object({
  type: z.literal('append'),
  ...attemptSchema.shape,
  events: z.array(newEventSchema).max(500),
  saved: safePointSchema.optional(),
  question: runQuestionSchema.optional(),
  outcome: attemptOutcomeSchema.optional(),
});

/** Once a second: renews all leases of the worker. `sentAt` comes back, so the worker counts from the sending. */
const renew = z.object({ type: z.literal('renew'), sentAt: z.number(), held: z.array(attemptSchema).max(MOST_HELD) });

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
 * Asks whether the run may open something of a site now. Places it has on other sites are given back, but for those in `at`: where its page is, and
 * what it opens besides.
 * Without `to` nothing is asked, only given back.
 */
const siteRequest = z.object({
  type: z.literal('site.request'),
  id: requestIdSchema,
  ...attemptSchema.shape,
  to: siteSchema.nullable(),
  at: z.array(siteSchema).max(50),
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
const aside = z.object({ type: z.literal('aside'), protocol: z.int(), session: idSchema });

/**
 * Asks a model, by way of the gateway, which alone has keys. Images are in it, each sent once on a connection: nothing larger than
 * `MAX_MODEL_REQUEST_BYTES` is sent. Answered by `model.answer`; asked again on a new connection, and then the same call is answered, where the gateway
 * is the same.
 */
const modelRequest = z.object({
  type: z.literal('model.request'),
  id: requestIdSchema,
  ...attemptSchema.shape,
  step: z.int().min(0).nullable().describe('Number of the step that asks'),
  request: modelRequestMessageSchema,
  withinMs: z.int().min(1).max(600_000).describe('Milliseconds after which nobody waits for the answer'),
  tells: z.boolean().optional().describe('Whether `model.said` is wanted while the model speaks'),
});

/** Asks how former runs of the workflow found the element of a step that is not found any more. */
const elementRequest = z.object({
  type: z.literal('element.request'),
  id: requestIdSchema,
  ...attemptSchema.shape,
  path: stepPathSchema,
});

/** Largest frame, in bytes: four megapixels of noise would be less. */
export const MAX_FRAME_BYTES = 3_000_000;

/** What the surface of a run shows, for who looks at it. Comes on the second socket only; not answered, and nobody minds one that is lost. */
const frame = z.object({
  type: z.literal('frame'),
  ...attemptSchema.shape,
  jpeg: z
    .base64()
    .min(1)
    .max(Math.ceil(MAX_FRAME_BYTES / 3) * 4),
});

/** Asks what an agent did in a step when it saw a page, the last time that this worked. */
const memoryRequest = z.object({
  type: z.literal('memory.request'),
  id: requestIdSchema,
  ...attemptSchema.shape,
  step: sha256Schema.describe('Of where the step stands and what it says'),
  key: sha256Schema.describe('Of the page, the way there, and what the run was given'),
});

/** Keeps what worked, and forgets what did not. */
const memoryKeep = z.object({
  type: z.literal('memory.keep'),
  id: requestIdSchema,
  ...attemptSchema.shape,
  step: sha256Schema,
  turns: z.array(z.object({ key: sha256Schema, moves: cachedTurnSchema })).max(MAX_CACHED_TURNS),
  forget: z.array(sha256Schema).max(MAX_CACHED_TURNS),
});

/**
 * What the worker measured since it last said so. Sent only when `welcome` asked for it, at most that often and once more before
 * `bye`; not answered. One that is lost with its connection is not sent again: the figures of those seconds are missing.
 */
const metrics = z.object({ type: z.literal('metrics'), ...metricDeltasSchema.shape });

/** What a page shows to whoever drives it: the answer to `look` of `wheel`. Nobody minds one that is lost: they ask again. */
const sight = z.object({
  type: z.literal('sight'),
  ...attemptSchema.shape,
  look: idSchema.describe('Id of the look'),
  seen: z.union([pageInspectionSchema, dropdownOptionsSchema, copiedTextSchema, z.object({ error: errorViewSchema })]),
});

/** What an agent is thinking, for who follows its run. Not answered, and nobody minds one that is lost. */
const thinking = z.object({ type: z.literal('thinking'), ...attemptSchema.shape, ...agentThinkingSchema.shape });

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
  siteRequest,
  profileRequest,
  profileSave,
  aside,
  modelRequest,
  elementRequest,
  memoryRequest,
  memoryKeep,
  frame,
  metrics,
  sight,
  thinking,
  bye,
]);
export type FromWorker = z.infer<typeof fromWorkerSchema>;
export type FromWorkerOf<Type extends FromWorker['type']> = Extract<FromWorker, { type: Type }>;

/** What a message of a worker is about: a request, an attempt, or neither. */
export const messageSubjectSchema = z.object({ id: requestIdSchema, ...attemptSchema.shape }).partial();
