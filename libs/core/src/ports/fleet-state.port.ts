import type { ConditionReason, FleetConfig, WorkerState } from '@pilothouse/contract';
import type { ScalingAction } from './fleet-driver.port.ts';
import type { Context } from './runtime.port.ts';

/** A worker as the gateway knows it. Instants are milliseconds since 1970, by the clock of the store. */
export interface FleetWorkerState {
  readonly id: string;
  readonly name: string;
  /** May leave out `disconnected` workers that were not seen within the last ten minutes. */
  readonly state: WorkerState;
  readonly slots: number;
  /** Runs that are leased to it now; 0 once its leases ended. */
  readonly busy: number;
  /** Since when no run is leased to it; null while one is. */
  readonly idleSince: number | null;
  readonly startedAt: number;
  readonly lastSeenAt: number;
  /** Since when it is to drain; null: it is not. */
  readonly drainingSince: number | null;
  /** It takes nothing new, and stays; left out: it does not. */
  readonly cordoned?: boolean;
}

/** A stored condition of a fleet. */
export interface ConditionRecord {
  readonly reason: ConditionReason;
  readonly message: string;
  /** Milliseconds since 1970, by the clock of the store. */
  readonly lastSeenAt: number;
}

/** Something that was seen to be wrong. */
export interface ConditionReport {
  readonly reason: ConditionReason;
  readonly message: string;
  /** Number of new occurrences; 0: the condition persists. */
  readonly times: number;
}

/** All that scaling needs to know of a fleet, read at one moment. */
export interface FleetSnapshot {
  readonly fleet: string;
  readonly surface: FleetConfig['surface'];
  readonly config: Pick<FleetConfig, 'minWorkers' | 'maxWorkers' | 'idleSlots' | 'slots' | 'cooldownSeconds'> & {
    readonly paused: boolean;
  };
  /** Queued runs that could start now; those that a limit of their project or a pause holds back do not count. */
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
  /** Workers it was carried out on. */
  readonly workers: readonly string[];
  /** Why it was not, or not fully, carried out. */
  readonly error: string | null;
}

/** The right to act, held by one controller at a time. */
export interface Leadership {
  /** Aborts as soon as the right may have passed on (the connection that held it broke). */
  readonly lost: AbortSignal;
  /** Gives the right back. Never throws. */
  release(): Promise<void>;
}

/** Lets one controller act at a time. */
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
   * Bars a worker that never joined, before it is stopped: should it join after all, it gets no run.
   * @returns as `markDraining` where it has joined meanwhile; then it is not barred
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

/** A worker, by the fleet and the name it was made with. */
export interface FleetWorkerRef {
  readonly fleet: string;
  readonly name: string;
}
