import { type Log, systemClock } from '@pilothouse/core/ports/runtime.port';
import { FleetNames, RunInserter, RunWriter, type Pool } from '@pilothouse/infra-db';
import { JobQueue } from '@pilothouse/infra-queue';
import { LiveEventStream } from '@pilothouse/infra-stream';
import type { AppMetrics } from '../metrics/app-metrics.ts';
import { LocalSlots } from '../dispatch/local-slots.ts';
import { RunDispatcher } from '../dispatch/run-dispatcher.ts';
import { MAX_FAILED_ATTEMPTS } from './requeue.ts';
import { RunLifecycle } from './run-lifecycle.ts';
import { Sweeper } from './sweeper/sweeper.ts';
import { RunEventWatcher } from './run-event-watcher.ts';
import { Global, Module } from '@nestjs/common';
import { APP_CONTEXT, RUN_LIFECYCLE } from '../common/injection-tokens.ts';
import type { ReplicaScheduler } from '../common/periodic-tasks.ts';
import type { AppContext } from '../infrastructure/app-context.ts';

export interface RunLifecycleOptions {
  pool: Pool;
  redisUrl: string;
  /** Prefix of all Redis keys, so that installations can share one Redis. */
  redisPrefix: string;
  leaseMs: number;
  /** Fills free slots of this replica without the job queue. */
  directDispatch: boolean;
  log: Log;
  scheduler: ReplicaScheduler;
  /** Metrics of runs and of the tasks of a sweep. */
  metrics?: AppMetrics;
}

/**
 * Runs of a fleet in Redis at a time; few, so that the order is decided late. With direct dispatch they only wake idle gateways; without
 * it they have to keep every free slot busy.
 */
const WAKE_WINDOW = 16;
const FEED_WINDOW = 256;

const SWEEP_INTERVAL_MS = 500;
const ACCEPT_MS = 2_000;

/** A sweeper without a heartbeat for three sweeps and five seconds is stopped or cut off. */
const SILENT_MS = 3 * SWEEP_INTERVAL_MS + 5_000;

/** The services of the run lifecycle in one replica. */
export interface RunLifecycleServices {
  runs: RunLifecycle;
  writer: RunWriter;
  dispatcher: RunDispatcher;
  /** Filled by the dispatcher; the gateway adds its fleets. */
  localSlots: LocalSlots;
  liveEvents: LiveEventStream;
  jobQueue: JobQueue;
  watcher: RunEventWatcher;
  sweeper: Sweeper;
  close(): Promise<void>;
}

/** Creates the run lifecycle and starts its sweeper. */
export function createRunLifecycle({
  pool,
  redisUrl,
  redisPrefix,
  leaseMs,
  directDispatch,
  log,
  scheduler,
  metrics,
}: RunLifecycleOptions): RunLifecycleServices {
  const window = directDispatch ? WAKE_WINDOW : FEED_WINDOW;
  const clock = systemClock;
  const liveEvents = new LiveEventStream({ redisUrl, prefix: redisPrefix, log, onDropped: metrics?.dropped('events') });
  const jobQueue = new JobQueue({ redisUrl, prefix: redisPrefix, log });
  const writer = new RunWriter({
    pool,
    onWritten(writtenRuns) {
      liveEvents.publish(writtenRuns.flatMap(({ events }) => events));
      metrics?.runs.onWritten(writtenRuns);
    },
    onFlush: metrics?.flushed('runs'),
  });
  const inserter = new RunInserter(pool, window, metrics?.flushed('inserts'));
  const fleetNames = new FleetNames(pool);
  const localSlots = new LocalSlots();
  const dispatcher = new RunDispatcher({
    pool,
    jobQueue,
    localSlots,
    fleetName: (id) => fleetNames.find(id),
    window,
    log,
  });
  const watcher = new RunEventWatcher(pool, liveEvents);
  if (metrics) liveEvents.subscribe((events) => metrics.runs.onPublished(events));
  metrics?.declareReaderCount(() => watcher.size);
  const runs = new RunLifecycle({
    pool,
    inserter,
    writer,
    dispatcher,
    liveEvents,
    watcher,
    clock,
  });
  const sweeper = new Sweeper({
    pool,
    writer,
    dispatcher,
    clock,
    log,
    leaseMs,
    everyMs: SWEEP_INTERVAL_MS,
    acceptMs: ACCEPT_MS,
    silentMs: SILENT_MS,
    maxLost: MAX_FAILED_ATTEMPTS,
    releaseIdleControl: () => runs.control.releaseIdle(),
    scheduler,
    ...(metrics && { onTaskFailure: metrics.sweeperTaskFailed }),
  });
  sweeper.start();
  return {
    runs,
    writer,
    dispatcher,
    localSlots,
    liveEvents,
    jobQueue: jobQueue,
    watcher,
    sweeper,
    async close() {
      await sweeper.stop();
      await writer.drained();
      watcher.close();
      await Promise.all([liveEvents.close(), jobQueue.close()]);
    },
  };
}

const createFromContext = ({ config, pool, log, scheduler, appMetrics: metrics }: AppContext): RunLifecycleServices => {
  const { redisUrl, redisPrefix, leaseMs, directDispatch } = config;
  return createRunLifecycle({ pool, redisUrl, redisPrefix, leaseMs, directDispatch, log, scheduler, metrics });
};

/** Provides the run lifecycle to every module; `createApp` closes it. */
@Global()
@Module({
  providers: [
    { provide: RUN_LIFECYCLE, inject: [APP_CONTEXT], useFactory: createFromContext },
    { provide: RunLifecycle, inject: [RUN_LIFECYCLE], useFactory: ({ runs }: RunLifecycleServices) => runs },
    {
      provide: RunDispatcher,
      inject: [RUN_LIFECYCLE],
      useFactory: ({ dispatcher }: RunLifecycleServices) => dispatcher,
    },
  ],
  exports: [RUN_LIFECYCLE, RunLifecycle, RunDispatcher],
})
export class RunLifecycleModule {}
