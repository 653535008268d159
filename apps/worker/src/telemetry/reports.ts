import type { Log } from '@pilothouse/core';
import type { Link } from '@pilothouse/infra-link';
import { MemoryWatch } from './memory.ts';
import type { Telemetry } from './telemetry.ts';

/** Sends what the worker measured, as often as its gateway wants, and at the last before good-bye. */
export class Reports {
  private readonly telemetry: Telemetry;
  private readonly link: Pick<Link, 'metrics'>;
  private readonly memory: MemoryWatch;
  private timer: NodeJS.Timeout | undefined;

  constructor(telemetry: Telemetry, link: Pick<Link, 'metrics'>, log: Log, memory = new MemoryWatch(telemetry, log)) {
    this.telemetry = telemetry;
    this.link = link;
    this.memory = memory;
  }

  /** The gateway welcomed the worker. @param everyMs milliseconds between two reports; undefined: it wants none */
  welcomed(everyMs: number | undefined): void {
    this.stop();
    this.telemetry.forgetSent();
    if (everyMs === undefined) return;
    this.timer = setInterval(() => this.send(), everyMs);
    this.timer.unref();
  }

  /** Sends what there is now. */
  send(): void {
    this.memory.look();
    this.telemetry.flush((deltas) => this.link.metrics(deltas));
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
