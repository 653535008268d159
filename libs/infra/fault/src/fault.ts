import { readFileSync } from 'node:fs';
import type { Log } from '@pilothouse/core';
import { FailpointRunner } from './armed.ts';
import type { Failpoint } from './failpoints.ts';
import { parseFailpoints } from './orders.ts';

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
