import type { Log } from '@pilothouse/core';
import { admit, admittedSince, fleetsWithBacklog, rehint, type Hint, type Pool } from '@pilothouse/infra-db';
import { hit } from '@pilothouse/infra-fault';
import type { HintBoard } from '@pilothouse/infra-queue';

export interface DispatchOptions {
  pool: Pool;
  board: Pick<HintBoard, 'add' | 'missing' | 'clean'>;
  /** Name of a fleet by its id: queues are named for people. */
  fleetName(id: string): Promise<string | null>;
  /** Runs of a fleet that may be in Redis at a time. */
  window: number;
  log: Log;
}

/** Milliseconds between two admissions that freed places ask for: a busy fleet frees thousands a second, its window outlasts this. */
const FILL_EVERY_MS = 50;

/**
 * Brings runs from PostgreSQL into the queue: order and limits are decided here, Redis only wakes a gateway. Nothing here is
 * awaited by a request, and nothing is lost when it fails: the sweeper comes by every second.
 */
export class Dispatch {
  private readonly options: DispatchOptions;
  private readonly admitting = new Map<string, { again: boolean }>();
  private readonly backlog = new Set<string>();
  /** When a fleet's window was last filled, on the monotonic clock. */
  private readonly filledAt = new Map<string, number>();
  /** Fleets whose window is filled again in a moment. */
  private readonly soon = new Set<string>();

  constructor(options: DispatchOptions) {
    this.options = options;
  }

  /** Puts the hints of admitted runs into their queues. */
  async hint(hints: readonly Hint[]): Promise<void> {
    try {
      const named = await Promise.all(
        hints.map(async (hint) => ({ ...hint, fleet: await this.options.fleetName(hint.fleet) })),
      );
      await this.options.board.add(
        named.filter((hint): hint is typeof hint & { fleet: string } => hint.fleet !== null),
      );
      await hit('way.hinted');
    } catch (error) {
      this.options.log.debug(
        { error: String(error), runs: hints.length },
        'Hints were not added; the sweeper hints again',
      );
    }
  }

  /** A run of the fleet waits outside the window. */
  backlogged(fleet: string): void {
    this.backlog.add(fleet);
    void this.admit(fleet);
  }

  /** A place in the fleet's window has become free. */
  freed(fleet: string): void {
    if (!this.backlog.has(fleet) || this.soon.has(fleet)) return;
    const waitMs = (this.filledAt.get(fleet) ?? -Infinity) + FILL_EVERY_MS - performance.now();
    if (waitMs <= 0) return void this.admit(fleet);
    this.soon.add(fleet);
    setTimeout(() => {
      this.soon.delete(fleet);
      if (!this.options.pool.ending) void this.admit(fleet);
    }, waitMs).unref();
  }

  /** Fills the window of a fleet; calls that come meanwhile are answered by one more round. */
  async admit(fleet: string): Promise<void> {
    const underWay = this.admitting.get(fleet);
    if (underWay) {
      underWay.again = true;
      return;
    }
    const state = { again: true };
    this.admitting.set(fleet, state);
    this.filledAt.set(fleet, performance.now());
    try {
      while (state.again) {
        state.again = false;
        const hints = await admit(this.options.pool, fleet, this.options.window);
        if (hints.length === 0) {
          // A window that is full, or a project at its limit, says nothing about the backlog.
          const waiting = await fleetsWithBacklog(this.options.pool);
          if (!waiting.includes(fleet)) this.backlog.delete(fleet);
        } else {
          this.backlog.add(fleet);
          await this.hint(hints);
        }
      }
    } catch (error) {
      this.options.log.warn({ error: String(error), fleet }, 'Admission failed; the sweeper tries again');
    } finally {
      this.admitting.delete(fleet);
    }
  }

  /** A hint that was fetched but found no slot: the run goes back under the next number. */
  async putBack(hint: Hint): Promise<void> {
    const next = await rehint(this.options.pool, hint);
    if (next) await this.hint([next]);
  }

  /**
   * Hints again every admitted run whose job does not wait. Only runs hinted longer than `olderThanMs` ago: a younger one may
   * be on its way through a gateway.
   * @returns how many were hinted again
   */
  async rehintMissing(olderThanMs: number): Promise<number> {
    const { pool, board, fleetName } = this.options;
    const old = await admittedSince(pool, olderThanMs);
    if (old.length === 0) return 0;
    const named = await Promise.all(
      old.map(async (hint) => ({ ...hint, id: hint.fleet, fleet: (await fleetName(hint.fleet)) ?? '' })),
    );
    const missing = await board.missing(named.filter(({ fleet }) => fleet !== ''));
    const again = await Promise.all(missing.map((hint) => rehint(pool, { ...hint, fleet: hint.id })));
    const hints = again.filter((hint) => hint !== null);
    if (hints.length > 0) await this.hint(hints);
    return hints.length;
  }
}
