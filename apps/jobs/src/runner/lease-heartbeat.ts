import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import type { ScheduledTask, TaskScheduler } from '@pilothouse/core/time/task-scheduler';
import type { JobLeases } from '@pilothouse/infra-db';
import type { JobsTaskName } from '../jobs-tasks.ts';
import { jobCancelledError, type JobAttempt } from './job-attempt.ts';

export interface LeaseHeartbeatDeps {
  readonly leases: Pick<JobLeases, 'renew'>;
  /** Attempts that have not ended. */
  readonly attempts: () => readonly JobAttempt[];
  readonly leaseMs: number;
  readonly renewMs: number;
  readonly clock: Clock;
  readonly scheduler: Pick<TaskScheduler<JobsTaskName>, 'start'>;
}

const leaseLostError = () => new PilothouseError('LEASE_LOST', 'The lease of the job was not renewed in time');

/** Renews the leases of all attempts of this process. Stops attempts that are cancelled or have lost their lease. */
export class LeaseHeartbeat {
  readonly #deps: LeaseHeartbeatDeps;
  readonly #tasks: readonly ScheduledTask[];
  /** Start of the last successful renewal by attempt, or of the first failed one. */
  readonly #renewedAt = new WeakMap<JobAttempt, number>();

  constructor(deps: LeaseHeartbeatDeps) {
    this.#deps = deps;
    const { scheduler, renewMs: everyMs, leaseMs: deadlineMs } = deps;
    // Two tasks: a renewal without an answer must not keep an expired lease.
    this.#tasks = [
      scheduler.start({ name: 'lease-expiry', everyMs, deadlineMs, run: async () => this.#abortExpired() }),
      scheduler.start({ name: 'lease-renewal', everyMs, deadlineMs, run: () => this.#renew() }),
    ];
  }

  stop(): void {
    for (const task of this.#tasks) void task.stop();
  }

  async #renew(): Promise<void> {
    const { leases, leaseMs, clock } = this.#deps;
    const attempts = this.#deps.attempts();
    if (attempts.length === 0) return;
    const startedAt = clock.monotonic();
    const renewed = await leases.renew(
      attempts.map(({ job }) => job),
      leaseMs,
    );
    const leaseOf = new Map(renewed.map((lease) => [`${lease.id} ${lease.epoch}`, lease]));
    for (const attempt of attempts) {
      const lease = leaseOf.get(`${attempt.job.id} ${attempt.job.epoch}`);
      if (!lease) attempt.abort(leaseLostError());
      else if (lease.isCancelRequested) attempt.abort(jobCancelledError());
      this.#renewedAt.set(attempt, startedAt);
    }
  }

  /** Another job runner may hold jobs whose lease was not renewed for its whole time. */
  #abortExpired(): void {
    const now = this.#deps.clock.monotonic();
    for (const attempt of this.#deps.attempts()) {
      const renewedAt = this.#renewedAt.get(attempt);
      if (renewedAt === undefined) this.#renewedAt.set(attempt, now);
      else if (now - renewedAt > this.#deps.leaseMs) attempt.abort(leaseLostError());
    }
  }
}
