import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import type { TaskIsolation } from '@pilothouse/core/time/task-isolation';
import { findExpiredLeases, type ExpiredLease, type Pool, type RunWriter } from '@pilothouse/infra-db';
import { failpoint } from '@pilothouse/infra-fault';
import { requeueOrFail, writeReturn } from '../requeue.ts';
import type { RunDispatcher } from '../../dispatch/run-dispatcher.ts';
import type { SweeperTaskName } from '../../common/sweeper-task-names.ts';

export interface LeaseReclaimerDeps {
  readonly pool: Pool;
  readonly writer: Pick<RunWriter, 'write'>;
  readonly dispatcher: Pick<RunDispatcher, 'onBacklog'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly isolation: Pick<TaskIsolation<SweeperTaskName>, 'settleEach'>;
  /** Lost attempts, or rejected claims in a row, after which a run fails as poison. */
  readonly maxLost: number;
}

/** Returns runs whose worker did not renew its lease, or did not accept its claim. */
export class LeaseReclaimer {
  private readonly deps: LeaseReclaimerDeps;

  constructor(deps: LeaseReclaimerDeps) {
    this.deps = deps;
  }

  /** Queues the runs of expired leases. @param acceptMs time to accept a claim */
  async run(acceptMs: number): Promise<void> {
    const leases = await findExpiredLeases(this.deps.pool, acceptMs);
    await this.deps.isolation.settleEach(
      'leases',
      leases,
      ({ run }) => run,
      (lease) => this.reclaim(lease, acceptMs),
    );
  }

  /** The write checks the lease again: it may be renewed, or the claim extended, in the meantime. */
  private async reclaim(lease: ExpiredLease, acceptMs: number): Promise<void> {
    const { writer, clock, log, dispatcher, maxLost } = this.deps;
    const { run, epoch, worker, accepted, cancelledBy, isWaiting } = lease;
    const now = clock.now();
    const guard = { epoch, ...(accepted ? { ifLeaseExpired: true } : { ifUnacceptedMs: acceptMs }) };
    if (cancelledBy !== null) {
      const events = [createEvent('run.cancelled', `Cancelled by ${cancelledBy}`, { requestedBy: cancelledBy }, now)];
      await writer.write({ run, guard: { ...guard, from: ['running', 'awaiting_user'] }, to: 'cancelled', events });
      return;
    }
    if (isWaiting) {
      const message = `Worker ${worker ?? ''} was lost; the question stays open`;
      const events = [createEvent('run.slot_released', message, { worker }, now, 'warn')];
      const guard = { from: ['awaiting_user'] as const, epoch, ifLeaseExpired: true, ifCancelled: false };
      await writer.write({ run, guard, release: true, events });
      return;
    }
    const error = accepted
      ? new PilothouseError('WORKER_LOST', `Worker ${worker ?? ''} did not renew its lease`)
      : new PilothouseError('ASSIGNMENT_NOT_ACCEPTED', `Worker ${worker ?? ''} did not accept the run in time`);
    const outcome = requeueOrFail(lease, accepted ? 'lost' : 'rejected', {
      error: error.view(),
      worker,
      time: now,
      max: maxLost,
    });
    const returnedRun = await writeReturn((runWrite) => writer.write(runWrite), {
      run,
      guard,
      change: outcome,
      time: now,
    });
    if (returnedRun?.status !== 'queued') return;
    log.warn({ run, epoch, worker, code: error.code }, 'run requeued');
    await failpoint('sweeper.reclaimed', run);
    dispatcher.onBacklog(returnedRun.fleet);
  }
}
