import { isTerminal, makeEvent, type RunEvent, type RunStatus } from '@pilothouse/contract';
import type { Clock } from '@pilothouse/core';
import type { NewRun, Pool, RunIntake, RunWriter } from '@pilothouse/infra-db';
import type { LiveEvents } from '@pilothouse/infra-stream';
import type { Dispatch } from './dispatch.ts';
import type { Watcher } from './watch.ts';
import { Way } from './way.ts';

export interface RunWayOptions {
  pool: Pool;
  intake: RunIntake;
  writer: RunWriter;
  dispatch: Dispatch;
  live: LiveEvents;
  watcher: Watcher;
  clock: Clock;
}

/** The way of a run over PostgreSQL and Redis. */
export class RunWay extends Way {
  private readonly options: RunWayOptions;

  constructor(options: RunWayOptions) {
    super();
    this.options = options;
  }

  override async submit(run: NewRun): Promise<void> {
    const { intake, dispatch, live } = this.options;
    const { admitted, dispatch: number, event } = await intake.submit(run);
    if (admitted) void dispatch.hint([{ run: run.id, fleet: run.fleet, dispatch: number, priority: run.priority }]);
    else dispatch.backlogged(run.fleet);
    live.publish([event]);
  }

  override async cancel(run: string, by: string): Promise<'cancelled' | 'cancelling' | 'ended' | null> {
    const { pool, writer, clock, dispatch } = this.options;
    // The status may change between looking and writing; each round sees a newer one, and a run ends after few.
    for (let round = 0; round < 10; round += 1) {
      const { rows } = await pool.query<{ status: RunStatus; cancelling: boolean }>(
        'SELECT status, cancel_requested_at IS NOT NULL AS cancelling FROM run WHERE id = $1',
        [run],
      );
      const row = rows[0];
      if (!row) return null;
      if (isTerminal(row.status)) return row.status === 'cancelled' ? 'cancelled' : 'ended';
      const now = clock.now();
      if (row.status === 'running') {
        if (row.cancelling) return 'cancelling';
        const events = [makeEvent('run.cancelling', `${by} asked to cancel`, { by }, now)];
        if (await writer.write({ run, guard: { from: ['running'] }, cancel: by, events })) return 'cancelling';
      } else {
        const events = [makeEvent('run.cancelled', `Cancelled by ${by}`, { by }, now)];
        const written = await writer.write({ run, guard: { from: [row.status] }, to: 'cancelled', cancel: by, events });
        if (written) {
          dispatch.freed(written.fleet);
          return 'cancelled';
        }
      }
    }
    return 'cancelling';
  }

  override watch(run: string, after: number, signal: AbortSignal): AsyncIterable<RunEvent> {
    return this.options.watcher.watch(run, after, signal);
  }
}
