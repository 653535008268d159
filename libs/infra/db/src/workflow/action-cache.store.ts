import type { Attempt, CachedTurn } from '@pilothouse/contract';
import type { Pool } from '../client/pg-pool.ts';

/** Days after which what nobody used is forgotten, and most turns of one workflow: those used last. */
const DAYS = 30;
const MOST = 2000;

/** What runs of a workflow remember, where its project does not say no. A run without a workflow remembers nothing. */
const MEMORY_OF_RUN = `
SELECT r.workflow_id FROM run r JOIN project p ON p.id = r.project_id
WHERE r.id = $1 AND r.workflow_id IS NOT NULL AND coalesce(p.agents->>'memory', 'on') = 'on'`;

/** What agents did on pages, by workflow, step and page. */
export class ActionCacheStore {
  constructor(private readonly pool: Pool) {}

  /** What worked here last; null: nothing is remembered. */
  async get(run: string, step: string, key: string): Promise<CachedTurn | null> {
    const { rows } = await this.pool.query<{ moves: CachedTurn }>({
      name: 'recall-memory',
      text: `UPDATE action_memory SET used_at = now() WHERE workflow_id = (${MEMORY_OF_RUN}) AND step = $2 AND key = $3
        AND used_at > now() - interval '${DAYS} days' RETURNING moves`,
      values: [run, step, key],
    });
    return rows[0]?.moves ?? null;
  }

  /** Keeps turns in the place of those of the same pages, forgets others, and what is too old or too much. Of an attempt that is over it takes nothing. */
  async put(
    { run, epoch }: Attempt,
    step: string,
    turns: readonly { readonly key: string; readonly moves: CachedTurn }[],
    forget: readonly string[],
  ): Promise<void> {
    await this.pool.query(
      `WITH mine AS (${MEMORY_OF_RUN} AND r.epoch = $5 AND r.status IN ('running', 'awaiting_user')),
        gone AS (DELETE FROM action_memory WHERE workflow_id = (SELECT workflow_id FROM mine) AND step = $2 AND key = ANY ($4))
      INSERT INTO action_memory (workflow_id, step, key, moves, run_id)
      SELECT mine.workflow_id, $2, x.key, x.moves, $1 FROM mine, json_to_recordset($3::json) AS x(key text, moves json)
      ON CONFLICT (workflow_id, step, key) DO UPDATE SET moves = excluded.moves, run_id = excluded.run_id, used_at = now()`,
      [run, step, JSON.stringify(turns), forget, epoch],
    );
    if (turns.length > 0) await this.bound(run);
  }

  private async bound(run: string): Promise<void> {
    await this.pool.query(
      `WITH mine AS (${MEMORY_OF_RUN}),
        kept AS (
          SELECT step, key FROM action_memory WHERE workflow_id = (SELECT workflow_id FROM mine) AND used_at > now() - interval '${DAYS} days'
          ORDER BY used_at DESC LIMIT ${MOST}
        )
      DELETE FROM action_memory m WHERE m.workflow_id = (SELECT workflow_id FROM mine) AND (m.step, m.key) NOT IN (SELECT step, key FROM kept)`,
      [run],
    );
  }
}
