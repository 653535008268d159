import { type Failpoint, failpoints, isFailpoint } from './failpoint-catalogue.ts';
import { readFileSync, writeSync } from 'node:fs';
import { type Log, systemTimers } from '@pilothouse/core';

/** What happens at a failpoint: the process is killed, is stopped, or waits there. */
export type FailpointAction =
  { readonly kind: 'kill' } | { readonly kind: 'stop' } | { readonly kind: 'pause'; readonly ms: number };

/** What to do when a failpoint is passed for the `at`-th time. Each is carried out once. */
export interface FailpointRule {
  readonly name: Failpoint;
  /** Counted from 1. */
  readonly at: number;
  readonly deed: FailpointAction;
}

const ORDER = /^(?<name>[\w.-]+?)(?::(?<at>[1-9]\d{0,6}))?=(?:(?<deed>kill|stop)|pause\/(?<ms>\d{1,6}))$/;

/**
 * Reads `name[:count]=kill`, `=stop` or `=pause/<milliseconds>`, several joined by commas.
 * @throws Error a sentence that says what is wrong
 */
export function parseFailpoints(text: string): FailpointRule[] {
  return text.split(',').map((part) => {
    const { name = '', at = '1', deed, ms } = ORDER.exec(part.trim())?.groups ?? {};
    if (name === '') throw new Error(`"${part}" is no order: write name[:count]=kill, =stop or =pause/<milliseconds>`);
    if (!isFailpoint(name)) throw new Error(`There is no failpoint ${name}: ${Object.keys(failpoints).join(', ')}`);
    if (ms !== undefined && !failpoints[name].isAsync) throw new Error(`Nothing waits at ${name}: use kill or stop`);
    return { name, at: Number(at), deed: deedOf(deed, ms) };
  });
}

function deedOf(deed: string | undefined, ms: string | undefined): FailpointAction {
  if (ms !== undefined) return { kind: 'pause', ms: Number(ms) };
  return deed === 'stop' ? { kind: 'stop' } : { kind: 'kill' };
}

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
      return systemTimers.delay(deed.ms);
  }
}

const textOf = (deed: FailpointAction) => (deed.kind === 'pause' ? `pause/${deed.ms}` : deed.kind);

let armed: FailpointRunner | undefined;

/**
 * A place where a test may end, stop or hold up this process. Does nothing unless the process was armed.
 * @param runs ids of the runs that come by
 * @returns nothing, or what to wait for where the code can wait
 */
export const hit = (name: Failpoint, ...runs: readonly string[]): Promise<void> | undefined => armed?.hit(name, runs);

/**
 * Arms failpoints for the life of this process, and says so.
 * @param orders as in PILOTHOUSE_FAILPOINTS: orders, or `@` and a file that holds them, which is read again on SIGUSR2; none: nothing is armed
 * @throws Error a sentence that says what is wrong
 */
export function enableFailpoints(orders: string | undefined, log: Pick<Log, 'warn'>): void {
  if (orders === undefined) return;
  if (!orders.startsWith('@')) return take(orders, log);
  const file = orders.slice(1);
  const read = () => take(readFileSync(file, 'utf8').trim(), log);
  read();
  process.on('SIGUSR2', read);
}

function take(orders: string, log: Pick<Log, 'warn'>): void {
  armed = orders === '' ? undefined : new FailpointRunner(parseFailpoints(orders));
  log.warn({ orders }, armed ? 'Failpoints are armed: this process will break on purpose' : 'Failpoints are not armed');
}
