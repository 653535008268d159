import { PilothouseError, toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { jobRetryDelayMs } from '@pilothouse/core/job/job-retry';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import type { Timers } from '@pilothouse/core/time/timers';
import { RECORD_RETRY_MS, retryWhileUnavailable, type ClaimedJob, type JobLeases } from '@pilothouse/infra-db';
import type { JobContext, JobHandler, JobModels } from './job-handler.ts';

/** Result of an attempt. `retried`: it failed and another one follows; `lost`: another attempt holds the job. */
export const attemptResults = ['completed', 'failed', 'retried', 'cancelled', 'handed_back', 'lost'] as const;
export type AttemptResult = (typeof attemptResults)[number];

export interface JobAttemptDeps {
  readonly leases: Pick<JobLeases, 'progress' | 'saveCheckpoint' | 'complete' | 'fail' | 'endCancelled' | 'handBack'>;
  readonly models: (job: ClaimedJob, signal: AbortSignal) => JobModels;
  readonly clock: Clock;
  readonly timers: Timers;
  /** A number between 0 and 1. */
  readonly random: () => number;
  readonly log: Log;
}

export const jobCancelledError = () => new PilothouseError('JOB_CANCELLED', 'The job was cancelled');
const handedBackError = () => new PilothouseError('JOB_HANDED_BACK', 'The job runner drains and hands the job back');

/** One attempt of a job: runs its handler, and writes its end. */
export class JobAttempt {
  readonly job: ClaimedJob;
  /** Settles when the end of the attempt is written. */
  readonly ended: Promise<AttemptResult>;
  readonly #deps: JobAttemptDeps;
  readonly #controller = new AbortController();
  #isDraining = false;

  constructor(job: ClaimedJob, handler: JobHandler, deps: JobAttemptDeps) {
    this.job = job;
    this.#deps = deps;
    if (job.isCancelRequested) this.abort(jobCancelledError());
    this.ended = this.#run(handler);
  }

  /** Stops the handler. @param reason becomes the reason of its signal */
  abort(reason: PilothouseError): void {
    this.#controller.abort(reason);
  }

  /** Hands the job back after the next checkpoint, unless it ends before. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Hands the job back now. */
  handBack(): void {
    this.abort(handedBackError());
  }

  async #run(handler: JobHandler): Promise<AttemptResult> {
    const { leases, log } = this.#deps;
    const { job } = this;
    const facts = { job: job.id, kind: job.kind, attempt: job.attempts };
    log.info(facts, 'job started');
    try {
      const result = await this.#execute(handler);
      await this.#write(() => leases.complete(job, result));
      log.info(facts, 'job completed');
      return 'completed';
    } catch (error) {
      const result = await this.#end(error).catch((cause: unknown): AttemptResult => {
        if (toPilothouseError(cause).code !== 'LEASE_LOST')
          log.error({ ...facts, error: cause }, 'end of the job not written, its lease expires');
        return 'lost';
      });
      const write = result === 'failed' ? log.error : log.info;
      write.call(log, { ...facts, result, error: toPilothouseError(error).message }, 'attempt of the job ended');
      return result;
    }
  }

  async #execute(handler: JobHandler): Promise<Json> {
    const { signal } = this.#controller;
    const params = parseParams(handler, this.job);
    const result = await handler.run(params, this.#context());
    signal.throwIfAborted();
    return result;
  }

  /** Writes the end of an attempt that did not complete. */
  async #end(thrown: unknown): Promise<AttemptResult> {
    const { leases, random } = this.#deps;
    const { job } = this;
    const { signal } = this.#controller;
    const cause = toPilothouseError(thrown);
    const isOver = signal.aborted && cause.code !== 'TUNING_NOT_CANCELLED';
    const error = isOver ? toPilothouseError(signal.reason) : cause;
    switch (error.code) {
      case 'LEASE_LOST':
        return 'lost';
      case 'JOB_CANCELLED':
        await this.#write(() => leases.endCancelled(job));
        return 'cancelled';
      case 'JOB_HANDED_BACK':
        await this.#write(() => leases.handBack(job));
        return 'handed_back';
      default: {
        const retryMs = jobRetryDelayMs(job.attempts, error, random);
        await this.#write(() => leases.fail(job, error.view(), retryMs));
        return retryMs === null ? 'failed' : 'retried';
      }
    }
  }

  #context(): JobContext {
    const { leases, models, log, clock, timers } = this.#deps;
    const { id, epoch, project, checkpoint } = this.job;
    const { signal } = this.#controller;
    const throwIfStopping = () => {
      signal.throwIfAborted();
      if (this.#isDraining) throw handedBackError();
    };
    return {
      ...{ id, epoch, project, checkpoint, signal, log, clock, throwIfStopping },
      models: models(this.job, signal),
      delay: (ms) => timers.delay(ms, signal),
      progress: async (done, total, unit, detail) => {
        signal.throwIfAborted();
        await this.#write(() =>
          leases.progress(this.job, {
            done,
            total,
            unit,
            ...(detail !== undefined && { detail: detail.slice(0, 100) }),
          }),
        );
      },
      saveCheckpoint: async (value) => {
        signal.throwIfAborted();
        await this.#write(() => leases.saveCheckpoint(this.job, value));
        throwIfStopping();
      },
    };
  }

  #write(statement: () => Promise<void>): Promise<void> {
    const { clock, timers } = this.#deps;
    return retryWhileUnavailable(statement, { clock, timers, deadline: clock.monotonic() + RECORD_RETRY_MS });
  }
}

/** @throws PilothouseError VALIDATION_FAILED */
function parseParams(handler: JobHandler, { kind, params }: ClaimedJob): unknown {
  try {
    return handler.params.parse(params);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new PilothouseError('VALIDATION_FAILED', `The parameters of the ${kind} job are not valid: ${detail}`, {
      cause,
    });
  }
}
