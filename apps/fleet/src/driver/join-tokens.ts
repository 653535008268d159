import type { FleetWorkerRef } from '@pilothouse/core/ports/fleet-state.port';
import { WorkerJoinStore, type Pool } from '@pilothouse/infra-db';
import { hashToken, newToken } from '@pilothouse/infra-vault';

/** Issues a join token for each worker that a driver creates. A token is valid once, for the fleet and name of its worker. */
export interface JoinTokens {
  /** @returns the token. Only its hash is stored. @throws Error if the store is not available */
  issue(worker: FleetWorkerRef): Promise<string>;
  /** Invalidates the token, and the session key for which it was exchanged: the worker has ended. */
  end(worker: FleetWorkerRef): Promise<void>;
}

/** Join tokens in PostgreSQL. @param ttlSeconds time in which a worker must join */
export function createJoinTokens(pool: Pool, ttlSeconds: number): JoinTokens {
  const store = new WorkerJoinStore(pool);
  return {
    issue: async ({ fleet, name }) => {
      const token = newToken('jt_');
      await store.issue(fleet, name, hashToken(token), ttlSeconds);
      return token;
    },
    end: ({ fleet, name }) => store.end(fleet, name),
  };
}
