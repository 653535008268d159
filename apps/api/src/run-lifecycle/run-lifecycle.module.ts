import { type Log, systemClock } from '@pilothouse/core';
import { FleetNames, type Pool, ProposalStore, RunInserter, RunWriter, type WrittenRun } from '@pilothouse/infra-db';
import { JobQueue } from '@pilothouse/infra-queue';
import { LiveEventStream } from '@pilothouse/infra-stream';
import type { AppMetrics } from '../metrics/app-metrics.ts';
import { RunDispatcher } from './run-dispatcher.ts';
import { MAX_FAILED_ATTEMPTS } from './requeue.ts';
import { RunLifecycle, Way } from './run-lifecycle.ts';
import { Sweeper } from './sweeper/sweeper.ts';
import { RunEventWatcher } from './run-event-watcher.ts';
import { Global, Module, type DynamicModule } from '@nestjs/common';

/** Notes runs in which a step was healed, after the commit that says so. One that is not noted is noted by the next run that heals the same. */
export function recordHealedRuns(pool: Pool, log: Log): (written: readonly WrittenRun[]) => void {
  const store = new ProposalStore(pool);
  return (written) => {
    for (const { run, events } of written)
      if (events.some(({ type }) => type === 'step.healed'))
        void store.noteHealed(run).catch((error: unknown) => {
          log.warn({ run, error: String(error) }, 'A healed run could not be noted');
        });
  };
}

export interface WayOptions {
  pool: Pool;
  redisUrl: string;
  /** Of all keys in Redis, so that installations can share one. */
  redisPrefix: string;
  leaseMs: number;
  /** Whether free slots of this replica are filled past the queue. */
  handOver: boolean;
  log: Log;
  /** Told what happens; without it nobody measures. */
  metrics?: AppMetrics;
}

/**
 * Runs of a fleet in Redis at a time, few enough that order is decided late: enough to wake who has nothing to do, and where no gateway
 * takes from the backlog itself, enough to keep every free slot busy.
 */
const WAKING_WINDOW = 16;
const FEEDING_WINDOW = 256;

const SWEEP_EVERY_MS = 500;
const ACCEPT_MS = 2_000;

/** A sweeper that missed three sweeps, and five seconds more, is stopped or cut off. */
const SILENT_MS = 3 * SWEEP_EVERY_MS + 5_000;

/** Everything a run's way is made of, in one replica. */
export interface WayHouse {
  way: RunLifecycle;
  writer: RunWriter;
  dispatch: RunDispatcher;
  live: LiveEventStream;
  board: JobQueue;
  watcher: RunEventWatcher;
  sweeper: Sweeper;
  close(): Promise<void>;
}

/** Builds the way of a run and starts its sweeper. */
export function createRunLifecycle({
  pool,
  redisUrl,
  redisPrefix,
  leaseMs,
  handOver,
  log,
  metrics,
}: WayOptions): WayHouse {
  const window = handOver ? WAKING_WINDOW : FEEDING_WINDOW;
  const clock = systemClock;
  const live = new LiveEventStream({ redisUrl, prefix: redisPrefix, log, onDropped: metrics?.dropped('events') });
  const board = new JobQueue({ redisUrl, prefix: redisPrefix, log });
  const healed = recordHealedRuns(pool, log);
  const writer = new RunWriter({
    pool,
    onWritten(written) {
      live.publish(written.flatMap(({ events }) => events));
      metrics?.runs.onWritten(written);
      healed(written);
    },
    onFlush: metrics?.flushed('runs'),
  });
  const intake = new RunInserter(pool, window, metrics?.flushed('inserts'));
  const fleetNames = new FleetNames(pool);
  const dispatch = new RunDispatcher({ pool, board, fleetName: (id) => fleetNames.find(id), window, log });
  const watcher = new RunEventWatcher(pool, live);
  if (metrics) live.subscribe((events) => metrics.runs.onPublished(events));
  metrics?.declareReaderCount(() => watcher.size);
  const way = new RunLifecycle({ pool, intake, writer, dispatch, live, watcher, clock });
  const sweeper = new Sweeper({
    pool,
    writer,
    dispatch,
    clock,
    log,
    leaseMs,
    everyMs: SWEEP_EVERY_MS,
    acceptMs: ACCEPT_MS,
    silentMs: SILENT_MS,
    maxLost: MAX_FAILED_ATTEMPTS,
    releaseIdleControl: () => way.wheel.releaseIdle(),
    ...(metrics && { onTaskFailure: metrics.sweeperTaskFailed, onFailure: metrics.jobFailed }),
  });
  sweeper.start();
  return {
    way,
    writer,
    dispatch,
    live,
    board,
    watcher,
    sweeper,
    async close() {
      await sweeper.stop();
      await writer.drained();
      watcher.close();
      await Promise.all([live.close(), board.close()]);
    },
  };
}

/** Gives every part of the API the way of a run. */
@Global()
@Module({})
export class RunLifecycleModule {
  static forRoot(house: WayHouse): DynamicModule {
    return { module: RunLifecycleModule, providers: [{ provide: Way, useValue: house.way }], exports: [Way] };
  }
}
