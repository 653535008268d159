import { type Log, type Timer, systemTimers } from '@pilothouse/core';
import { readCgroupMemory, type CgroupMemory, type CgroupMemoryEvent } from './cgroup-memory.ts';
import type { MetricsBuffer } from './metrics-buffer.ts';
import type { GatewayLink } from '@pilothouse/infra-link';

/** Fineness of what is said, so that a worker that does nothing says nothing. */
const GRAIN = 4 * 1024 * 1024;

/** Follows the memory of the worker's cgroup. */
export class MemoryMonitor {
  private readonly metrics: Pick<MetricsBuffer, 'count' | 'set'>;
  private readonly log: Log;
  private readonly read: () => CgroupMemory | null;
  private seen: CgroupMemory['events'];

  /** What was counted before the worker began is not its own: on one machine it may share a cgroup with others. */
  constructor(metrics: Pick<MetricsBuffer, 'count' | 'set'>, log: Log, read = () => readCgroupMemory()) {
    this.metrics = metrics;
    this.log = log;
    this.read = read;
    this.seen = read()?.events ?? {};
  }

  /** Notes what is new. */
  sample(): void {
    const memory = this.read();
    if (!memory) return;
    for (const [event, count] of Object.entries(memory.events) as [CgroupMemoryEvent, number][]) {
      const fresh = count - (this.seen[event] ?? 0);
      if (fresh <= 0) continue;
      this.metrics.count('worker_memory_events_total', { event }, fresh);
      if (event === 'oom_kill') {
        this.log.warn(
          { killed: fresh, used: memory.used, limit: memory.limit },
          'The kernel killed a process of this worker for want of memory: give it a larger limit, or fewer slots',
        );
      }
    }
    this.seen = memory.events;
    // Without a limit of its own the cgroup is the machine's: each worker would say the same memory again.
    if (memory.limit === null) return;
    this.metrics.set('worker_memory_bytes', Math.round(memory.used / GRAIN) * GRAIN);
    this.metrics.set('worker_memory_limit_bytes', memory.limit);
  }
}

/** Sends what the worker measured, as often as its gateway wants, and at the last before good-bye. */
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

  /** The gateway welcomed the worker. @param everyMs milliseconds between two reports; undefined: it wants none */
  start(everyMs: number | undefined): void {
    this.stop();
    this.metrics.resendGauges();
    if (everyMs === undefined) return;
    this.timer = systemTimers.setInterval(() => this.send(), everyMs);
    this.timer.unref();
  }

  /** Sends what there is now. */
  send(): void {
    this.memory.sample();
    this.metrics.flush((deltas) => this.link.metrics(deltas));
  }

  stop(): void {
    systemTimers.clearInterval(this.timer);
  }
}
