import type { FleetConfig } from '@pilothouse/contract';
import type { Context } from './context.ts';

/** What a driver needs to know of a fleet to make a worker for it. */
export type WorkerPlan = Pick<FleetConfig, 'slots' | 'surface'> & { readonly fleet: string };

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
}

/** A worker that ended. */
export interface WorkerExit {
  readonly name: string;
  readonly fleet: string;
  /** In words, e.g. `exit code 1` or `SIGKILL`. */
  readonly how: string;
  /** Milliseconds it lived. */
  readonly age: number;
}

/**
 * Makes and ends workers. Names are chosen by the caller, unique, and never used again.
 * A driver decides nothing: it does not restart what ended.
 */
export interface FleetDriver {
  /** All workers that exist, also those made before the controller started, where the driver keeps them. */
  list(context: Context): Promise<readonly DriverWorker[]>;
  /**
   * Makes a worker; done when it exists, not when it is ready.
   * @throws any error: its message says in a sentence what to mend
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
}
