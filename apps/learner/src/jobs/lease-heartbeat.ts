import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import type { Timer, Timers } from '@pilothouse/core/time/timers';
import type { LearningJobLeases } from '@pilothouse/infra-db';
import { jobCancelledError, type JobAttempt } from './job-attempt.ts';

export interface LeaseHeartbeatDeps {
  readonly leases: Pick<LearningJobLeases, 'renew'>;
  /** Attempts that have not ended. */
  readonly attempts: () => readonly JobAttempt[];
  readonly leaseMs: number;
  readonly renewMs: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

const leaseLostError = () => new PilothouseError('LEASE_LOST', 'The lease of the job was not renewed in time');

/** Renews the leases of all attempts of this process. Stops attempts that are cancelled or have lost their lease. */
export class LeaseHeartbeat {
  readonly #deps: LeaseHeartbeatDeps;
  readonly #timer: Timer;
  /** Start of the last successful renewal by attempt, or of the first failed one. */
  readonly #renewedAt = new WeakMap<JobAttempt, number>();
  #isRenewing = false;

  constructor(deps: LeaseHeartbeatDeps) {
    this.#deps = deps;
    this.#timer = deps.timers.setInterval(() => void this.renew(), deps.renewMs);
  }

  /** Renews all leases once. Does nothing while a renewal is in progress. */
  async renew(): Promise<void> {
    const { leases, leaseMs, clock, log } = this.#deps;
    const attempts = this.#deps.attempts();
    this.#abortExpired(attempts);
    if (this.#isRenewing || attempts.length === 0) return;
    this.#isRenewing = true;
    const startedAt = clock.monotonic();
    try {
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
    } catch (error) {
      log.warn({ error: String(error), jobs: attempts.length }, 'leases of jobs not renewed');
    } finally {
      this.#isRenewing = false;
    }
  }

  stop(): void {
    this.#deps.timers.clearInterval(this.#timer);
  }

  /** Another learner may hold jobs whose lease was not renewed for its whole time. */
  #abortExpired(attempts: readonly JobAttempt[]): void {
    const now = this.#deps.clock.monotonic();
    for (const attempt of attempts) {
      const renewedAt = this.#renewedAt.get(attempt);
      if (renewedAt === undefined) this.#renewedAt.set(attempt, now);
      else if (now - renewedAt > this.#deps.leaseMs) attempt.abort(leaseLostError());
    }
  }
}
