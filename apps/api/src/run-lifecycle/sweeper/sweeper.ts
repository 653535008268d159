import { createEvent, PilothouseError } from '@pilothouse/contract';
import { systemTimers, type Clock, type Log, type Timers } from '@pilothouse/core';
import {
  heartbeatAndScan,
  terminateSilentLeader,
  findExpiredLeases,
  isDatabaseUnavailable,
  findExpiredRuns,
  fleetsWithBacklog,
  markWorkersDisconnected,
  findOverdueCancels,
  tryLeadSweeper,
  findTimedOutQuestions,
  type ExpiredLease,
  type Pool,
  type PoolClient,
  type RunWriter,
  type SweepFindings,
} from '@pilothouse/infra-db';
import { hit } from '@pilothouse/infra-fault';
import { closeWithin } from '../../common/shutdown.ts';
import { PeriodicJob, type JobName } from '../../common/periodic-job.ts';
import type { RunDispatcher } from '../run-dispatcher.ts';
import { writeReturn, requeueOrFail } from '../requeue.ts';
import { SweeperTaskRunner, type SweeperTaskName } from './sweep-tasks.ts';

export interface SweeperDeps {
  pool: Pool;
  writer: Pick<RunWriter, 'write'>;
  dispatcher: RunDispatcher;
  clock: Clock;
  log: Log;
  leaseMs: number;
  /** Milliseconds between two sweeps. */
  everyMs: number;
  /** Time after which a claim without acceptance is returned. */
  acceptMs: number;
  /** Time without a heartbeat after which a sweeper loses leadership. */
  silentMs: number;
  /** Releases idle control sessions. */
  releaseIdleControl(): Promise<void>;
  /** Lost attempts, or rejected claims in a row, after which a run fails as poison. */
  maxLost: number;
  /** Counts a task, or one item of it, that failed. */
  onTaskFailure?(task: SweeperTaskName): void;
  /** Counts a sweep that failed. */
  onFailure?(job: JobName): void;
  timers?: Timers;
}

/** Time for a worker to confirm a cancellation before the run is cancelled without it. */
const CANCEL_GRACE_MS = 10_000;

/** Event loop turns of a gateway from a claim to its acceptance; each may be as late as the last sweep. */
const LAG_FACTOR = 4;

/** Time from a job to its claim before the run is enqueued again. */
const JOB_GRACE_MS = 2_000;

/** Deadline of a sweep. */
const SWEEP_DEADLINE_MS = 30_000;

/** Time for the sweep in progress at shutdown. */
const STOP_MS = 1_000;

/** Interval at which stale jobs are removed from Redis. */
const CLEAN_EVERY_MS = 60_000;

/**
 * Repairs what dead processes left behind. One sweeper is active over all replicas. Every change is a fenced write, so that a late or
 * repeated sweep changes nothing.
 */
export class Sweeper {
  private readonly options: SweeperDeps;
  private leader: PoolClient | undefined;
  private readonly timers: Timers;
  private readonly job: PeriodicJob;
  private readonly tasks: SweeperTaskRunner;
  /** Queue repair in progress. */
  private queueRepair: Promise<void> | undefined;
  /** Monotonic milliseconds after which stale jobs are removed. */
  private cleanAfter = performance.now() + CLEAN_EVERY_MS;
  private isStopped = false;
  /** Monotonic milliseconds before which no lease is reclaimed. */
  private reclaimAfter = 0;
  /** The role may not terminate the connection of a silent sweeper; logged once. */
  private isTerminationRefused = false;
  /** Delay plus duration of the last sweep. */
  private lagMs = 0;

  constructor(options: SweeperDeps) {
    this.options = options;
    const { everyMs, log, onFailure, onTaskFailure } = options;
    this.timers = options.timers ?? systemTimers;
    this.tasks = new SweeperTaskRunner({ log, ...(onTaskFailure && { onFailure: onTaskFailure }) });
    const run = async (_: AbortSignal, dueAtMs: number) => {
      await this.sweep().finally(() => (this.lagMs = this.timers.monotonic() - dueAtMs));
    };
    this.job = new PeriodicJob(
      { name: 'sweeper', everyMs, firstMs: 0, deadlineMs: SWEEP_DEADLINE_MS, run },
      { log, timers: this.timers, ...(onFailure && { onFailure }) },
    );
  }

  start(): void {
    this.job.start();
  }

