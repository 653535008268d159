import type { ConditionReason, FleetConfig } from '@pilothouse/contract';
import type { Context } from './runtime.port.ts';

/** Properties of a fleet that a driver needs to create a worker. */
export type WorkerPlan = Pick<FleetConfig, 'slots' | 'surface'> & { readonly fleet: string };

/** A condition: reason and message. */
export interface WorkerIssue {
  readonly reason: ConditionReason;
  /** For people; never a secret. */
  readonly message: string;
}

/** When a worker was made, got a machine, and when its process began: milliseconds since 1970, by the clock of the controller. */
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
  /** Which template it was made from. */
  readonly template?: string;
  /** Why it does not start, or why its machine was lost. */
  readonly issue?: WorkerIssue;
  /** Its machine does not respond. It cannot be stopped; only its record exists. */
  readonly isNodeLost?: boolean;
  /** Whether its machine is protected from eviction; see `guard`. */
  readonly isEvictionProtected?: boolean;
  /** Progress of its start, if this controller created it. */
  readonly progress?: StartProgress;
}

/** A worker that ended. */
export interface WorkerExit {
  readonly name: string;
  readonly fleet: string;
  /** In words, e.g. `exit code 1` or `SIGKILL`. */
  readonly description: string;
  /** Milliseconds it lived. */
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
  /** The controller goes. Workers that cannot live without it end, within the deadline; others stay. */
  close(context: Context): Promise<void>;

  /** The template that workers of a fleet are made from now. Left out by drivers whose workers end with the controller. */
  template?(fleet: string): string | undefined;
  /** Removes the record of a `lost` worker, which must not hold a run. */
  discard?(name: string, context: Context): Promise<void>;
  /** Sets whether the machine of a worker may be removed to save cost. Guarded machines may not. */
  setEvictionProtection?(name: string, isEvictionProtected: boolean, context: Context): Promise<void>;
  /** Reports the conditions of a fleet to operators of the machines. Never throws; repeated reports are dropped. */
  reportIssue?(fleet: string, issue: WorkerIssue): void;
}

/** Why workers are created. */
export const createReasons = ['below-min', 'waiting', 'idle-target'] as const;
export type CreateReason = (typeof createReasons)[number];

/** Why an idle worker is asked to go. */
export const drainReasons = ['cooldown', 'above-max', 'old-template'] as const;
export type DrainReason = (typeof drainReasons)[number];

/** Why a worker is ended that should be working, or gone, or need not come. */
export const stopReasons = ['start-timeout', 'drain-timeout', 'out-of-touch', 'old-template', 'not-needed'] as const;
export type StopReason = (typeof stopReasons)[number];

/** Why fewer workers are created than are wanted. */
export const holdReasons = ['paused', 'backoff', 'at-max'] as const;
export type HoldReason = (typeof holdReasons)[number];

/** Scaling decision for a fleet. Reasons are closed sets, because they are metric labels. */
export type ScalingAction =
  | { readonly action: 'create'; readonly count: number; readonly reason: CreateReason }
  | { readonly action: 'drain'; readonly worker: string; readonly reason: DrainReason }
  | { readonly action: 'stop'; readonly worker: string; readonly reason: StopReason };

/** Workers that are wanted and not created, and why. */
export interface HeldCreation {
  readonly count: number;
  readonly reason: HoldReason;
}
