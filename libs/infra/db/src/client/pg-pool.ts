import pg from 'pg';
import type { Log } from '@pilothouse/core';
import { CONNECT_MS, Reach } from './database-address.ts';

export type Pool = pg.Pool;
export type PoolClient = pg.PoolClient;

// BIGINT (sizes in bytes, counts) fits a double up to 9 PB; a string would only be turned into a number by every reader.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export interface PoolOptions {
  databaseUrl: string;
  /** Most connections. */
  max?: number;
  /** Shows in `pg_stat_activity`. */
  name: string;
  /** Milliseconds after which a statement that was not answered fails here (default 35 s). */
  answerMs?: number;
  log: Log;
}

/** Milliseconds that the server gives a statement. */
const STATEMENT_MS = 30_000;

/** Milliseconds beyond it, for the server to say so: what is not answered by then comes from a server that is stopped, or gone with its network. */
const ANSWER_MS = 5_000;

/**
 * Settings of each session.
 *
 * Statements of Pilothouse use keys. The planner takes their JSON arguments for a hundred rows and a table that has just grown for
 * small, reads all of it, and compiles what it thinks is much: a write of ten runs took 7 ms instead of one.
 *
 * A machine that lost its power or its network says no goodbye: the server drops its connections, and with them its locks, after
 * 11 s instead of two hours.
 */
const SESSION = {
  enable_seqscan: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
  tcp_keepalives_idle: 5,
  tcp_keepalives_interval: 2,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 10_000,
};

/** Returns whether a statement failed because the server did not answer in time. */
const timedOut = (thrown: unknown): boolean => thrown instanceof Error && thrown.message === 'Query read timeout';

/**
 * Clients of a pool. Each closes its connection when a statement is not answered in time, whoever asked: whatever is asked next would wait behind it, and
 * what is said after the server goes on would be part of a transaction that somebody else gave up. (`pg` gives only the statement up, and Prisma hands the
 * connection back as a good one.) A statement without an answer makes `reach` look for the server.
 */
const impatientClient = (reach: Reach) =>
  class ImpatientClient extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionTimeoutMillis: CONNECT_MS });
    }

    // `never` fits all the signatures of `pg`, here and below.
    override connect(...asked: unknown[]): never {
      const begun = performance.now();
      const [callback] = asked;
      if (typeof callback === 'function') {
        return super.connect((error: Error | null, ...more: unknown[]) => {
          reach.connected(begun, error ?? undefined);
          Reflect.apply(callback, undefined, [error, ...more]);
        }) as never;
      }
      return super.connect().then(
        () => reach.connected(begun),
        (error: unknown) => {
          reach.connected(begun, error);
          throw error;
        },
      ) as never;
    }

    override query(...asked: unknown[]): never {
      const answered = reach.watch(() => void this.end());
      const callback = asked.at(-1);
      // The pool itself asks with a callback, and closes what failed.
      if (typeof callback === 'function') {
        const told = (...answer: unknown[]) => {
          answered();
          Reflect.apply(callback, undefined, answer);
        };
        return Reflect.apply(super.query, this, [...asked.slice(0, -1), told]) as never;
      }
      const answer: unknown = Reflect.apply(super.query, this, asked);
      if (!(answer instanceof Promise)) {
        answered();
        return answer as never;
      }
      return answer.finally(answered).catch((error: unknown) => {
        if (timedOut(error)) void this.end();
        throw error;
      }) as never;
    }
  };

type Connected = (error: Error | undefined, client: PoolClient | undefined, release: (error?: Error) => void) => void;

/** A pool in which no one waits for a connection for more than three seconds while the server is away. */
class ReachingPool extends pg.Pool {
  readonly #reach: Reach;

  constructor(config: pg.PoolConfig, reach: Reach) {
    super({ ...config, Client: impatientClient(reach) });
    this.#reach = reach;
  }

  override connect(...asked: [] | [Connected]): never {
    const [callback] = asked;
    if (callback) return this.#connect(callback) as never;
    return new Promise<PoolClient>((resolve, reject) => {
      this.#connect((error, client) => (client ? resolve(client) : reject(error)));
    }) as never;
  }

  #connect(callback: Connected): void {
    // An idle connection goes to the one that waited first.
    if (this.idleCount > this.waitingCount) return super.connect(callback);
    let isOver = false;
    const waited = this.#reach.watchQueue(() => {
      waited();
      isOver = true;
      callback(Object.assign(new Error('The database server is away'), { code: 'ETIMEDOUT' }), undefined, () => {});
    });
    super.connect((error, client, release) => {
      waited();
      // No one waits any more: the next one may have it.
      if (isOver) return client ? release() : undefined;
      callback(error, client, release);
    });
  }
}

/**
 * A pool in which no statement waits for ever. While the server is away, a statement fails within three seconds. A busy pool gives a connection within 15 s; a
 * statement has 30 s to run, and 5 s more for the answer of a server that does not end it. A connection that did not answer is closed. What was asked
 * may still be done when the server goes on.
 */
export function createPool({
  databaseUrl,
  max = 10,
  name,
  answerMs = STATEMENT_MS + ANSWER_MS,
  log,
}: PoolOptions): Pool {
  const session = {
    connectionString: databaseUrl,
    application_name: `pilothouse-${name}`,
    keepAlive: true,
    options: Object.entries(SESSION)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  };
  const limits = {
    max,
    connectionTimeoutMillis: 15_000,
    statement_timeout: STATEMENT_MS,
    query_timeout: answerMs,
    idle_in_transaction_session_timeout: 30_000,
  };
  const pool = new ReachingPool({ ...session, ...limits }, new Reach(session));
  // An idle connection that the server closed is no news: the next query opens another.
  pool.on('error', (error) => log.warn({ error: error.message }, 'An idle database connection was closed'));
  // A connection that is in use may break twice: whoever uses it hears of it by the query that fails, and an error that nobody listens to
  // would end the process.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

/** A statement with a longer timeout on the server. @param ms that timeout */
export const withStatementTimeout = (text: string, values: readonly unknown[], ms: number) => ({
  text,
  values: [...values],
  query_timeout: ms + ANSWER_MS,
});

/** Runs `work` in one transaction; rolls back when it throws. */
export async function inTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    client.release();
    return result;
  } catch (error) {
    await client.query('ROLLBACK').then(
      () => client.release(),
      () => client.release(true),
    );
    throw error;
  }
}
