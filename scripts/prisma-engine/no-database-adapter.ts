/** A session without a database: the engine needs a session even to compare schema files. */
import { ColumnTypeEnum, type SqlDriverAdapter } from '@prisma/driver-adapter-utils';

/** Oldest supported version of PostgreSQL: the engine writes SQL for it. */
const SERVER_VERSION = 150_000;

async function refuse(): Promise<never> {
  throw new Error('This needs a database: set DATABASE_URL to the connection string of a PostgreSQL server.');
}

/** Answers the query that the engine sends at its start (schema exists, server version), and rejects all others. */
export function createOfflineAdapter(): SqlDriverAdapter {
  let isQueried = false;
  return {
    provider: 'postgres',
    adapterName: '@prisma/adapter-pg',
    queryRaw: async () => {
      if (isQueried) return refuse();
      isQueried = true;
      return {
        columnNames: ['exists', 'version', 'numeric_version'],
        columnTypes: [ColumnTypeEnum.Boolean, ColumnTypeEnum.Text, ColumnTypeEnum.Int32],
        rows: [[true, 'PostgreSQL', SERVER_VERSION]],
      };
    },
    executeRaw: refuse,
    executeScript: refuse,
    startTransaction: refuse,
    getConnectionInfo: () => ({ schemaName: 'public', supportsRelationJoins: true }),
    dispose: async () => {},
  };
}
