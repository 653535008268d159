import type { JobKind } from '@pilothouse/contract/job/job.schema';
import type { Dialect, ModelAnswer, ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import type { JobLease } from '@pilothouse/infra-db';

/** One model, which replaces those of the project. */
export interface JobModelTarget {
  /** `endpoint/model`. */
  readonly model: string;
  /** Base model, from which prices and capabilities are inherited; null: none. */
  readonly base: string | null;
  /** null: the known format of the model. */
  readonly dialect: Dialect | null;
}

/** Model calls of a job. Keys, prices, limits and budgets are those of the project and of the job. */
export interface JobModels {
  /**
   * Makes one call.
   * @param target model of the call (default: that of the project for the role)
   * @throws PilothouseError BUDGET_EXCEEDED, MODEL_NOT_CONFIGURED, MODEL_UNAVAILABLE, MODEL_REFUSED, MODEL_INVALID; the reason of the signal
   */
  generate(request: ModelRequest, target?: JobModelTarget): Promise<ModelAnswer>;
}

/** One attempt of a job. `id` and `epoch` are its lease: stores write with them in `inJobTransaction`. */
export interface JobContext extends JobLease {
  readonly project: string;
  /** Aborts when the job is cancelled, handed back, or held by another attempt. Stop then, and throw its reason. */
  readonly signal: AbortSignal;
  /** Last saved position; null: start from the beginning. */
  readonly checkpoint: Json;
  readonly models: JobModels;
  readonly log: Log;
  readonly clock: Clock;
  /** Waits. @throws the reason of the signal */
  delay(ms: number): Promise<void>;
  /**
   * Reports how far the job is.
   * @param total null: not known
   * @param unit plural noun
   * @param detail state in the words of another service
   * @throws PilothouseError LEASE_LOST
   */
  progress(done: number, total: number | null, unit: string, detail?: string): Promise<void>;
  /**
   * Stores the position from which another attempt continues.
   * @throws PilothouseError LEASE_LOST; JOB_HANDED_BACK, after it was stored, while the job runner drains; the reason of the signal
   */
  saveCheckpoint(value: Json): Promise<void>;
  /** Call after a store has saved a checkpoint by `saveJobCheckpoint`. @throws PilothouseError JOB_HANDED_BACK while the job runner drains; the reason of the signal */
  throwIfStopping(): void;
}

/** Executes the jobs of one kind. An attempt may end at any instruction, so each write is repeatable or in one transaction with its checkpoint. */
export interface JobHandler<Params = unknown> {
  /** false: attempts mostly wait for another service, so they use no slot of the job runner. Default: true. */
  readonly needsSlot?: boolean;
  /** Schema of the parameters. A job that does not match it fails without a retry. */
  readonly params: { parse(value: unknown): Params };
  /**
   * @returns the result of the job
   * @throws any error; those that a retry can repair start another attempt. TUNING_NOT_CANCELLED after a cancellation: the job does not end
   */
  run(params: Params, job: JobContext): Promise<Json>;
}

/** Handlers by the kind of their jobs. A job runner leaves jobs of other kinds to others. */
export type JobHandlers = { readonly [Kind in JobKind]?: JobHandler };
