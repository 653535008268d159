import type { Log } from '@pilothouse/core/ports/runtime.port';
import { type Timer, systemTimers } from '@pilothouse/core/time/timers';
import { readCgroupMemory, type CgroupMemory, type CgroupMemoryEvent } from './cgroup-memory.ts';
import type { MetricsBuffer } from './metrics-buffer.ts';
import type { GatewayLink } from '@pilothouse/infra-link';

/** Resolution of reported memory values, so that an idle worker reports nothing. */
const MEMORY_STEP_BYTES = 4 * 1024 * 1024;

/** Tracks the memory of the worker's cgroup. */
export class MemoryMonitor {
  private readonly metrics: Pick<MetricsBuffer, 'count' | 'set'>;
  private readonly log: Log;
  private readonly read: () => CgroupMemory | null;
  private lastEvents: CgroupMemory['events'];

  /** Counts before the worker started are not its own: it may share a cgroup with other processes. */
  constructor(metrics: Pick<MetricsBuffer, 'count' | 'set'>, log: Log, read = () => readCgroupMemory()) {
    this.metrics = metrics;
    this.log = log;
    this.read = read;
    this.lastEvents = read()?.events ?? {};
  }

  /** Records changes. */
  sample(): void {
    const memory = this.read();
    if (!memory) return;
    for (const [event, count] of Object.entries(memory.events) as [CgroupMemoryEvent, number][]) {
      const fresh = count - (this.lastEvents[event] ?? 0);
      if (fresh <= 0) continue;
      this.metrics.count('worker_memory_events_total', { event }, fresh);
      if (event === 'oom_kill') {
        this.log.warn(
          { killed: fresh, used: memory.used, limit: memory.limit },
          'worker process ran out of memory: increase its memory limit or reduce slots',
        );
      }
    }
    this.lastEvents = memory.events;
    // Without a limit the cgroup is the machine: each worker would report the same memory.
    if (memory.limit === null) return;
    this.metrics.set('worker_memory_bytes', Math.round(memory.used / MEMORY_STEP_BYTES) * MEMORY_STEP_BYTES);
    this.metrics.set('worker_memory_limit_bytes', memory.limit);
  }
}

/** Sends measurements at the interval of the gateway, and once more before the worker disconnects. */
export class MetricsReporter {
  private readonly metrics: MetricsBuffer;
  private readonly link: Pick<GatewayLink, 'metrics'>;
  private readonly memory: MemoryMonitor;
  private timer: Timer | undefined;

  constructor(
    metrics: MetricsBuffer,
    link: Pick<GatewayLink, 'metrics'>,
    log: Log,
    memory = new MemoryMonitor(metrics, log),
  ) {
    this.metrics = metrics;
    this.link = link;
    this.memory = memory;
  }

  /** Called after the gateway accepted the worker. @param everyMs milliseconds between two reports; undefined: none */
  start(everyMs: number | undefined): void {
    this.stop();
    this.metrics.resendGauges();
    if (everyMs === undefined) return;
    this.timer = systemTimers.setInterval(() => this.send(), everyMs);
    this.timer.unref();
  }

  /** Sends the current measurements. */
  send(): void {
    this.memory.sample();
    this.metrics.flush((deltas) => this.link.metrics(deltas));
  }

  stop(): void {
    systemTimers.clearInterval(this.timer);
  }
}
