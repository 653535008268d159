import type { WorkerProcess } from '../system/process-cleanup.ts';
import type { StepFacts } from '../plan/random-workflow.ts';

/** A run as stored in the database. */
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
  /** Number assigned by the worker; null when the system wrote it. */
  readonly n: number | null;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Commit time in milliseconds since 1970. */
  readonly durableAt: number;
}

/** A request that the site received. */
export interface TraceFacts {
  readonly kind: 'letter' | 'visit';
  readonly run: string;
  readonly epoch: number;
  readonly step: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Healed steps of a workflow and the resulting proposals. */
export interface RepairFacts {
  readonly workflow: string;
  /** Completed runs with a healed step. */
  readonly healed: number;
  /** Proposed versions that were not superseded. */
  readonly proposals: number;
}

/** Actions of an agent as cached at one time, for replay in other runs. */
export interface CachedActionFacts {
  readonly run: string;
  /** Turns that were stored together, and how many of them report the goal as reached. */
  readonly turns: number;
  readonly ends: number;
  /** Commit time in milliseconds since 1970. */
  readonly at: number;
}

/** Responses that a client received. */
export interface Submission {
  readonly key: string;
  /** Every run that a response named. */
  readonly runs: readonly string[];
}

/** A worker that received SIGTERM and exited. */
export interface Drained {
  readonly worker: string;
  /** Time at which its exit was observed, in milliseconds since 1970. */
  readonly exitedAt: number;
}

/** Actions of the harness that can explain the end of a run. */
export interface CaseActions {
  /** Canceled runs. */
  readonly cancelled: ReadonlySet<string>;
  /** Runs that were dismissed while they waited for a person. */
  readonly dismissed: ReadonlySet<string>;
  /** Error codes that are allowed in this case, in addition to those of the workflow. */
  readonly mayFail: readonly string[];
  /** The worker that received SIGTERM, when that is the only fault. */
  readonly drained: Drained | null;
}

/** All facts of a finished case. */
export interface CaseFacts {
  readonly runs: readonly RunFacts[];
  readonly events: readonly EventFacts[];
  readonly traces: readonly TraceFacts[];
  readonly repairs: readonly RepairFacts[];
  readonly cachedActions: readonly CachedActionFacts[];
  readonly submissions: readonly Submission[];
  readonly actions: CaseActions;
  /** Processes that exited workers left running. */
  readonly remainingProcesses: readonly WorkerProcess[];
}
