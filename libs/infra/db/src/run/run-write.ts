import type {
  RunAnswer,
  ErrorView,
  EventDraft,
  Json,
  NewEvent,
  RunQuestion,
  RunStatus,
  StepStatus,
  Tier,
} from '@pilothouse/contract';

/** What has to be true of the row for a write to happen. */
export interface RunGuard {
  /** Statuses the run may be in. */
  from: readonly RunStatus[];
  /** The attempt that writes: the fencing token. */
  epoch?: number;
  /** The session that holds the lease. */
  session?: string;
  /** Number of the hint; the run has to be admitted, too. */
  dispatch?: number;
  /** Only if the lease has ended by the clock of the database. */
  ifLeaseExpired?: boolean;
  /** Only if no worker has accepted the claim. */
  ifUnaccepted?: boolean;
  /** Only if no worker has accepted the claim for so many milliseconds by the clock of the database, or for as long as its lease. */
  ifUnacceptedMs?: number;
  /** Whether it still has its slot, for a run that waits for a person. */
  ifHasSlot?: boolean;
  /** Only while this is what it asks. */
  ifQuestion?: RunQuestion;
  /** Whether somebody has asked it to stop. */
  ifCancelled?: boolean;
  /** Number of the last event that its worker wrote. With events of the worker they say it. */
  ifLastSequence?: number;
}

/** State of a step after a write. */
export interface CheckpointWrite {
  step: number;
  /** Where it stands, unless its number says it. */
  path?: string;
  status: StepStatus;
  tier?: Tier | null;
  /** Attempts of the step that began; left out: as many as before, or one. */
  attempts?: number | undefined;
  value?: Json;
  error?: ErrorView;
  verifiable?: boolean;
  startedAt?: string;
  finishedAt?: string;
}

/** One change of one run, all or nothing. */
export interface RunWrite {
  run: string;
  guard: RunGuard;
  /** The next status; none: the status stays. `queued` → `running` is a claim: the epoch goes up, a lease begins, and the opening intent is made; none by a session that drains. */
  to?: RunStatus;
  claim?: { session: string; worker: string; leaseMs: number; at: string };
  /** The worker took the claim; with milliseconds its lease is renewed, too. */
  accept?: { leaseMs?: number };
  /** Gives the slot back while the run goes on waiting for a person. */
  release?: boolean;
  /** The attempt lost its worker or its surface: it counts towards the limit of poison runs. */
  countsAsLost?: boolean;
  /** No worker accepted the claim: it counts towards the limit, until one does. */
  countsAsRejected?: boolean;
  /** With `awaiting_user`: what is asked, and for how many seconds. */
  question?: { question: RunQuestion; seconds: number };
  /** What a person answered. It is gone as soon as a step begins; where an element was looked for, a later one than that step. */
  answer?: RunAnswer;
  output?: Json;
  error?: ErrorView;
  /** Asks for cancellation, by whom. */
  cancelledBy?: string;
  usedSteps?: number;
  /** Steps that were carried out, and those of them that took a model. */
  completedSteps?: { total: number; byModel: number };
  /** Attempts of steps that failed and are followed by another one. */
  stepRetries?: number;
  /** What models took. */
  modelUsage?: { calls: number; tokens: number; usd: number };
  currentStep?: number;
  /** With `n`: by the worker; the first has to follow the last one that is written, or nothing is changed. Without: by the house. They come last. */
  events?: readonly (EventDraft | NewEvent)[];
  checkpoints?: readonly CheckpointWrite[];
  /** Where an attempt may go on from now on; without a state the one kept by this attempt still holds. */
  safePoint?: { step: number; state?: Buffer };
}
