/** Runs the script of a migration. */
import type { ClientBase } from 'pg';
import { concurrentIndexName, lockTimeout, type LockTimeouts } from './lock-contention.ts';

/** Milliseconds between two checks of PostgreSQL whether the client for which it builds an index is still connected. */
const CONNECTION_CHECK_MS = 2_000;

/**
 * Sends the script as it is, in one piece. PostgreSQL then runs it as one transaction, unless its SQL ends transactions itself, and a
 * failed migration leaves nothing behind. Cut at every `;` it would not be atomic, and wrong for function bodies, texts and comments.
 * An index that the script builds concurrently is removed first where an earlier try left it unfinished.
 *
 * The session keeps what the script and this function set: `resetSession` afterwards.
 * @param lockTimeouts how long a statement may wait for a lock; without them, for ever
 * @throws what `pg` throws; an error when the script leaves a transaction open
 */
export async function runScript(client: ClientBase, script: string, lockTimeouts?: LockTimeouts): Promise<void> {
  const lockMs = lockTimeouts && lockTimeout(script, lockTimeouts);
  if (lockMs !== undefined) await client.query(`SET lock_timeout = ${lockMs}`);
  const index = concurrentIndexName(script);
  if (index !== undefined) {
    // The build may wait for hours, whatever statement_timeout the login or the database has.
    await client.query('SET statement_timeout = 0');
    // Ends the build of a migrator that was killed: it would block the next one. Some systems do not support the check.
    await client.query(`SET client_connection_check_interval = ${CONNECTION_CHECK_MS}`).catch(() => {});
    await client.query(`DROP INDEX CONCURRENTLY IF EXISTS "${index}"`);
  }
  await client.query(script);
  if (client.getTransactionStatus() !== 'I')
    throw new Error('The script leaves a transaction open: end it with COMMIT');
}

/** Ends a transaction that a script left open, and restores the settings of the session. */
export async function resetSession(client: ClientBase): Promise<void> {
  if (client.getTransactionStatus() !== 'I') await client.query('ROLLBACK');
  await client.query('RESET ALL; RESET ROLE');
}
