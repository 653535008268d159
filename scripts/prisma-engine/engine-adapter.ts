/** Connects the schema engine to PostgreSQL: the driver adapter of Prisma over `pg`, with additions for the engine. */
import { PrismaPg } from '@prisma/adapter-pg';
import {
  ColumnTypeEnum,
  DriverAdapterError,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
  type SqlQuery,
  type SqlResultSet,
} from '@prisma/driver-adapter-utils';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import {
  createDatabase,
  dropDatabase,
  MIGRATOR_APPLICATION_NAME,
  replaceDatabaseName,
} from '../../libs/infra/db/src/migrate/pg-database.ts';
import { resetSession, runScript } from '../../libs/infra/db/src/migrate/sql-script.ts';
import { createOfflineAdapter } from './no-database-adapter.ts';

/** OID of the catalogue's one-letter type `"char"`, which the adapter does not know and refuses. */
const CHAR_OID = 18;

/** Type that replaces `"char"` inside the adapter. The engine never queries a time of day, and the adapter does not convert it. */
const CARRIER_OID = pg.types.builtins.TIME;

/** Replaces the type `"char"` of result columns with a type that the adapter supports. */
class CatalogueClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.connection.on('rowDescription', ({ fields }: { fields: { dataTypeID: number }[] }) => {
      for (const field of fields) if (field.dataTypeID === CHAR_OID) field.dataTypeID = CARRIER_OID;
    });
  }
}

/** Restores the type `"char"` in results of the adapter, because the engine requires it. */
function restoreCharType(result: SqlResultSet): SqlResultSet {
  const columnTypes = result.columnTypes.map((type) =>
    type === ColumnTypeEnum.Time ? ColumnTypeEnum.Character : type,
  );
  return { ...result, columnTypes };
}

function createEnginePool(databaseUrl: string): pg.Pool {
  const pool = new pg.Pool({
    Client: CatalogueClient,
    connectionString: databaseUrl,
    application_name: MIGRATOR_APPLICATION_NAME,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
    max: 2,
    // The engine's advisory lock lives in one session of this pool. It must not be closed while a long migration uses the other.
    idleTimeoutMillis: 0,
  });
  // An error of an idle connection must not end the process. The next query reports it.
  pool.on('error', () => {});
  return pool;
}

/** Runs a script of the engine. The adapter's own version cuts it at every `;`. */
async function executeScript(pool: pg.Pool, script: string, onError: (error: unknown) => void): Promise<void> {
  const client = await pool.connect();
  try {
    await runScript(client, script);
    await resetSession(client);
    client.release();
  } catch (error) {
    client.release(true);
    onError(error);
    if (!(error instanceof pg.DatabaseError)) throw error;
    const { code = 'XX000', severity = 'ERROR', message, detail, column, hint } = error;
    throw new DriverAdapterError({ kind: 'postgres', code, severity, message, detail, column, hint });
  }
}

/**
 * The schema in which unqualified names live, so that migrations and the product's own statements mean the same tables. A search path may
 * be set by login, database or connection string (`?options=`).
 */
async function currentSchema(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ schema: string | null }>('SELECT current_schema() AS schema');
  return rows[0]?.schema ?? 'public';
}

/** One session of the engine with the database. `dispose()` closes it, and may be called twice. */
async function connect(databaseUrl: string, onError: (error: unknown) => void): Promise<SqlDriverAdapter> {
  const pool = createEnginePool(databaseUrl);
  const schema = await currentSchema(pool).catch(async (error: unknown) => {
    await pool.end();
    throw error;
  });
  const adapter = await new PrismaPg(pool, { schema }).connect();
  const queryRaw = adapter.queryRaw.bind(adapter);
  return Object.assign(adapter, {
    queryRaw: async (query: SqlQuery) => restoreCharType(await queryRaw(query)),
    executeScript: (script: string) => executeScript(pool, script, onError),
    dispose: async () => {
      if (!pool.ending) await pool.end();
    },
  });
}

/** A session with a new, empty database that is dropped on `dispose()`. */
async function connectToShadow(serverUrl: string, onError: (error: unknown) => void): Promise<SqlDriverAdapter> {
  const url = replaceDatabaseName(serverUrl, `prisma_migrate_shadow_db_${randomUUID()}`);
  await createDatabase(url);
  const adapter = await connect(url, onError);
  const close = adapter.dispose.bind(adapter);
  return Object.assign(adapter, {
    dispose: async () => {
      await close();
      await dropDatabase(url, { force: true });
    },
  });
}

export interface EngineAdapters {
  factory: SqlMigrationAwareDriverAdapterFactory;
  /** Last error of PostgreSQL for a script. The engine keeps only a part of it. */
  lastScriptError(): unknown;
  /** Closes the remaining sessions of the engine, and drops its remaining shadow databases. */
  close(): Promise<void>;
}

/**
 * Sessions for the schema engine, which opens them when it needs them.
 * @param databaseUrl without one the engine can only compare schema files
 * @param shadowDatabaseUrl server for shadow databases, if it differs from that of `databaseUrl`. The database in this URL is not changed: shadow databases are new.
 */
export function createEngineAdapters(databaseUrl: string | undefined, shadowDatabaseUrl = databaseUrl): EngineAdapters {
  const opened: SqlDriverAdapter[] = [];
  let scriptError: unknown;
  const onError = (error: unknown) => {
    scriptError = error;
  };
  const track = async (opening: Promise<SqlDriverAdapter>) => {
    const adapter = await opening;
    opened.push(adapter);
    return adapter;
  };
  return {
    factory: {
      provider: 'postgres',
      adapterName: '@prisma/adapter-pg',
      connect: async () => (databaseUrl ? track(connect(databaseUrl, onError)) : createOfflineAdapter()),
      connectToShadowDb: async () =>
        shadowDatabaseUrl ? track(connectToShadow(shadowDatabaseUrl, onError)) : createOfflineAdapter(),
    },
    lastScriptError: () => scriptError,
    close: async () => {
      await Promise.all(opened.splice(0).map((adapter) => adapter.dispose()));
    },
  };
}