  /** Stops sweeping. Waits briefly for the sweep in progress: every change is fenced, and another replica repeats it. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await closeWithin('the sweeper', Promise.all([this.job.stop(), this.queueRepair]), STOP_MS, this.options.log);
    this.releaseLeadership();
  }

  /** One sweep: becomes leader if possible, then runs the tasks that are due. */
  async sweep(): Promise<void> {
    const findings = await this.beginSweep();
    if (!findings) return;
    const { pool, log, releaseIdleControl } = this.options;
    const areLeasesDue = findings.hasExpiredLeases && performance.now() >= this.reclaimAfter;
    await this.tasks.run({
      leases: { isDue: areLeasesDue, run: () => this.reclaimExpiredLeases() },
      expired: { isDue: findings.hasExpiredRuns, run: () => this.failExpiredRuns() },
      cancels: { isDue: findings.hasOverdueCancels, run: () => this.endOverdueCancels() },
      questions: { isDue: findings.unanswered, run: () => this.failTimedOutQuestions() },
      control_sessions: { isDue: findings.hasIdleControl, run: () => releaseIdleControl() },
      workers: {
        isDue: findings.hasDisconnectedWorkers,
        run: async () => {
          for (const worker of await markWorkersDisconnected(pool, this.goneMs))
            log.warn({ worker }, 'A worker went away');
        },
      },
      backlog: { isDue: findings.backlog, run: () => this.admit() },
    });
    this.queueRepair ??= this.repairQueue(findings.hasStaleAdmissions).finally(() => (this.queueRepair = undefined));
  }

  /** Fills free slots from the backlog. A sweep waits at most one interval per fleet. */
  private async admit(): Promise<void> {
    const { pool, dispatcher: dispatch, everyMs } = this.options;
    for (const fleet of await fleetsWithBacklog(pool))
      await this.tasks.settleEach(
        'backlog',
        [fleet],
        (name) => name,
        (name) => Promise.race([dispatch.admit(name), this.timers.delay(everyMs)]),
      );
  }

  /** Repairs the job queue. Sweeps do not wait for it, and repairs do not overlap. Never throws. */
  private async repairQueue(hasStaleAdmissions: boolean): Promise<void> {
    const { dispatcher: dispatch, log } = this.options;
    try {
      const requeuedCount = hasStaleAdmissions ? await dispatch.requeueLostJobs(JOB_GRACE_MS) : 0;
      if (requeuedCount > 0) log.info({ runs: requeuedCount }, 'lost jobs requeued');
      if (performance.now() < this.cleanAfter) return;
      this.cleanAfter = performance.now() + CLEAN_EVERY_MS;
      await dispatch.removeStaleJobs();
    } catch (error) {
      log.debug({ error: String(error) }, 'Redis is unavailable; the job queue is repaired later');
    }
  }

  private releaseLeadership(): void {
    this.leader?.release(true);
    this.leader = undefined;
  }

  /**
   * Milliseconds that a worker has to accept a claim. More where this replica is behind: what it has not read yet may be the answer, and
   * runs that are taken back for that make it no faster.
   */
  private get acceptMs(): number {
    return this.options.acceptMs + LAG_FACTOR * this.lagMs;
  }

  /** Time without a renewal after which a worker is disconnected. */
  private get goneMs(): number {
    return Math.max(3 * this.options.leaseMs, 10_000);
  }

  /** @returns tasks that are due; null when another replica is the leader */
  private async beginSweep(): Promise<SweepFindings | null> {
    const { everyMs, leaseMs, log } = this.options;
    if (!this.leader) await this.tryBecomeLeader();
    if (!this.leader) return null;
    const times = { acceptMs: this.acceptMs, graceMs: CANCEL_GRACE_MS, silentMs: this.goneMs, hintMs: JOB_GRACE_MS };
    const { awayMs, ...findings } = await this.heartbeat(this.leader, times);
    // Without a sweeper, gateways or the database may have been unavailable: workers get one lease time to renew.
    if (awayMs === null || awayMs > Math.max(4 * everyMs, 2_000)) {
      this.reclaimAfter = performance.now() + leaseMs;
      if (awayMs !== null)
        log.info({ awayMs: Math.round(awayMs), leaseMs }, 'Sweeping again; leases are left alone for one lease time');
    }
    return findings;
  }

  /** @throws what the query does; leadership ends with its connection */
  private async heartbeat(leader: PoolClient, times: Parameters<typeof heartbeatAndScan>[1]) {
    try {
      return await heartbeatAndScan(leader, times);
    } catch (error) {
      // Another replica meets the same error, unless the connection of this one is at fault.
      if (isDatabaseUnavailable(error)) this.releaseLeadership();
      throw error;
    }
  }

