import pg from 'pg';
import type { Log } from '@pilothouse/core';
import { CONNECT_MS, Reach } from './database-address.ts';

export type Pool = pg.Pool;
export type PoolClient = pg.PoolClient;

// BIGINT (sizes in bytes, counts) fits a double up to 9 PB, so it is read as a number.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export interface PoolOptions {
  databaseUrl: string;
  /** Maximum number of connections. */
  max?: number;
  /** Application name in `pg_stat_activity`. */
  name: string;
  /** Milliseconds after which an unanswered statement fails here (default 35 s). */
  answerMs?: number;
  log: Log;
}

/** Statement timeout of the server, in milliseconds. */
const STATEMENT_MS = 30_000;

/** Milliseconds for the server to report a timeout. A later answer means that the server is suspended or unreachable. */
const ANSWER_MS = 5_000;

/**
 * Settings of each session.
 * | Statements of Pilothouse use keys. The planner expects a hundred rows from their JSON arguments and takes a table that has just grown
 * for small. It then scans the whole table and compiles the query: a write of ten runs took 7 ms instead of 1 ms.
 * | A machine that lost power or network does not close its connections. The keepalive settings drop them, with their locks, after 11 s
 * instead of two hours.
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
 * Client of a pool. It closes its connection when a statement is not answered in time, because later statements would wait behind it.
 * After the server recovers, a late answer could also become part of an abandoned transaction. (`pg` abandons only the statement,
 * and Prisma returns the connection to the pool.) An unanswered statement triggers a check of the server through `reach`.
 */
const impatientClient = (reach: Reach) =>
  class ImpatientClient extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionTimeoutMillis: CONNECT_MS });
    }

    // `never` is compatible with all signatures of `pg`, here and below.
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
      // The pool itself uses the callback form, and closes failed connections.
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

/** A pool whose waits for a connection end after three seconds while the server is unavailable. */
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
    // An idle connection goes to the request that waited longest.
    if (this.idleCount > this.waitingCount) return super.connect(callback);
    let isOver = false;
    const waited = this.#reach.watchQueue(() => {
      waited();
      isOver = true;
      callback(Object.assign(new Error('The database server is away'), { code: 'ETIMEDOUT' }), undefined, () => {});
    });
    super.connect((error, client, release) => {
      waited();
      // The request has timed out: the connection goes to the next one.
      if (isOver) return client ? release() : undefined;
      callback(error, client, release);
    });
  }
}

/**
 * Creates a pool in which no statement waits forever. While the server is unavailable, a statement fails within three seconds.
 * A busy pool provides a connection within 15 s. A statement has 30 s to run, and 5 s more for an answer of the server.
 * A connection without an answer is closed; the server may still execute the statement when it recovers.
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
  // An idle connection closed by the server needs no report: the next query opens another.
  pool.on('error', (error) => log.warn({ error: error.message }, 'An idle database connection was closed'));
  // A connection in use may emit two errors. The failed query reports the first one; an unhandled second one would end the process.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

/** Runs a statement with a longer timeout on the server. @param ms that timeout */
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
