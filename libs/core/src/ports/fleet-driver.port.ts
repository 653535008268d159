import type { ConditionReason, FleetConfig } from '@pilothouse/contract/fleet/fleet.schema';
import type { Context } from './runtime.port.ts';

/** Properties of a fleet that a driver needs to create a worker. */
export type WorkerPlan = Pick<FleetConfig, 'slots' | 'surface'> & { readonly fleet: string };

/** A condition: reason and message. */
export interface WorkerIssue {
  readonly reason: ConditionReason;
  /** For people; never a secret. */
  readonly message: string;
}

/**
 * Times at which a worker was created, got a machine, and started its process. Milliseconds since 1970, by the clock of
 * the controller.
 */
export interface StartProgress {
  readonly createdAt?: number;
  readonly scheduledAt?: number;
  readonly startedAt?: number;
}

/** A worker that exists: a process or a pod. */
export interface DriverWorker {
  readonly name: string;
  readonly fleet: string;
  /** `stopping`: it was asked to stop and still runs. */
  readonly state: 'running' | 'stopping';
  /** Milliseconds since 1970, by the clock of the controller. */
  readonly startedAt: number;
  /** Template of the worker. */
  readonly template?: string;
  /** Reason why it does not start, or why its machine was lost. */
  readonly issue?: WorkerIssue;
  /** Its machine does not respond. It cannot be stopped; only its record exists. */
  readonly isNodeLost?: boolean;
  /** True if its machine is protected from eviction; see `setEvictionProtection`. */
  readonly isEvictionProtected?: boolean;
  /** Progress of its start, if this controller created it. */
  readonly progress?: StartProgress;
}

/** A worker that ended. */
export interface WorkerExit {
  readonly name: string;
  readonly fleet: string;
  /** Description for people, e.g. `exit code 1` or `SIGKILL`. */
  readonly description: string;
  /** Milliseconds from its start to its end. */
  readonly ageMs: number;
  /** Reason of its end, if known. */
  readonly reason?: ConditionReason;
}

/** Error of `create` with a known reason. */
export class CreateError extends Error {
  override readonly name = 'CreateError';
  readonly reason: ConditionReason;

  constructor(reason: ConditionReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Creates and stops workers. The caller chooses unique names and never reuses them. A driver makes no decisions: it restarts nothing. */
export interface FleetDriver {
  /**
   * All existing workers, including those created before the controller started.
   * @throws any error if the current state is unknown; the controller then decides nothing
   */
  list(context: Context): Promise<readonly DriverWorker[]>;
  /**
   * Creates a worker. Resolves when it exists, not when it is ready.
   * @throws CreateError, or any error whose message says how to fix it
   */
  create(plan: WorkerPlan, name: string, context: Context): Promise<void>;
  /**
   * Asks a worker to hand back its runs and stop, and kills it after the grace period. Resolves when asked; `list` shows the result.
   * Unknown names are ignored.
   */
  stop(name: string, context: Context): Promise<void>;
  /**
   * Reports every worker that ended.
   * @returns a function that unsubscribes
   */
  onExit(listener: (exit: WorkerExit) => void): () => void;
  /** Called before the controller exits. Ends workers that depend on it, within the deadline; others stay. */
  close(context: Context): Promise<void>;

  /** Current template for new workers of a fleet. Omitted by drivers whose workers end with the controller. */
  template?(fleet: string): string | undefined;
  /** Removes the record of a `lost` worker, which must not hold a run. */
  discard?(name: string, context: Context): Promise<void>;
  /** Protects the machine of a worker from removal to save cost, or ends the protection. */
  setEvictionProtection?(name: string, isEvictionProtected: boolean, context: Context): Promise<void>;
  /** Reports the conditions of a fleet to operators of the machines. Never throws; repeated reports are dropped. */
  reportIssue?(fleet: string, issue: WorkerIssue): void;
}

/** Reasons for creating workers. */
export const createReasons = ['below-min', 'waiting', 'idle-target'] as const;
export type CreateReason = (typeof createReasons)[number];

/** Reasons for draining an idle worker. */
export const drainReasons = ['cooldown', 'above-max', 'old-template'] as const;
export type DrainReason = (typeof drainReasons)[number];

/** Reasons for stopping a worker: it does not work, did not exit, or is not needed. */
export const stopReasons = ['start-timeout', 'drain-timeout', 'out-of-touch', 'old-template', 'not-needed'] as const;
export type StopReason = (typeof stopReasons)[number];

/** Reasons for creating fewer workers than required. */
export const holdReasons = ['paused', 'backoff', 'at-max'] as const;
export type HoldReason = (typeof holdReasons)[number];

/** Scaling decision for a fleet. Reasons are closed sets, because they are metric labels. */
export type ScalingAction =
  | { readonly action: 'create'; readonly count: number; readonly reason: CreateReason }
  | { readonly action: 'drain'; readonly worker: string; readonly reason: DrainReason }
  | { readonly action: 'stop'; readonly worker: string; readonly reason: StopReason };

/** Required workers that are not created, with the reason. */
export interface HeldCreation {
  readonly count: number;
  readonly reason: HoldReason;
}