  private async tryBecomeLeader(): Promise<void> {
    const client = await this.options.pool.connect();
    try {
      const { isLeader: leads, silentMs } = await tryLeadSweeper(client);
      if (leads && !this.isStopped) {
        this.leader = client;
        return;
      }
      if (!leads) await this.replaceSilentLeader(client, silentMs);
      // Leadership that arrives after `stop` is given up: the lock ends with the connection.
      client.release(leads);
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  /**
   * Ends the turn of a sweeper whose process is stopped or cut off; the next try then leads. Patient where this replica is behind itself:
   * that one may be, too, and only changes places with it.
   * @param silentForMs milliseconds since a sweeper was last heard of
   */
  private async replaceSilentLeader(client: PoolClient, silentForMs: number | null): Promise<void> {
    const { log } = this.options;
    const silentMs = this.options.silentMs + LAG_FACTOR * this.lagMs;
    if (silentForMs === null || silentForMs < silentMs) return;
    try {
      const isTerminated = await terminateSilentLeader(client, silentMs);
      if (isTerminated)
        log.warn({ silentForMs: Math.round(silentForMs) }, 'The sweeper is silent; another one takes its turn');
    } catch (error) {
      if (this.isTerminationRefused) return;
      this.isTerminationRefused = true;
      log.error(
        { error: String(error), silentForMs: Math.round(silentForMs) },
        'The sweeper is silent, and its connection cannot be ended: nothing is swept until its process goes on or ends. Let all replicas use one role of PostgreSQL, or grant pg_signal_backend',
      );
    }
  }

  /** Queues the runs of expired leases. */
  private async reclaimExpiredLeases(): Promise<void> {
    const { acceptMs } = this;
    const leases = await findExpiredLeases(this.options.pool, acceptMs);
    await this.tasks.settleEach(
      'leases',
      leases,
      ({ run }) => run,
      (lease) => this.reclaim(lease, acceptMs),
    );
  }

  /** The write checks the lease again: it may be renewed, or the claim extended, in the meantime. */
  private async reclaim(lease: ExpiredLease, acceptMs: number): Promise<void> {
    const { writer, clock, log, dispatcher: dispatch, maxLost } = this.options;
    const { run, epoch, worker, accepted, cancelledBy, isWaiting: waits } = lease;
    const now = clock.now();
    const guard = { epoch, ...(accepted ? { ifLeaseExpired: true } : { ifUnacceptedMs: acceptMs }) };
    if (cancelledBy !== null) {
      const events = [createEvent('run.cancelled', `Cancelled by ${cancelledBy}`, { requestedBy: cancelledBy }, now)];
      await writer.write({ run, guard: { ...guard, from: ['running', 'awaiting_user'] }, to: 'cancelled', events });
      return;
    }
    if (waits) {
      const message = `Worker ${worker ?? ''} went away; the question stays`;
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
      at: now,
      max: maxLost,
    });
    const returnedRun = await writeReturn((one) => writer.write(one), { run, guard, change: outcome, at: now });
    if (returnedRun?.status !== 'queued') return;
    log.warn({ run, epoch, worker, code: error.code }, 'run requeued');
    await hit('sweeper.reclaimed', run);
    dispatch.onBacklog(returnedRun.fleet);
  }

  /** Fails runs that waited too long for a worker. */
  private async failExpiredRuns(): Promise<void> {
    const { pool, writer, clock } = this.options;
    const now = clock.now();
    await this.tasks.settleEach(
      'expired',
      await findExpiredRuns(pool),
      ({ run }) => run,
      ({ run, waitedSeconds }) => {
        const error = new PilothouseError(
          'RUN_EXPIRED',
          `No worker took the run within ${Math.round(waitedSeconds)} s`,
        );
        const events = [createEvent('run.failed', error.message, { error: error.view(), step: null }, now, 'error')];
        return writer.write({ run, guard: { from: ['queued'], epoch: 0 }, to: 'failed', error: error.view(), events });
      },
    );
  }

  /** Cancels runs whose worker did not answer in time. */
  private async endOverdueCancels(): Promise<void> {
    const { pool, writer, clock } = this.options;
    const now = clock.now();
    const overdue = await findOverdueCancels(pool, CANCEL_GRACE_MS);
    await this.tasks.settleEach(
      'cancels',
      overdue,
      ({ run }) => run,
      ({ run, epoch, by }) => {
        const events = [
          createEvent(
            'run.cancelled',
            `Cancelled by ${by}; the worker did not answer`,
            { requestedBy: by },
            now,
            'warn',
          ),
        ];
        return writer.write({ run, guard: { from: ['running', 'awaiting_user'], epoch }, to: 'cancelled', events });
      },
    );
  }

  /** Fails runs whose question was not answered in time. */
  private async failTimedOutQuestions(): Promise<void> {
    const { pool, writer, clock } = this.options;
    const now = clock.now();
    await this.tasks.settleEach(
      'questions',
      await findTimedOutQuestions(pool),
      ({ run }) => run,
      ({ run, epoch, waitedSeconds, question }) => {
        const { step } = question;
        const error = new PilothouseError(
          'ANSWER_TIMED_OUT',
          `No one answered the question about step ${step + 1} within ${Math.round(waitedSeconds)} s`,
        );
        const events = [createEvent('run.failed', error.message, { error: error.view(), step }, now, 'error')];
        // The run may have another question by now.
        const guard = { from: ['awaiting_user'] as const, epoch, ifQuestion: question };
        return writer.write({ run, guard, to: 'failed', error: error.view(), events });
      },
    );
  }
}
