import type { Log } from '@pilothouse/core/ports/runtime.port';
import {
  leaderSilenceMs,
  terminateSilentLeader,
  tryLead,
  type LeaderSession,
  type Pool,
  type PoolClient,
} from '@pilothouse/infra-db';

/** Event loop turns of a gateway from a claim to its acceptance. Each may be as late as the last sweep. */
export const LAG_FACTOR = 4;

export interface SweeperLeaderDeps {
  readonly pool: Pool;
  readonly log: Log;
  /** Time without a heartbeat after which a sweeper loses leadership. */
  readonly silentMs: number;
}

/** Leadership of one sweeper over all replicas. A leader that is silent for too long is replaced. */
export class SweeperLeader {
  private readonly deps: SweeperLeaderDeps;
  private session: LeaderSession | undefined;
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
    if (this.session) return this.session.client;
    const session = await tryLead(this.deps.pool, 'sweeper');
    if (!session) {
      await this.replaceSilentLeader(lagMs);
      return undefined;
    }
    if (this.isStopped) {
      await session.release();
      return undefined;
    }
    this.session = session;
    return session.client;
  }

  /**
   * Ends the connection of a leader whose process is stopped or cut off; the next try then leads. A replica that is behind waits
   * longer: the leader may be behind, too.
   */
  private async replaceSilentLeader(lagMs: number): Promise<void> {
    const { pool, log } = this.deps;
    const limitMs = this.deps.silentMs + LAG_FACTOR * lagMs;
    const silentMs = await leaderSilenceMs(pool, 'sweeper');
    if (silentMs === null || silentMs < limitMs) return;
    const facts = { silentForMs: Math.round(silentMs) };
    try {
      if (await terminateSilentLeader(pool, 'sweeper', limitMs)) log.warn(facts, 'silent sweeper replaced');
    } catch (error) {
      if (this.isTerminationRefused) return;
      this.isTerminationRefused = true;
      log.error(
        { error: String(error), ...facts },
        'silent sweeper could not be replaced: run all replicas with one PostgreSQL role, or grant pg_signal_backend',
      );
    }
  }

  /** Gives up leadership; another replica may acquire it. Never throws. */
  async release(): Promise<void> {
    const { session } = this;
    this.session = undefined;
    await session?.release();
  }

  /** Prevents an `acquire` in progress from becoming the leader. */
  stop(): void {
    this.isStopped = true;
  }
}
