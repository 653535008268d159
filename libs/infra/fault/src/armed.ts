import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Failpoint } from './failpoints.ts';
import type { FailpointAction, FailpointRule } from './orders.ts';

/** Orders, and how often each of their failpoints was passed. */
export class FailpointRunner {
  private readonly orders: ReadonlyMap<Failpoint, readonly FailpointRule[]>;
  private readonly passed = new Map<Failpoint, number>();

  constructor(orders: readonly FailpointRule[]) {
    this.orders = Map.groupBy(orders, ({ name }) => name);
  }

  hit(name: Failpoint, runs: readonly string[]): Promise<void> | undefined {
    const orders = this.orders.get(name);
    if (!orders) return undefined;
    const passed = (this.passed.get(name) ?? 0) + 1;
    this.passed.set(name, passed);
    const order = orders.find(({ at }) => at === passed);
    return order && carryOut(order, runs);
  }
}

function carryOut({ name, at, deed }: FailpointRule, runs: readonly string[]): Promise<void> | undefined {
  // Written at once: a line that waits for a stream dies with the process.
  writeSync(process.stderr.fd, `failpoint ${name}:${at}=${textOf(deed)} of ${runs.join(',')}\n`);
  switch (deed.kind) {
    case 'kill':
      process.kill(process.pid, 'SIGKILL');
      return undefined;
    case 'stop':
      process.kill(process.pid, 'SIGSTOP');
      return undefined;
    case 'pause':
      return pause(deed.ms);
  }
}

const textOf = (deed: FailpointAction) => (deed.kind === 'pause' ? `pause/${deed.ms}` : deed.kind);
