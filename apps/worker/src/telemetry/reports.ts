import type { Log } from '@pilothouse/core';
import type { GatewayLink } from '@pilothouse/infra-link';
import { MemoryMonitor } from './memory.ts';
import type { MetricsBuffer } from './telemetry.ts';

/** Sends what the worker measured, as often as its gateway wants, and at the last before good-bye. */
export class MetricsReporter {
  private readonly telemetry: MetricsBuffer;
  private readonly link: Pick<GatewayLink, 'metrics'>;
  private readonly memory: MemoryMonitor;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    telemetry: MetricsBuffer,
    link: Pick<GatewayLink, 'metrics'>,
    log: Log,
    memory = new MemoryMonitor(telemetry, log),
  ) {
    this.telemetry = telemetry;
    this.link = link;
    this.memory = memory;
  }

  /** The gateway welcomed the worker. @param everyMs milliseconds between two reports; undefined: it wants none */
  start(everyMs: number | undefined): void {
    this.stop();
    this.telemetry.resendGauges();
    if (everyMs === undefined) return;
    this.timer = setInterval(() => this.send(), everyMs);
    this.timer.unref();
  }

  /** Sends what there is now. */
  send(): void {
    this.memory.sample();
    this.telemetry.flush((deltas) => this.link.metrics(deltas));
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
