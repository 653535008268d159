import type { CachedTurn, CallCost } from '@pilothouse/contract/agent/agent.schema';
import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import type { Pool } from '../client/pg-pool.ts';

/** Days after which unused entries are removed. */
const MAX_UNUSED_DAYS = 30;

/** Maximum number of entries of a workflow. The least recently used ones are removed. */
const MAX_ENTRIES = 2000;

/** Scope of the cache: workflows whose project does not disable it. Runs without a workflow have no cache. */
const WORKFLOW_OF_RUN = `
SELECT r.workflow_id FROM run r JOIN project p ON p.id = r.project_id
WHERE r.id = $1 AND r.workflow_id IS NOT NULL AND coalesce(p.agents->>'actionCache', 'auto') = 'auto'`;

/** A cached turn, and the cost of the model call that chose its actions. */
export interface CacheEntry {
  readonly actions: CachedTurn;
  readonly callCost: CallCost;
}

/** Actions of agents on pages, by workflow, step and page. */
export class ActionCacheStore {
  constructor(private readonly pool: Pool) {}

  /** Last successful actions here; null: no entry. */
  async get(run: string, step: string, key: string): Promise<CacheEntry | null> {
    const { rows } = await this.pool.query<CacheEntry>({
      name: 'get-cached-actions',
      text: `UPDATE action_cache SET last_used_at = now() WHERE workflow_id = (${WORKFLOW_OF_RUN}) AND step_digest = $2 AND page_digest = $3
        AND last_used_at > now() - interval '${MAX_UNUSED_DAYS} days' RETURNING actions, call_cost AS "callCost"`,
      values: [run, step, key],
    });
    return rows[0] ?? null;
  }

  /** Replaces the entries of the same pages, and removes evicted, expired and excess ones. Ignores an attempt that has ended. */
  async put(
    { run, epoch }: Attempt,
    step: string,
    turns: readonly (CacheEntry & { readonly key: string })[],
    evictedKeys: readonly string[],
  ): Promise<void> {
    await this.pool.query(
      `WITH scope AS (${WORKFLOW_OF_RUN} AND r.epoch = $5 AND r.status IN ('running', 'awaiting_user')),
        removed AS (DELETE FROM action_cache WHERE workflow_id = (SELECT workflow_id FROM scope) AND step_digest = $2 AND page_digest = ANY ($4))
      INSERT INTO action_cache (workflow_id, step_digest, page_digest, actions, call_cost, run_id)
      SELECT scope.workflow_id, $2, x.key, x.actions, x."callCost", $1
      FROM scope, json_to_recordset($3::json) AS x(key text, actions json, "callCost" json)
      ON CONFLICT (workflow_id, step_digest, page_digest) DO UPDATE SET actions = excluded.actions, call_cost = excluded.call_cost,
        run_id = excluded.run_id, last_used_at = now()`,
      [run, step, JSON.stringify(turns), evictedKeys, epoch],
    );
    if (turns.length > 0) await this.evictOldest(run);
  }

  private async evictOldest(run: string): Promise<void> {
    await this.pool.query(
      `WITH scope AS (${WORKFLOW_OF_RUN}),
        recent AS (
          SELECT step_digest, page_digest FROM action_cache WHERE workflow_id = (SELECT workflow_id FROM scope) AND last_used_at > now() - interval '${MAX_UNUSED_DAYS} days'
          ORDER BY last_used_at DESC LIMIT ${MAX_ENTRIES}
        )
      DELETE FROM action_cache c WHERE c.workflow_id = (SELECT workflow_id FROM scope)
        AND (c.step_digest, c.page_digest) NOT IN (SELECT step_digest, page_digest FROM recent)`,
      [run],
    );
  }
}
