import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import { TaskIsolation } from '@pilothouse/core/time/task-isolation';
import type { ScheduledTask } from '@pilothouse/core/time/task-scheduler';
import type { Timers } from '@pilothouse/core/time/timers';
import {
  heartbeatAndScan,
  isDatabaseUnavailable,
  fleetsWithBacklog,
  HELD_LEASES,
  markWorkersDisconnected,
  type Pool,
  type PoolClient,
  type RunWriter,
  type SweepFindings,
} from '@pilothouse/infra-db';
import { closeWithin } from '../../common/shutdown.ts';
import type { ReplicaScheduler } from '../../common/periodic-tasks.ts';
import type { RunDispatcher } from '../../dispatch/run-dispatcher.ts';
import { LeaseReclaimer } from './lease-reclaimer.ts';
import { CANCEL_GRACE_MS, OverdueRuns } from './overdue-runs.ts';
import { LAG_FACTOR, SweeperLeader } from './sweeper-leader.ts';
import { runDueTasks, type SweeperTasks } from './sweeper-tasks.ts';
import type { SweeperTaskName } from '../../common/sweeper-task-names.ts';

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
  scheduler: ReplicaScheduler;
}

/** Time from a job to its claim before the run is enqueued again. */
const JOB_GRACE_MS = 2_000;

const SWEEP_DEADLINE_MS = 30_000;

/** Time for the sweep in progress at shutdown. */
const STOP_MS = 1_000;

/** Interval at which stale jobs are removed from Redis. */
const CLEAN_INTERVAL_MS = 60_000;

/**
 * Repairs the state that dead processes left. One sweeper is active over all replicas. Every change is a fenced write, so that a late or
 * repeated sweep changes nothing.
 */
export class Sweeper {
  private readonly options: SweeperDeps;
  private readonly timers: Timers;
  private task: ScheduledTask | undefined;
  private readonly isolation: TaskIsolation<SweeperTaskName>;
  private readonly leadership: SweeperLeader;
  private readonly leaseReclaimer: LeaseReclaimer;
  private readonly overdueRuns: OverdueRuns;
  /** Queue repair in progress. */
  private queueRepair: Promise<void> | undefined;
  /** Monotonic milliseconds after which stale jobs are removed. */
  private cleanAfter: number;
  /** Monotonic milliseconds before which no lease is reclaimed. */
  private reclaimAfter = 0;
  /** Delay plus duration of the last sweep. */
  private lagMs = 0;

  constructor(options: SweeperDeps) {
    this.options = options;
    const { log, onTaskFailure, pool, silentMs } = options;
    this.timers = options.scheduler.timers;
    this.cleanAfter = this.timers.monotonic() + CLEAN_INTERVAL_MS;
    this.isolation = new TaskIsolation({ log, level: 'error', onFailure: onTaskFailure });
    this.leadership = new SweeperLeader({ pool, log, silentMs });
    this.leaseReclaimer = new LeaseReclaimer({ ...options, isolation: this.isolation });
    this.overdueRuns = new OverdueRuns({ ...options, isolation: this.isolation });
  }

  start(): void {
    const { scheduler, everyMs } = this.options;
    const run = async (_: AbortSignal, dueAtMs: number) => {
      await this.sweep().finally(() => (this.lagMs = this.timers.monotonic() - dueAtMs));
    };
    this.task = scheduler.start({ name: 'sweeper', everyMs, firstMs: 0, deadlineMs: SWEEP_DEADLINE_MS, run });
  }

  /** Stops sweeping. Waits briefly for the sweep in progress: every change is fenced, and another replica repeats it. */
  async stop(): Promise<void> {
    this.leadership.stop();
    await closeWithin('the sweeper', Promise.all([this.task?.stop(), this.queueRepair]), STOP_MS, this.options.log);
    await this.leadership.release();
  }

