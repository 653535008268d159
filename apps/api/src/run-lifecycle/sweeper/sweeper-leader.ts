import type { Log } from '@pilothouse/core/ports/runtime.port';
import { terminateSilentLeader, tryLeadSweeper, type Pool, type PoolClient } from '@pilothouse/infra-db';

/** Event loop turns of a gateway from a claim to its acceptance. Each may be as late as the last sweep. */
export const LAG_FACTOR = 4;

export interface SweeperLeaderDeps {
  readonly pool: Pool;
  readonly log: Log;
  /** Time without a heartbeat after which a sweeper loses leadership. */
  readonly silentMs: number;
}

/** Leadership of one sweeper over all replicas. It ends with its database connection. */
export class SweeperLeader {
  private readonly deps: SweeperLeaderDeps;
  private client: PoolClient | undefined;
  private isStopped = false;
  /** True when the database role may not terminate connections. Logged once. */
  private isTerminationRefused = false;

  constructor(deps: SweeperLeaderDeps) {
    this.deps = deps;
  }

  /**
   * Tries to become the leader, if no other replica is.
   * @param lagMs delay of this replica
   * @returns the connection of the leader; undefined if another replica leads
   */
  async acquire(lagMs: number): Promise<PoolClient | undefined> {
    if (this.client) return this.client;
    const client = await this.deps.pool.connect();
    try {
      const { isLeader: leads, silentMs } = await tryLeadSweeper(client);
      if (leads && !this.isStopped) {
        this.client = client;
        return client;
      }
      if (!leads) await this.replaceSilentLeader(client, silentMs, lagMs);
      // Leadership that arrives after `stop` is released: the lock ends with the connection.
      client.release(leads);
      return undefined;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  /**
   * Ends the connection of a leader whose process is stopped or cut off; the next try then leads. A replica that is behind waits
   * longer: the leader may be behind, too.
   * @param silentForMs milliseconds since a sweeper was last heard of
   */
  private async replaceSilentLeader(client: PoolClient, silentForMs: number | null, lagMs: number): Promise<void> {
    const { log } = this.deps;
    const silentMs = this.deps.silentMs + LAG_FACTOR * lagMs;
    if (silentForMs === null || silentForMs < silentMs) return;
    try {
      const isTerminated = await terminateSilentLeader(client, silentMs);
      if (isTerminated) log.warn({ silentForMs: Math.round(silentForMs) }, 'silent sweeper replaced');
    } catch (error) {
      if (this.isTerminationRefused) return;
      this.isTerminationRefused = true;
      log.error(
        { error: String(error), silentForMs: Math.round(silentForMs) },
        'silent sweeper could not be replaced: run all replicas with one PostgreSQL role, or grant pg_signal_backend',
      );
    }
  }

  /** Gives up leadership; another replica may acquire it. */
  release(): void {
    this.client?.release(true);
    this.client = undefined;
  }

  /** Prevents an `acquire` in progress from becoming the leader. */
  stop(): void {
    this.isStopped = true;
  }
}
