import type { ConditionReason, FleetConfig, WorkerState } from '@pilothouse/contract/fleet/fleet.schema';
import type { ScalingAction } from './fleet-driver.port.ts';
import type { Context } from './runtime.port.ts';

/** State of a worker in the store. Times are milliseconds since 1970, by the clock of the store. */
export interface FleetWorkerState {
  readonly id: string;
  readonly name: string;
  /** May leave out `disconnected` workers that were not seen within the last ten minutes. */
  readonly state: WorkerState;
  readonly slots: number;
  /** Runs that are leased to it now; 0 once its leases ended. */
  readonly busy: number;
  /** Time since when it has no leased run; null while it has one. */
  readonly idleSince: number | null;
  readonly startedAt: number;
  readonly lastSeenAt: number;
  /** Time of the request to drain; null: not draining. */
  readonly drainingSince: number | null;
  /** True if it accepts no new runs but is not stopped. Default: false. */
  readonly cordoned?: boolean;
}

/** A stored condition of a fleet. */
export interface ConditionRecord {
  readonly reason: ConditionReason;
  readonly message: string;
  /** Milliseconds since 1970, by the clock of the store. */
  readonly lastSeenAt: number;
}

/** Report of a fleet's problem. */
export interface ConditionReport {
  readonly reason: ConditionReason;
  readonly message: string;
  /** Number of new occurrences; 0: the condition persists. */
  readonly times: number;
}

/** Consistent snapshot of a fleet for scaling. */
export interface FleetSnapshot {
  readonly fleet: string;
  readonly surface: FleetConfig['surface'];
  readonly config: Pick<FleetConfig, 'minWorkers' | 'maxWorkers' | 'idleSlots' | 'slots' | 'cooldownSeconds'> & {
    readonly paused: boolean;
  };
  /** Number of queued runs that could start now. Runs blocked by a project limit or a pause do not count. */
  readonly waiting: number;
  readonly workers: readonly FleetWorkerState[];
  readonly conditions: readonly ConditionRecord[];
  /** The clock of the store when it was read, in milliseconds since 1970. */
  readonly observedAt: number;
}

/** A decision and its result, for the history. */
export interface DecisionRecord {
  readonly fleet: string;
  readonly decision: ScalingAction;
  /** Names of the affected workers. */
  readonly workers: readonly string[];
  /** Reason why it failed completely or partly; null: it succeeded. */
  readonly error: string | null;
}

/** Leadership of one controller. At most one controller holds it. */
export interface Leadership {
  /** Aborts when another controller may have become the leader, because the connection of the lock is lost. */
  readonly lossSignal: AbortSignal;
  /** Releases the leadership. Never throws. */
  release(): Promise<void>;
}

/** Elects one controller as the leader. */
export interface LeaderElection {
  /**
   * Waits until this controller is the leader.
   * @throws the reason of the signal when it aborts
   */
  lead(signal: AbortSignal): Promise<Leadership>;
}

/** Store of the controller. */
export interface FleetState extends LeaderElection {
  observe(context: Context): Promise<readonly FleetSnapshot[]>;
  /**
   * Marks a worker as draining if it holds no lease, in one transaction. It gets no more runs, and its next renewal tells it to drain.
   * @returns `holds-run`, or `unknown` if it never joined: nothing changed
   */
  markDraining(worker: FleetWorkerRef, reason: string, context: Context): Promise<'marked' | 'holds-run' | 'unknown'>;
  /**
   * Blocks a worker that never joined, before it is stopped. If it joins later, it gets no run.
   * @returns as `markDraining` if the worker has joined meanwhile and is not blocked
   */
  blockWorker(worker: FleetWorkerRef, reason: string, context: Context): Promise<'barred' | 'marked' | 'holds-run'>;
  /** Stores a decision. Errors are logged only. */
  recordDecision(record: DecisionRecord, context: Context): Promise<void>;
  /** Stores the conditions of a fleet, one entry per reason. */
  recordConditions(fleet: string, reports: readonly ConditionReport[], context: Context): Promise<void>;
  /** Removes conditions with these reasons that were last seen before this time (clock of the store). */
  clearConditions(
    fleet: string,
    reasons: readonly ConditionReason[],
    seenUntil: number,
    context: Context,
  ): Promise<void>;
}

/** Identifies a worker by its fleet and its name. */
export interface FleetWorkerRef {
  readonly fleet: string;
  readonly name: string;
}
