import type { Attempt, CachedTurn } from '@pilothouse/contract';
import type { Pool } from '../client/pg-pool.ts';

/** Days after which unused entries are removed, and maximum number of entries of a workflow: the last used ones remain. */
const DAYS = 30;
const MOST = 2000;

/** Scope of the cache: workflows whose project does not disable it. Runs without a workflow have no cache. */
const MEMORY_OF_RUN = `
SELECT r.workflow_id FROM run r JOIN project p ON p.id = r.project_id
WHERE r.id = $1 AND r.workflow_id IS NOT NULL AND coalesce(p.agents->>'actionCache', 'auto') = 'auto'`;

/** Actions of agents on pages, by workflow, step and page. */
export class ActionCacheStore {
  constructor(private readonly pool: Pool) {}

  /** Last successful actions here; null: no entry. */
  async get(run: string, step: string, key: string): Promise<CachedTurn | null> {
    const { rows } = await this.pool.query<{ moves: CachedTurn }>({
      name: 'recall-memory',
      text: `UPDATE action_cache SET last_used_at = now() WHERE workflow_id = (${MEMORY_OF_RUN}) AND step_digest = $2 AND page_digest = $3
        AND last_used_at > now() - interval '${DAYS} days' RETURNING actions AS moves`,
      values: [run, step, key],
    });
    return rows[0]?.moves ?? null;
  }

  /** Replaces the entries of the same pages, and removes given, expired and excess ones. Ignores an attempt that has ended. */
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
    if (turns.length > 0) await this.evictOldest(run);
  }

  private async evictOldest(run: string): Promise<void> {
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
