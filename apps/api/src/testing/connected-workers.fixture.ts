import { createPool, type Pool } from '@pilothouse/infra-db';
import { startTcpProxy, type TcpProxy } from '@pilothouse/testing';
import type { GatewayHarness } from './gateway.fixture.ts';

/** Database connection of one replica. */
export class ConnectedWorkers {
  wire!: TcpProxy;
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
export function useConnectedWorkers(harness: GatewayHarness): ConnectedWorkers {
  const wired = new ConnectedWorkers();
  beforeEach(async () => {
    wired.wire = await startTcpProxy(harness.databaseUrl);
    wired.pool = createPool({ databaseUrl: wired.wire.url, name: 'wired', log: harness.log });
  });
  afterEach(async () => {
    wired.wire.resetConnections();
    await wired.pool.end();
    await wired.wire.close();
  });
  return wired;
}
