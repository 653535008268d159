import type { Politeness, SiteLimit } from '@pilothouse/contract/project/politeness.schema';
import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import { decideVisit, intervalMs, type LimitState, type VisitDecision } from '@pilothouse/core/politeness/site-limits';
import { inTransaction, type Pool, type PoolClient } from '../client/pg-pool.ts';

/** Site limits of the project and the workflow of a run. */
export interface PolitenessRules {
  readonly project: string;
  readonly workflow: string;
  readonly byProject: Politeness | null;
  readonly byWorkflow: Politeness | null;
}

/**
 * Current site limits of the project and the workflow of a run. null: the run was deleted, or another attempt is newer.
 */
export async function readPolitenessRules(pool: Pool, { run, epoch }: Attempt): Promise<PolitenessRules | null> {
  const { rows } = await pool.query<PolitenessRules>({
    name: 'politeness',
    text: `SELECT r.project_id AS project, r.workflow_name AS workflow, p.politeness AS "byProject", r.definition->'politeness' AS "byWorkflow"
      FROM run r JOIN project p ON p.id = r.project_id WHERE r.id = $1 AND r.epoch = $2`,
    values: [run, epoch],
  });
  return rows[0] ?? null;
}

/** A limit and its scope: runs of a workflow or, if empty, of the project. */
export interface ScopedSiteLimit extends SiteLimit {
  readonly scope: string;
}

/** Request of a run to open a page. */
export interface SiteVisitRequest<Limit extends ScopedSiteLimit> extends Attempt {
  readonly project: string;
  /** Limits of the site to open; empty: none. */
  readonly siteLimits: readonly Limit[];
  /** Limits of other open sites: they need a slot there, but no rate. */
  readonly openSiteLimits: readonly Limit[];
}

/** Result: the run may proceed, or waits for a limit. */
export type SiteVisitVerdict<Limit> =
  | { readonly go: true }
  | (Omit<Extract<VisitDecision, { go: false }>, 'limitIndex'> & { readonly blockingLimit: Limit });

const keyOf = ({ scope, domain }: Pick<ScopedSiteLimit, 'scope' | 'domain'>) => JSON.stringify([scope, domain]);

const keysOf = (limits: readonly ScopedSiteLimit[]) =>
  JSON.stringify(limits.map(({ scope, domain }) => ({ scope, domain })));

// Reads one row per limit, locked in a fixed order, so that requests for one limit are serialized.
const LOCK_RATES = `
INSERT INTO site_rate (project_id, scope, domain, last_visit_at)
SELECT $1, x.scope, x.domain, to_timestamp(0) FROM json_to_recordset($2::json) AS x(scope text, domain text) ORDER BY 2, 3
ON CONFLICT (project_id, scope, domain) DO UPDATE SET last_visit_at = site_rate.last_visit_at
RETURNING scope, domain, (extract(epoch FROM clock_timestamp() - last_visit_at) * 1000)::float8 AS "sinceMs"
`;

/** A visit ends with its attempt: the lease identifies the current attempt. */
const DELETE_EXPIRED_VISITS = `
DELETE FROM site_visit v USING json_to_recordset($2::json) AS x(scope text, domain text)
WHERE v.project_id = $1 AND v.scope = x.scope AND v.domain = x.domain
  AND NOT EXISTS (SELECT 1 FROM lease l WHERE l.run_id = v.run_id AND l.epoch = v.epoch)
`;

// Rows of other limits are not locked here; a concurrent removal is fine.
const DELETE_OTHER_VISITS = `
DELETE FROM site_visit WHERE ctid = ANY (ARRAY(
  SELECT v.ctid FROM site_visit v WHERE v.run_id = $1 AND (v.epoch <> $2 OR NOT EXISTS (
    SELECT 1 FROM json_to_recordset($3::json) AS x(scope text, domain text) WHERE x.scope = v.scope AND x.domain = v.domain
  )) FOR UPDATE SKIP LOCKED))
`;

const SELECT_LIMIT_STATES = `
SELECT x.scope, x.domain,
  count(*) FILTER (WHERE v.is_open AND v.run_id <> $3)::int AS "activeRuns",
  coalesce(bool_or(v.is_open AND v.run_id = $3), false) AS "hasSlot",
  count(*) FILTER (WHERE v.waiting_for = 'requestsPerMinute' AND v.ahead)::int AS "aheadPerMinute",
  count(*) FILTER (WHERE v.waiting_for = 'maxConcurrentRuns' AND v.ahead)::int AS "aheadConcurrent"
FROM json_to_recordset($2::json) AS x(scope text, domain text)
LEFT JOIN LATERAL (
  SELECT w.*, w.run_id <> $3 AND w.retry_at + interval '10 seconds' > clock_timestamp()
    AND ($4::timestamptz IS NULL OR (w.requested_at, w.run_id) < ($4::timestamptz, $3)) AS ahead
  FROM site_visit w WHERE w.project_id = $1 AND w.scope = x.scope AND w.domain = x.domain
) v ON true
GROUP BY x.scope, x.domain
`;

const INSERT_VISITS = `
INSERT INTO site_visit (run_id, scope, domain, project_id, epoch, is_open)
SELECT $1, x.scope, x.domain, $2, $3, true FROM json_to_recordset($4::json) AS x(scope text, domain text, "maxConcurrentRuns" int)
WHERE x."maxConcurrentRuns" IS NOT NULL
ON CONFLICT (run_id, scope, domain) DO UPDATE SET is_open = true, epoch = excluded.epoch, waiting_for = NULL, requested_at = NULL, retry_at = NULL
`;

