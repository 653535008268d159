import { setTimeout as pause } from 'node:timers/promises';
import { PilothouseError } from '@pilothouse/contract';
import type { Clock } from '@pilothouse/core';
import { inTransaction, type Pool, type PoolClient } from './pool.ts';
import { isDatabaseAway } from './unavailable.ts';

/** Milliseconds until something is tried again: at first, and at most. */
const AGAIN_MS = 50;
const MOST_MS = 1_000;

/** How long an outage of PostgreSQL is waited out. */
export interface OutageLimit {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Monotonic milliseconds from which on nothing is tried again. */
  readonly deadline: number;
  /** Aborts when nobody waits any more. */
  readonly signal?: AbortSignal;
}

/**
 * Does what needs PostgreSQL, and does it again while that is away.
 * @param work is told whether it failed before: what was asked on a connection that broke may have been done
 * @throws PilothouseError UNAVAILABLE when PostgreSQL is away until the deadline; the reason of the signal; what else `work` throws
 */
export async function throughOutage<Result>(
  work: (again: boolean) => Promise<Result>,
  { clock, deadline, signal }: OutageLimit,
): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work(tries > 0);
    } catch (error) {
      signal?.throwIfAborted();
      if (!isDatabaseAway(error)) throw error;
      const ms = Math.min(AGAIN_MS * 2 ** tries, MOST_MS);
      if (clock.monotonic() + ms > deadline)
        throw new PilothouseError('UNAVAILABLE', 'The database does not answer; try again soon', { cause: error });
      await pause(ms, undefined, { signal }).catch(() => signal?.throwIfAborted());
    }
  }
}

/**
 * Carries out a transaction, and exactly once, though PostgreSQL may go away in the middle of it: where the answer to its commit was lost, the
 * server is asked whether it was done.
 * @throws as `throughOutage`
 */
export async function onceThroughOutage<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
  limit: OutageLimit,
): Promise<Result> {
  const made: { xid: string; result: Result }[] = [];
  return throughOutage(async () => {
    const last = made.at(-1);
    if (last && (await isCommitted(pool, last.xid))) return last.result;
    return inTransaction(pool, async (client) => {
      const { rows } = await client.query<{ xid: string }>('SELECT pg_current_xact_id()::text AS xid');
      const result = await work(client);
      made.push({ xid: rows[0]?.xid ?? '', result });
      return result;
    });
  }, limit);
}

/** Whether a transaction was done. @throws one that is tried again while the server has not yet seen that its connection broke */
async function isCommitted(pool: Pool, xid: string): Promise<boolean> {
  const { rows } = await pool.query<{ status: string }>('SELECT pg_xact_status($1::xid8) AS status', [xid]);
  if (rows[0]?.status === 'in progress') throw new UnderWay();
  return rows[0]?.status === 'committed';
}

/** Like "the server is away" in that the same may be tried again. */
class UnderWay extends Error {
  readonly code = '57P03';
}
