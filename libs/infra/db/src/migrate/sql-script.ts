/** Runs the script of a migration. */
import type { ClientBase } from 'pg';
import { concurrentIndexName, lockTimeout, type LockTimeouts } from './lock-contention.ts';

/** Milliseconds between two checks whether the client of an index build is still connected. */
const CONNECTION_CHECK_MS = 2_000;

/**
 * Sends the script in one piece. PostgreSQL runs it as one transaction, unless its SQL ends transactions, and a failed migration leaves
 * nothing behind. Splitting at `;` would lose atomicity and break function bodies, texts and comments.
 * The remains of a failed concurrent index build are removed first.
 *
 * The session keeps settings of the script and of this function: call `resetSession` afterwards.
 * @param lockTimeouts lock timeouts of the statements; without them, no limit
 * @throws errors of `pg`; an error when the script leaves a transaction open
 */
export async function runScript(client: ClientBase, script: string, lockTimeouts?: LockTimeouts): Promise<void> {
  const lockMs = lockTimeouts && lockTimeout(script, lockTimeouts);
  if (lockMs !== undefined) await client.query(`SET lock_timeout = ${lockMs}`);
  const index = concurrentIndexName(script);
  if (index !== undefined) {
    // The build may take hours, regardless of the configured statement_timeout.
    await client.query('SET statement_timeout = 0');
    // Ends the build if the migrator is killed: it would block the next one. Some systems do not support the check.
    await client.query(`SET client_connection_check_interval = ${CONNECTION_CHECK_MS}`).catch(() => {});
    await client.query(`DROP INDEX CONCURRENTLY IF EXISTS "${index}"`);
  }
  await client.query(script);
  if (client.getTransactionStatus() !== 'I')
    throw new Error('The script leaves a transaction open: end it with COMMIT');
}

/** Ends a transaction left open by a script, and restores the settings of the session. */
export async function resetSession(client: ClientBase): Promise<void> {
  if (client.getTransactionStatus() !== 'I') await client.query('ROLLBACK');
  await client.query('RESET ALL; RESET ROLE');
}