const UPDATE_RATES = `
UPDATE site_rate p SET last_visit_at = clock_timestamp() FROM json_to_recordset($2::json) AS x(scope text, domain text)
WHERE p.project_id = $1 AND p.scope = x.scope AND p.domain = x.domain
`;

const INSERT_WAIT = `
INSERT INTO site_visit (run_id, scope, domain, project_id, epoch, is_open, waiting_for, requested_at, retry_at)
VALUES ($1, $2, $3, $4, $5, false, $6, coalesce($7, clock_timestamp()), clock_timestamp() + $8 * interval '1 millisecond')
ON CONFLICT (run_id, scope, domain) DO UPDATE SET
  epoch = excluded.epoch, waiting_for = excluded.waiting_for, requested_at = excluded.requested_at, retry_at = excluded.retry_at
`;

// A run that waits for a slot holds none, so that two runs cannot deadlock.
const DELETE_VISITS = 'DELETE FROM site_visit WHERE run_id = $1';

/**
 * Lets a run open a page, with a slot and the rate of every limit, or records that it waits. It gets all slots at once, or none.
 * Stored in PostgreSQL because limits lost with Redis would not be enforced.
 */
export async function requestSiteVisit<Limit extends ScopedSiteLimit>(
  pool: Pool,
  visit: SiteVisitRequest<Limit>,
): Promise<SiteVisitVerdict<Limit>> {
  const { run, epoch, project, siteLimits, openSiteLimits } = visit;
  const targetKeys = new Set(siteLimits.map(keyOf));
  const occupiedLimits = openSiteLimits.filter(
    (limit) => limit.maxConcurrentRuns !== undefined && !targetKeys.has(keyOf(limit)),
  );
  const limits = [...siteLimits, ...occupiedLimits];
  const keys = keysOf(limits);
  return inTransaction(pool, async (client) => {
    const rates = siteLimits.length === 0 ? [] : await lock(client, project, keys);
    const { rows: visits } = await client.query<{ requestedAt: Date | null }>(
      'SELECT min(requested_at) AS "requestedAt" FROM site_visit WHERE run_id = $1 AND epoch = $2',
      [run, epoch],
    );
    const requestedAt = visits[0]?.requestedAt ?? null;
    await client.query(DELETE_OTHER_VISITS, [run, epoch, keysOf([...siteLimits, ...openSiteLimits])]);
    if (siteLimits.length === 0) return { go: true };
    await client.query(DELETE_EXPIRED_VISITS, [project, keys]);
    // A run waits for one limit at a time.
    await client.query('DELETE FROM site_visit WHERE run_id = $1 AND NOT is_open', [run]);
    await client.query(
      'UPDATE site_visit SET waiting_for = NULL, requested_at = NULL, retry_at = NULL WHERE run_id = $1',
      [run],
    );
    const states = await readLimitStates(client, { run, project, limits, keys, rates, requestedAt });
    const verdict = decideVisit(
      states.map((state, index) => (index < siteLimits.length ? state : { ...state, requestsPerMinute: null })),
    );
    if (verdict.go) {
      await client.query(INSERT_VISITS, [run, project, epoch, JSON.stringify(limits)]);
      await client.query(UPDATE_RATES, [project, keysOf(siteLimits)]);
      return verdict;
    }
    const { limitIndex: index, ...wait } = verdict;
    const blockingLimit = limits[index] as Limit;
    if (verdict.limit === 'maxConcurrentRuns') await client.query(DELETE_VISITS, [run]);
    await client.query(INSERT_WAIT, [
      run,
      blockingLimit.scope,
      blockingLimit.domain,
      project,
      epoch,
      verdict.limit,
      requestedAt,
      verdict.waitMs,
    ]);
    return { ...wait, blockingLimit };
  });
}

interface Rate {
  readonly scope: string;
  readonly domain: string;
  /** Milliseconds since the last page. */
  readonly sinceMs: number;
}

async function lock(client: PoolClient, project: string, keys: string): Promise<Rate[]> {
  return (await client.query<Rate>(LOCK_RATES, [project, keys])).rows;
}

interface LimitStateQuery {
  readonly run: string;
  readonly project: string;
  readonly limits: readonly ScopedSiteLimit[];
  /** Limits as JSON. */
  readonly keys: string;
  readonly rates: readonly Rate[];
  /** Time at which the run started to wait; null: it does not wait. */
  readonly requestedAt: Date | null;
}

async function readLimitStates(
  client: PoolClient,
  { run, project, limits, keys, rates, requestedAt }: LimitStateQuery,
): Promise<LimitState[]> {
  const { rows } = await client.query<{
    scope: string;
    domain: string;
    activeRuns: number;
    hasSlot: boolean;
    aheadPerMinute: number;
    aheadConcurrent: number;
  }>(SELECT_LIMIT_STATES, [project, keys, run, requestedAt]);
  return limits.map((limit) => {
    const row = rows.find((row) => keyOf(row) === keyOf(limit));
    const rate = rates.find((candidate) => keyOf(candidate) === keyOf(limit));
    return {
      requestsPerMinute: limit.requestsPerMinute ?? null,
      maxConcurrentRuns: limit.maxConcurrentRuns ?? null,
      nextInMs: limit.requestsPerMinute === undefined || !rate ? 0 : intervalMs(limit.requestsPerMinute) - rate.sinceMs,
      activeRuns: row?.activeRuns ?? 0,
      hasSlot: row?.hasSlot ?? false,
      ahead: { requestsPerMinute: row?.aheadPerMinute ?? 0, maxConcurrentRuns: row?.aheadConcurrent ?? 0 },
    };
  });
}
