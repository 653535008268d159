import { errorCodes, type ErrorCode } from '@pilothouse/contract/errors/error-codes';
import { workerEvents, type EventData, type RunEvent } from '@pilothouse/contract/events/event-log.schema';
import { isTerminal } from '@pilothouse/contract/run/run-status';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import type { FleetNames, WrittenRun } from '@pilothouse/infra-db';
import type { Metrics } from '@pilothouse/infra-telemetry';
import { FLEET_LABEL } from './queue.metrics.ts';

/** Error codes with which a run is requeued. Other codes of surfaces are counted as `other`. */
const requeueCodes = [
  'WORKER_LOST',
  'ASSIGNMENT_NOT_ACCEPTED',
  'RUN_HANDED_BACK',
  'SURFACE_LOST',
  'SURFACE_UNAVAILABLE',
] as const;

const terminalStatuses = ['completed', 'failed', 'cancelled'] as const;

/** In seconds. */
const RUN_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 14_400];
const LAG_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

const declareRunMetrics = (metrics: Metrics) => ({
  finished: metrics.counter({
    name: 'runs_ended_total',
    help: 'Runs that ended, by status. `code` is the error code of a failed run',
    labels: { fleet: FLEET_LABEL, status: terminalStatuses, code: ['none', ...errorCodes] },
  }),
  durationSeconds: metrics.histogram({
    name: 'run_seconds',
    help: 'Time from the first claim of a run to its end, including waits for people. Runs without a claim are not counted',
    labels: { fleet: FLEET_LABEL, status: terminalStatuses },
    buckets: RUN_BUCKETS,
  }),
  queueWaitSeconds: metrics.histogram({
    name: 'run_queue_wait_seconds',
    help: 'Time in the queue until a worker was assigned, for each attempt',
    labels: { fleet: FLEET_LABEL },
    buckets: RUN_BUCKETS,
  }),
  requeued: metrics.counter({
    name: 'runs_requeued_total',
    help: 'Runs that went back to the queue, by error code',
    labels: { fleet: FLEET_LABEL, code: requeueCodes },
  }),
  recoveries: metrics.counter({
    name: 'run_recoveries_total',
    help: 'Claims of runs that an earlier attempt had started',
    labels: { fleet: FLEET_LABEL },
  }),
  steps: metrics.counter({
    name: 'steps_total',
    help: 'Completed steps, with or without a model',
    labels: { fleet: FLEET_LABEL, mode: ['model', 'deterministic'] },
  }),
  questions: metrics.counter({
    name: 'run_questions_total',
    help: 'Questions of runs to people',
    labels: { fleet: FLEET_LABEL },
  }),
  lag: metrics.histogram({
    name: 'event_lag_seconds',
    help: 'Time from an event at its worker until it was stored (`durable`), or sent to readers of this replica (`published`). Only the oldest event of each batch counts. Uses the clock of the worker',
    labels: { stage: ['durable', 'published'] },
    buckets: LAG_BUCKETS,
  }),
});

/** Counts changes of runs. The replica that writes a change counts it. */
export class RunMetrics {
  private readonly metrics: ReturnType<typeof declareRunMetrics>;
  private readonly fleets: FleetNames;
  private readonly clock: Clock;
  private readonly initializedFleets = new Set<string>();

  constructor(metrics: Metrics, fleets: FleetNames, clock: Clock) {
    this.metrics = declareRunMetrics(metrics);
    this.fleets = fleets;
    this.clock = clock;
  }

  /** Starts the counters of a fleet at zero. Prometheus does not see the rise of a counter that appears with its first count. */
  initializeCounters(fleet: string): void {
    if (this.initializedFleets.has(fleet)) return;
    this.initializedFleets.add(fleet);
    for (const code of [...requeueCodes, 'other'] as const)
      this.metrics.requeued.add(0, { fleet, code: code as 'RUN_HANDED_BACK' });
    for (const status of ['completed', 'cancelled'] as const)
      this.metrics.finished.add(0, { fleet, status, code: 'none' });
    this.metrics.recoveries.add(0, { fleet });
    this.metrics.questions.add(0, { fleet });
    for (const mode of ['model', 'deterministic'] as const) this.metrics.steps.add(0, { fleet, mode });
  }

  /** Called after each commit. */
  onWritten(writes: readonly WrittenRun[]): void {
    const now = this.clock.now().getTime();
    for (const write of writes) {
      // The first event of a write has the longest lag.
      const first = write.events.find(({ type }) => workerEvents.has(type));
      if (first) this.observeLag('durable', first, now);
      if (write.events.some(({ type }) => type === 'step.completed'))
        this.fleets.withName(write.fleet, (fleet) => this.countSteps(fleet, write));
      if (write.status !== write.oldStatus || write.claimed)
        this.fleets.withName(write.fleet, (fleet) => this.countTransition(fleet, write));
    }
  }

  /** Called with the events that this replica publishes to its readers, in batches of a commit. */
  onPublished(events: readonly RunEvent[]): void {
    const first = events.find(({ type }) => workerEvents.has(type));
    if (first) this.observeLag('published', first, this.clock.now().getTime());
  }

  private observeLag(stage: 'durable' | 'published', { at }: RunEvent, now: number): void {
    // Clocks of machines differ, so the difference may be negative.
    this.metrics.lag.observe(Math.max(0, now - Date.parse(at)) / 1000, { stage });
  }

  private countSteps(fleet: string, { events }: WrittenRun): void {
    for (const { type, data } of events)
      if (type === 'step.completed')
        this.metrics.steps.inc({
          fleet,
          mode: (data as EventData<'step.completed'>).tier !== 'replay' ? 'model' : 'deterministic',
        });
  }

  private countTransition(fleet: string, { status, claimed, epoch, ranMs, events }: WrittenRun): void {
    this.initializeCounters(fleet);
    const { finished, durationSeconds, queueWaitSeconds, requeued, recoveries, questions } = this.metrics;
    if (claimed) {
      queueWaitSeconds.observe(claimed.waitedMs / 1000, { fleet });
      if (epoch > 1) recoveries.inc({ fleet });
      return;
    }
    if (status === 'awaiting_user') questions.inc({ fleet });
    if (status === 'queued') {
      const code = codeIn(events, 'run.requeued');
      if (code !== null) requeued.inc({ fleet, code: code as (typeof requeueCodes)[number] });
    }
    if (!isTerminal(status)) return;
    const terminalStatus = status as (typeof terminalStatuses)[number];
    finished.inc({ fleet, status: terminalStatus, code: codeIn(events, 'run.failed') ?? 'none' });
    // A run that was never claimed has no duration.
    if (ranMs !== null) durationSeconds.observe(ranMs / 1000, { fleet, status: terminalStatus });
  }
}

/** Returns the error code of the event of this type, null if it does not exist. */
function codeIn(events: readonly RunEvent[], type: 'run.failed' | 'run.requeued'): ErrorCode | null {
  const event = events.find((candidate) => candidate.type === type);
  return event ? (event.data as EventData<'run.failed' | 'run.requeued'>).error.code : null;
}
