import { createPool, type Pool } from '@pilothouse/infra-db';
import { startTcpProxy, type TcpProxy } from '@pilothouse/testing/tcp-proxy';
import type { GatewayHarness } from './gateway.fixture.ts';

/** Database connection of one replica through a proxy that can hang or break. */
export class ProxiedDatabase {
  proxy!: TcpProxy;
  pool!: Pool;

  /** Returns whether a PostgreSQL request is unanswered. */
  isWaiting = (): boolean => this.pool.totalCount > this.pool.idleCount;

  /** Returns whether all requests are answered. */
  isIdle = (): boolean => this.pool.totalCount > 0 && !this.isWaiting();
}

/**
 * Provides a database connection that hangs or breaks on request, a new one for each test. Call it within a `describe`: it breaks before
 * the harness closes its replicas, which would wait for it.
 */
export function useProxiedDatabase(harness: GatewayHarness): ProxiedDatabase {
  const database = new ProxiedDatabase();
  beforeEach(async () => {
    database.proxy = await startTcpProxy(harness.databaseUrl);
    database.pool = createPool({ databaseUrl: database.proxy.url, name: 'wired', log: harness.log });
  });
  afterEach(async () => {
    database.proxy.resetConnections();
    await database.pool.end();
    await database.proxy.close();
  });
  return database;
}
