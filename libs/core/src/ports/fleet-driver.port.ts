import type { ConditionReason, FleetConfig } from '@pilothouse/contract';
import type { Context } from './runtime.port.ts';

/** What a driver needs to know of a fleet to make a worker for it. */
export type WorkerPlan = Pick<FleetConfig, 'slots' | 'surface'> & { readonly fleet: string };

/** What is wrong, by name and in words. */
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
  /** `stopping`: it was told to end and has not yet. */
  readonly state: 'running' | 'stopping';
  /** Milliseconds since 1970, by the clock of the controller. */
  readonly startedAt: number;
  /** Which template it was made from. */
  readonly template?: string;
  /** What keeps it from starting, or took its machine away. */
  readonly issue?: WorkerIssue;
  /** Its machine no longer answers: nobody can end it, and only its record is left. */
  readonly isNodeLost?: boolean;
  /** Whether its machine is kept for it; see `guard`. */
  readonly isEvictionProtected?: boolean;
  /** How far its start came, where this controller saw it. */
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
  /** What ended it, where that has a name. */
  readonly reason?: ConditionReason;
}

/** Thrown by `create` where what is wrong has a name of its own. */
export class CreateError extends Error {
  override readonly name = 'CreateError';
  readonly reason: ConditionReason;

  constructor(reason: ConditionReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Makes and ends workers. Names are chosen by the caller, unique, and never used again.
 * A driver decides nothing: it does not restart what ended.
 */
export interface FleetDriver {
  /**
   * All workers that exist, also those made before the controller started, where the driver keeps them.
   * @throws any error where it does not know what exists now: then nothing is decided
   */
  list(context: Context): Promise<readonly DriverWorker[]>;
  /**
   * Makes a worker; done when it exists, not when it is ready.
   * @throws CreateError, or any error: its message says in a sentence what to mend
   */
  create(plan: WorkerPlan, name: string, context: Context): Promise<void>;
  /**
   * Asks the worker to hand back what it holds and to end, and ends it by force after the driver's grace.
   * Done when asked; that the worker ended is seen in `list`. Nothing happens where there is none of this name.
   */
  stop(name: string, context: Context): Promise<void>;
  /** Tells of every worker that ends, as soon as it is seen. Returns what stops the telling. */
  onExit(listener: (exit: WorkerExit) => void): () => void;
  /** The controller goes. Workers that cannot live without it end, within the deadline; others stay. */
  close(context: Context): Promise<void>;

  /** The template that workers of a fleet are made from now. Left out by drivers whose workers end with the controller. */
  template?(fleet: string): string | undefined;
  /** Removes the record of a worker that is `lost`. Only for one that holds no run. */
  discard?(name: string, context: Context): Promise<void>;
  /** Says whether the machine of a worker may be taken away for reasons of economy: not while it is guarded. */
  setEvictionProtection?(name: string, isEvictionProtected: boolean, context: Context): Promise<void>;
  /** Tells the people who run the machines what is wrong with a fleet. Never throws; too much of the same is left out. */
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

/** What to do about a fleet. The reasons are closed sets: they are labels of metrics. */
export type ScalingAction =
  | { readonly action: 'create'; readonly count: number; readonly reason: CreateReason }
  | { readonly action: 'drain'; readonly worker: string; readonly reason: DrainReason }
  | { readonly action: 'stop'; readonly worker: string; readonly reason: StopReason };

/** Workers that are wanted and not created, and why. */
export interface HeldCreation {
  readonly count: number;
  readonly reason: HoldReason;
}
