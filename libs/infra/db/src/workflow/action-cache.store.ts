import type { Attempt, CachedTurn } from '@pilothouse/contract';
import type { Pool } from '../client/pg-pool.ts';

/** Days after which what nobody used is forgotten, and most turns of one workflow: those used last. */
const DAYS = 30;
const MOST = 2000;

/** What runs of a workflow remember, where its project does not say no. A run without a workflow remembers nothing. */
const MEMORY_OF_RUN = `
SELECT r.workflow_id FROM run r JOIN project p ON p.id = r.project_id
WHERE r.id = $1 AND r.workflow_id IS NOT NULL AND coalesce(p.agents->>'actionCache', 'auto') = 'auto'`;

/** What agents did on pages, by workflow, step and page. */
export class ActionCacheStore {
  constructor(private readonly pool: Pool) {}

  /** What worked here last; null: nothing is remembered. */
  async get(run: string, step: string, key: string): Promise<CachedTurn | null> {
    const { rows } = await this.pool.query<{ moves: CachedTurn }>({
      name: 'recall-memory',
      text: `UPDATE action_cache SET last_used_at = now() WHERE workflow_id = (${MEMORY_OF_RUN}) AND step_digest = $2 AND page_digest = $3
        AND last_used_at > now() - interval '${DAYS} days' RETURNING actions AS moves`,
      values: [run, step, key],
    });
    return rows[0]?.moves ?? null;
  }

  /** Keeps turns in the place of those of the same pages, forgets others, and what is too old or too much. Of an attempt that is over it takes nothing. */
  async put(
    { run, epoch }: Attempt,
    step: string,
    turns: readonly { readonly key: string; readonly actions: CachedTurn }[],
    forget: readonly string[],
  ): Promise<void> {
    await this.pool.query(
      `WITH mine AS (${MEMORY_OF_RUN} AND r.epoch = $5 AND r.status IN ('running', 'awaiting_user')),
        gone AS (DELETE FROM action_cache WHERE workflow_id = (SELECT workflow_id FROM mine) AND step_digest = $2 AND page_digest = ANY ($4))
      INSERT INTO action_cache (workflow_id, step_digest, page_digest, actions, run_id)
      SELECT mine.workflow_id, $2, x.key, x.actions, $1 FROM mine, json_to_recordset($3::json) AS x(key text, actions json)
      ON CONFLICT (workflow_id, step_digest, page_digest) DO UPDATE SET actions = excluded.actions, run_id = excluded.run_id, last_used_at = now()`,
      [run, step, JSON.stringify(turns), forget, epoch],
    );
    if (turns.length > 0) await this.bound(run);
  }

  private async bound(run: string): Promise<void> {
    await this.pool.query(
      `WITH mine AS (${MEMORY_OF_RUN}),
        kept AS (
          SELECT step_digest, page_digest FROM action_cache WHERE workflow_id = (SELECT workflow_id FROM mine) AND last_used_at > now() - interval '${DAYS} days'
          ORDER BY last_used_at DESC LIMIT ${MOST}
        )
      DELETE FROM action_cache c WHERE c.workflow_id = (SELECT workflow_id FROM mine)
        AND (c.step_digest, c.page_digest) NOT IN (SELECT step_digest, page_digest FROM kept)`,
      [run],
    );
  }
}
