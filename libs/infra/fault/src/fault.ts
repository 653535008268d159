import type { Log } from '@pilothouse/core';
import { Armed } from './armed.ts';
import type { Failpoint } from './failpoints.ts';
import { parseOrders } from './orders.ts';

let armed: Armed | undefined;

/**
 * A place where a test may end, stop or hold up this process. Does nothing unless the process was armed.
 * @returns nothing, or what to wait for where the code can wait
 */
export const hit = (name: Failpoint): Promise<void> | undefined => armed?.hit(name);

/**
 * Arms failpoints for the life of this process, and says so.
 * @param orders as in PILOTHOUSE_FAILPOINTS; none: nothing is armed
 * @throws Error a sentence that says what is wrong
 */
export function arm(orders: string | undefined, log: Pick<Log, 'warn'>): void {
  if (orders === undefined) return;
  armed = new Armed(parseOrders(orders));
  log.warn({ orders }, 'Failpoints are armed: this process will break on purpose');
}
