import type { AuditEntry, ListAuditQuery } from '@pilothouse/contract/api/audit.routes';
import type { Page } from '@pilothouse/contract/api/query-params';
import { idSchema, type Json } from '@pilothouse/contract/primitives.schema';
import { parseInstantCursor, toPage, decodeCursor } from '../client/cursor-pagination.ts';
import type { Pool } from '../client/pg-pool.ts';

/** An entry of the audit log to store. */
export interface NewAuditEntry {
  readonly id: string;
  /** Null: outside any project. */
  readonly project: string | null;
  readonly at: Date;
  readonly actor: AuditEntry['actor'];
  readonly action: string;
  readonly target: string | null;
  readonly details: Readonly<Record<string, Json>>;
  /** Details of the change. */
  readonly change?: { readonly before: Record<string, Json>; readonly after: Record<string, Json> } | undefined;
  readonly address: string;
  readonly request: string;
}

/** A stored entry. The table of routes describes its action. */
export type StoredAuditEntry = Omit<AuditEntry, 'summary'>;

interface Row extends Omit<StoredAuditEntry, 'at' | 'actor'> {
  createdAt: Date;
  actorKind: AuditEntry['actor']['kind'];
  actorId: string;
  actorName: string;
}

// Index scans: actions in the project; actions of its members outside any project; joins of workers to fleets that serve it. A run is also found in the details of
// its submission (`id`) and of bulk operations (`runs`).
const LIST = `
SELECT id, created_at AS "createdAt", actor_kind AS "actorKind", actor_id AS "actorId", actor_name AS "actorName", action, target, details, before,
  after, address, request_id AS request
FROM audit_entry
WHERE (project_id = $1 OR (project_id IS NULL AND actor_id IN (SELECT user_id FROM membership WHERE project_id = $1))
  OR (project_id IS NULL AND actor_kind = 'worker' AND target IN (
    SELECT f.name FROM fleet f JOIN project p ON p.id = $1 WHERE cardinality(f.projects) = 0 OR p.slug = ANY (f.projects))))
  AND ($2::timestamptz IS NULL OR (created_at, id) < ($2, $3::uuid))
  AND ($4::uuid IS NULL OR actor_id = $4) AND ($8::text IS NULL OR actor_name = $8) AND ($5::text IS NULL OR action = $5)
  AND ($6::text IS NULL OR target = $6 OR details->>'id' = $6 OR (details->'runs')::jsonb ? $6)
  AND ($9::timestamptz IS NULL OR created_at >= $9) AND ($10::timestamptz IS NULL OR created_at < $10)
ORDER BY created_at DESC, id DESC LIMIT $7`;

/** The audit log. */
export class AuditStore {
  constructor(private readonly pool: Pool) {}

  async add({
    id,
    project,
    at,
    actor,
    action,
    target,
    details,
    change,
    address,
    request,
  }: NewAuditEntry): Promise<void> {
    const [previous = null, changed = null] = change
      ? [change.before, change.after].map((values) => JSON.stringify(values))
      : [];
    const entry = [action, target, JSON.stringify(details), previous, changed];
    await this.pool.query({
      name: 'add-audit-entry',
      text: `INSERT INTO audit_entry (id, project_id, created_at, actor_kind, actor_id, actor_name, action, target, details, before, after, address, request_id)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
      values: [id, project, at, actor.kind, actor.id, actor.name, ...entry, address, request],
    });
  }

  /** Actions in a project, and of its members outside any project, newest first. */
  async list(project: string, query: ListAuditQuery): Promise<Page<StoredAuditEntry>> {
    const { limit, cursor, actor = null, action = null, target = null, since = null, until = null } = query;
    const position = decodeCursor(cursor, parseInstantCursor);
    const [actorId, actorName] = idSchema.safeParse(actor).success ? [actor, null] : [null, actor];
    const start = [project, position?.instant ?? null, position?.id ?? null];
    const filter = [actorId, action, target, limit + 1, actorName, since, until];
    const { rows } = await this.pool.query<Row>(LIST, [...start, ...filter]);
    return toPage(rows, limit, entryOf, ({ createdAt, id }) => [createdAt.getTime(), id]);
  }

  /** Removes entries older than the given number of days. @returns their number */
  async purge(days: number): Promise<number> {
    const { rowCount } = await this.pool.query(
      `DELETE FROM audit_entry WHERE created_at < now() - $1 * interval '1 day'`,
      [days],
    );
    return rowCount ?? 0;
  }
}

const entryOf = ({ createdAt, actorKind, actorId, actorName, ...entry }: Row): StoredAuditEntry => ({
  ...entry,
  at: createdAt.toISOString(),
  actor: { kind: actorKind, id: actorId, name: actorName },
});