  /** One sweep: becomes leader if possible, then runs the tasks that are due. */
  async sweep(): Promise<void> {
    const findings = await this.beginSweep();
    if (!findings) return;
    const { pool, log, releaseIdleControl } = this.options;
    const areLeasesDue = findings.hasExpiredLeases && this.timers.monotonic() >= this.reclaimAfter;
    const tasks: SweeperTasks = {
      leases: { isDue: areLeasesDue, run: () => this.leaseReclaimer.run(this.acceptMs) },
      expired: { isDue: findings.hasExpiredRuns, run: () => this.overdueRuns.failExpiredRuns() },
      cancels: { isDue: findings.hasOverdueCancels, run: () => this.overdueRuns.endOverdueCancels() },
      questions: { isDue: findings.unanswered, run: () => this.overdueRuns.failTimedOutQuestions() },
      control_sessions: { isDue: findings.hasIdleControl, run: () => releaseIdleControl() },
      workers: {
        isDue: findings.hasDisconnectedWorkers,
        run: async () => {
          for (const worker of await markWorkersDisconnected(pool, this.disconnectedAfterMs))
            log.warn({ worker }, 'worker lost');
        },
      },
      backlog: { isDue: findings.backlog, run: () => this.admit() },
    };
    await runDueTasks(tasks, this.isolation);
    this.queueRepair ??= this.repairQueue(findings.hasStaleAdmissions).finally(() => (this.queueRepair = undefined));
  }

  /** Fills free slots from the backlog. A sweep waits at most one interval per fleet. */
  private async admit(): Promise<void> {
    const { pool, dispatcher, everyMs } = this.options;
    for (const fleet of await fleetsWithBacklog(pool))
      await this.isolation.settleEach(
        'backlog',
        [fleet],
        (name) => name,
        (name) => Promise.race([dispatcher.admit(name), this.timers.delay(everyMs)]),
      );
  }

  /** Repairs the job queue. Sweeps do not wait for it, and repairs do not overlap. Never throws. */
  private async repairQueue(hasStaleAdmissions: boolean): Promise<void> {
    const { dispatcher, log } = this.options;
    try {
      const requeuedCount = hasStaleAdmissions ? await dispatcher.requeueLostJobs(JOB_GRACE_MS) : 0;
      if (requeuedCount > 0) log.info({ runs: requeuedCount }, 'lost jobs requeued');
      if (this.timers.monotonic() < this.cleanAfter) return;
      this.cleanAfter = this.timers.monotonic() + CLEAN_INTERVAL_MS;
      await dispatcher.removeStaleJobs();
    } catch (error) {
      log.debug({ error: String(error) }, 'Redis unavailable, job queue repair postponed');
    }
  }

  /**
   * Milliseconds that a worker has to accept a claim. Longer if this replica is behind: an unread message may be the answer, and
   * requeueing its runs would not help.
   */
  private get acceptMs(): number {
    return this.options.acceptMs + LAG_FACTOR * this.lagMs;
  }

  /** Time without a renewal after which a worker is disconnected. */
  private get disconnectedAfterMs(): number {
    return Math.max(HELD_LEASES * this.options.leaseMs, 10_000);
  }

  /** @returns tasks that are due; null when another replica is the leader */
  private async beginSweep(): Promise<SweepFindings | null> {
    const { everyMs, leaseMs, log } = this.options;
    const leader = await this.leadership.acquire(this.lagMs);
    if (!leader) return null;
    const times = {
      acceptMs: this.acceptMs,
      graceMs: CANCEL_GRACE_MS,
      silentMs: this.disconnectedAfterMs,
      jobGraceMs: JOB_GRACE_MS,
    };
    const { pausedMs, ...findings } = await this.heartbeat(leader, times);
    // Without a sweeper, gateways or the database may have been unavailable: workers get one lease time to renew.
    if (pausedMs === null || pausedMs > Math.max(4 * everyMs, 2_000)) {
      this.reclaimAfter = this.timers.monotonic() + leaseMs;
      if (pausedMs !== null)
        log.info(
          { pausedMs: Math.round(pausedMs), leaseMs },
          'sweeper resumed, lease reclaim starts after one lease time',
        );
    }
    return findings;
  }

  /** @throws errors of the query; leadership ends with its connection */
  private async heartbeat(leader: PoolClient, times: Parameters<typeof heartbeatAndScan>[1]) {
    try {
      return await heartbeatAndScan(leader, times);
    } catch (error) {
      // Another replica meets the same error, unless the connection of this one is at fault.
      if (isDatabaseUnavailable(error)) await this.leadership.release();
      throw error;
    }
  }
}
