import type { ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import type { EventDraft, NewEvent } from '@pilothouse/contract/events/event-log.schema';
import type { Tier } from '@pilothouse/contract/model/tier-names';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { Result } from '@pilothouse/contract/run/outcome';
import type { RunAnswer, RunQuestion } from '@pilothouse/contract/run/run-question.schema';
import type { RunStatus, StepStatus } from '@pilothouse/contract/run/run-status';

/** Conditions of a write on the row. */
export interface RunGuard {
  /** Statuses the run may be in. */
  from: readonly RunStatus[];
  /** The attempt that writes: the fencing token. */
  epoch?: number;
  /** The session that holds the lease. */
  session?: string;
  /** Dispatch number of the job; the run has to be admitted, too. */
  dispatch?: number;
  /** Only if the lease has ended by the clock of the database. */
  ifLeaseExpired?: boolean;
  /** Only if no worker has accepted the claim. */
  ifUnaccepted?: boolean;
  /**
   * Only if no worker has accepted the claim for this many milliseconds, or for its lease duration. Uses the clock of
   * the database.
   */
  ifUnacceptedMs?: number;
  /** Only if a waiting run still holds its slot, or does not. */
  ifHasSlot?: boolean;
  /** Only while this question is open. */
  ifQuestion?: RunQuestion;
  /** Only if its cancellation is requested, or is not. */
  ifCancelled?: boolean;
  /** Sequence of the last event of the worker; implied by events with a sequence. */
  ifLastSequence?: number;
}

/** State of a step after a write. */
export interface CheckpointWrite {
  step: number;
  /** Path of the step, unless its index implies it. */
  path?: string;
  status: StepStatus;
  tier?: Tier | null;
  /** Started attempts of the step; omitted: unchanged, or one. */
  attempts?: number | undefined;
  value?: Json;
  error?: ErrorView;
  verifiable?: boolean;
  /** Omitted: the step has not ended. */
  result?: Result;
  startedAt?: string;
  finishedAt?: string;
}

/** One change of one run, all or nothing. */
export interface RunWrite {
  run: string;
  guard: RunGuard;
  /** The next status; omitted: unchanged. `queued` → `running` is a claim: the epoch is incremented, a lease starts, and the opening intent is written. Draining sessions cannot claim. */
  to?: RunStatus;
  claim?: { session: string; worker: string; leaseMs: number; at: string };
  /** The worker accepted the claim; with milliseconds its lease is renewed, too. */
  accept?: { leaseMs?: number };
  /** Releases the slot while the run keeps waiting for a person. */
  release?: boolean;
  /** The attempt lost its worker or surface; counts towards the limit of poison runs. */
  countsAsLost?: boolean;
  /** No worker accepted the claim; counts towards the limit until one does. */
  countsAsRejected?: boolean;
  /** With `awaiting_user`: the question, and its timeout. */
  question?: { question: RunQuestion; seconds: number };
  /** Answer of a user. Deleted when the next step starts; an answer about a target, when a later step starts. */
  answer?: RunAnswer;
  output?: Json;
  error?: ErrorView;
  /** Requests cancellation; the actor. */
  cancelledBy?: string;
  usedSteps?: number;
  /** Executed steps, those of them that called a model, and those whose effect could not be seen. */
  completedSteps?: { total: number; byModel: number; unverified?: number };
  /** Failed attempts of steps that are followed by another one. */
  stepRetries?: number;
  modelUsage?: { calls: number; tokens: number; usd: number; unpricedCalls?: number };
  currentStep?: number;
  /** Events with `sequence` are from the worker; the first must follow the last one written, or nothing changes. Events without are from the API, and come last. */
  events?: readonly (EventDraft | NewEvent)[];
  checkpoints?: readonly CheckpointWrite[];
  /** Step from which an attempt may resume; without a state, the stored one stays valid. */
  safePoint?: { step: number; state?: Buffer };
}
