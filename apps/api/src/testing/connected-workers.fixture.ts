import { createPool, type Pool } from '@pilothouse/infra-db';
import { startTcpProxy, type TcpProxy } from '@pilothouse/testing';
import type { GatewayHarness } from './gateway.fixture.ts';

/** The way of one replica to PostgreSQL. */
export class ConnectedWorkers {
  wire!: TcpProxy;
  pool!: Pool;

  /** Whether something was asked of PostgreSQL that has no answer. */
  isWaiting = (): boolean => this.pool.totalCount > this.pool.idleCount;

  /** Whether all that was asked is answered. */
  isIdle = (): boolean => this.pool.totalCount > 0 && !this.isWaiting();
}

/**
 * A way to the database of a house that hangs or breaks as the spec says, a new one for each test. To be called within a `describe`: it breaks before
 * the house closes its replicas, which would wait for it.
 */
export function useConnectedWorkers(house: GatewayHarness): ConnectedWorkers {
  const wired = new ConnectedWorkers();
  beforeEach(async () => {
    wired.wire = await startTcpProxy(house.databaseUrl);
    wired.pool = createPool({ databaseUrl: wired.wire.url, name: 'wired', log: house.log });
  });
  afterEach(async () => {
    wired.wire.cut();
    await wired.pool.end();
    await wired.wire.close();
  });
  return wired;
}
