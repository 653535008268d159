import type { WorkerProcess } from '../system/process-cleanup.ts';
import type { StepFacts } from '../plan/random-workflow.ts';

/** A run as the database has it. */
export interface RunFacts {
  readonly id: string;
  readonly status: string;
  readonly epoch: number;
  readonly eventSeq: number;
  /** Steps that its budget was charged for. */
  readonly usedSteps: number;
  readonly errorCode: string | null;
  readonly hasLease: boolean;
  readonly hasSafePoint: boolean;
  /** Its Idempotency-Key. */
  readonly key: string;
  readonly onWorkerLost: string | null;
  readonly steps: readonly StepFacts[];
}

export interface EventFacts {
  readonly run: string;
  readonly seq: number;
  readonly epoch: number;
  /** As its worker numbered it; null when the system wrote it. */
  readonly n: number | null;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** When it became durable, in milliseconds since 1970. */
  readonly durableAt: number;
}

/** Something that the site received. */
export interface TraceFacts {
  readonly kind: 'letter' | 'visit';
  readonly run: string;
  readonly epoch: number;
  readonly step: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What healed the runs of a workflow, and what came of it. */
export interface RepairFacts {
  readonly workflow: string;
  /** Runs of it that completed, and had a step healed. */
  readonly healed: number;
  /** Versions that are proposed because of them, and were not given up for another. */
  readonly proposals: number;
}

/** What an agent did in a run, as it was kept at one time, to be done again in others. */
export interface CachedActionFacts {
  readonly run: string;
  /** Turns that were kept together, and how many of them say that the goal is reached. */
  readonly turns: number;
  readonly ends: number;
  /** When it became durable, in milliseconds since 1970. */
  readonly at: number;
}

/** What a client was told. */
export interface Submission {
  readonly key: string;
  /** Every run that an answer named. */
  readonly runs: readonly string[];
}

/** A worker that was told to end, and did. */
export interface Drained {
  readonly worker: string;
  /** When it was seen to be gone, in milliseconds since 1970. */
  readonly exitedAt: number;
}

/** What the harness did that a run may answer for. */
export interface CaseActions {
  /** Runs that were asked to stop. */
  readonly cancelled: ReadonlySet<string>;
  /** Runs that were dismissed while they waited for a person. */
  readonly dismissed: ReadonlySet<string>;
  /** Codes with which a run of this case may fail, besides those its workflow allows. */
  readonly mayFail: readonly string[];
  /** The worker that was told to end, where nothing else is done to the case. */
  readonly drained: Drained | null;
}

/** All that is known of a case when it is over. */
export interface CaseFacts {
  readonly runs: readonly RunFacts[];
  readonly events: readonly EventFacts[];
  readonly traces: readonly TraceFacts[];
  readonly repairs: readonly RepairFacts[];
  readonly cachedActions: readonly CachedActionFacts[];
  readonly submissions: readonly Submission[];
  readonly actions: CaseActions;
  /** What workers that are gone have left alive. */
  readonly leftProcesses: readonly WorkerProcess[];
}
