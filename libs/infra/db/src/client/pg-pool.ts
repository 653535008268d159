import pg from 'pg';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { CONNECT_TIMEOUT_MS, ServerReachability } from './database-address.ts';

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
const STATEMENT_TIMEOUT_MS = 30_000;

/** Milliseconds for the server to report a timeout. A later answer means that the server is suspended or unreachable. */
const ANSWER_GRACE_MS = 5_000;

/**
 * Settings of each session.
 *
 * Statements of Pilothouse use keys. The planner expects a hundred rows from their JSON arguments and takes a table
 * that has just grown for small. It then scans the whole table and compiles the query: a write of ten runs took 7 ms
 * instead of 1 ms.
 *
 * A machine that lost power or network does not close its connections. The keepalive settings drop them, with their
 * locks, after 11 s instead of two hours.
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
const isQueryTimeout = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout';

/**
 * Client of a pool. It closes its connection when a statement is not answered in time: later statements would wait
 * behind it. After the server recovers, a late answer could also become part of an abandoned transaction. (`pg`
 * abandons only the statement, and Prisma returns the connection to the pool.) After an unanswered statement,
 * `reachability` checks the server.
 */
const createTimeoutClient = (reachability: ServerReachability) =>
  class TimeoutClient extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
    }

    // `never` is compatible with all signatures of `pg`, here and below.
    override connect(...args: unknown[]): never {
      const startedAt = performance.now();
      const [callback] = args;
      if (typeof callback === 'function') {
        return super.connect((error: Error | null, ...results: unknown[]) => {
          reachability.connected(startedAt, error ?? undefined);
          Reflect.apply(callback, undefined, [error, ...results]);
        }) as never;
      }
      return super.connect().then(
        () => reachability.connected(startedAt),
        (error: unknown) => {
          reachability.connected(startedAt, error);
          throw error;
        },
      ) as never;
    }

    override query(...args: unknown[]): never {
      const unwatch = reachability.watch(() => void this.end());
      const callback = args.at(-1);
      // The pool itself uses the callback form, and closes failed connections.
      if (typeof callback === 'function') {
        const onAnswer = (...answer: unknown[]) => {
          unwatch();
          Reflect.apply(callback, undefined, answer);
        };
        return Reflect.apply(super.query, this, [...args.slice(0, -1), onAnswer]) as never;
      }
      const answer: unknown = Reflect.apply(super.query, this, args);
      if (!(answer instanceof Promise)) {
        unwatch();
        return answer as never;
      }
      return answer.finally(unwatch).catch((error: unknown) => {
        if (isQueryTimeout(error)) void this.end();
        throw error;
      }) as never;
    }
  };

type ConnectCallback = (
  error: Error | undefined,
  client: PoolClient | undefined,
  release: (error?: Error) => void,
) => void;

/** A pool whose waits for a connection end after three seconds while the server is unavailable. */
class TimeoutPool extends pg.Pool {
  readonly #reachability: ServerReachability;

  constructor(config: pg.PoolConfig, reachability: ServerReachability) {
    super({ ...config, Client: createTimeoutClient(reachability) });
    this.#reachability = reachability;
  }

  override connect(...args: [] | [ConnectCallback]): never {
    const [callback] = args;
    if (callback) return this.#connect(callback) as never;
    return new Promise<PoolClient>((resolve, reject) => {
      this.#connect((error, client) => (client ? resolve(client) : reject(error)));
    }) as never;
  }

  #connect(callback: ConnectCallback): void {
    // An idle connection goes to the request that waited longest.
    if (this.idleCount > this.waitingCount) return super.connect(callback);
    let hasTimedOut = false;
    const cancelWait = this.#reachability.watchQueue(() => {
      cancelWait();
      hasTimedOut = true;
      callback(
        Object.assign(new Error('The database server is unreachable'), { code: 'ETIMEDOUT' }),
        undefined,
        () => {},
      );
    });
    super.connect((error, client, release) => {
      cancelWait();
      // The request has timed out: the connection goes to the next one.
      if (hasTimedOut) return client ? release() : undefined;
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
  answerMs = STATEMENT_TIMEOUT_MS + ANSWER_GRACE_MS,
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
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: answerMs,
    idle_in_transaction_session_timeout: 30_000,
  };
  const pool = new TimeoutPool({ ...session, ...limits }, new ServerReachability(session));
  // An idle connection closed by the server needs no report: the next query opens another.
  pool.on('error', (error) => log.warn({ error: error.message }, 'idle database connection closed'));
  // A connection in use may emit two errors. The failed query reports the first one; an unhandled second one would end the process.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

/** Runs a statement with a longer timeout on the server. @param ms that timeout */
export const withStatementTimeout = (text: string, values: readonly unknown[], ms: number) => ({
  text,
  values: [...values],
  query_timeout: ms + ANSWER_GRACE_MS,
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
