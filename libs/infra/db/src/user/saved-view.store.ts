import type { SavedView } from '@pilothouse/contract/api/saved-views.routes';
import { inTransaction, type Pool } from '../client/pg-pool.ts';

/** A view to store. */
export interface NewSavedView {
  readonly id: string;
  readonly project: string;
  /** Id and display name of the user or key. */
  readonly owner: { readonly id: string; readonly name: string };
  readonly name: string;
  readonly search: string;
  readonly shared: boolean;
}

interface Row extends Omit<SavedView, 'createdAt'> {
  createdAt: Date;
}

// $2: the requesting user or key.
const COLUMNS = `id, name, query AS search, shared, owner_id = $2 AS own, owner_name AS "createdBy", created_at AS "createdAt"`;

const viewOf = ({ createdAt, ...row }: Row): SavedView => ({ ...row, createdAt: createdAt.toISOString() });

/** Saved views of runs. */
export class SavedViewStore {
  constructor(private readonly pool: Pool) {}

  /** Views of an owner and shared views, by name. */
  async list(project: string, owner: string): Promise<SavedView[]> {
    const { rows } = await this.pool.query<Row>(
      `SELECT ${COLUMNS} FROM saved_view WHERE project_id = $1 AND (owner_id = $2 OR shared) ORDER BY lower(name), id LIMIT 1000`,
      [project, owner],
    );
    return rows.map(viewOf);
  }

  /**
   * Stores a view, replacing the owner's view of this name. @param maxViews views that the owner may have @returns
   * null: the limit is reached
   */
  save({ id, project, owner, name, search, shared }: NewSavedView, maxViews: number): Promise<SavedView | null> {
    return inTransaction(this.pool, async (client) => {
      // Serialized by project, so that the limit holds.
      await client.query('SELECT 1 FROM project WHERE id = $1 FOR NO KEY UPDATE', [project]);
      const { rows } = await client.query<Row>(
        `INSERT INTO saved_view (id, project_id, owner_id, owner_name, name, query, shared)
         SELECT $3, $1, $2, $4, $5, $6, $7
         WHERE (SELECT count(*) FROM saved_view WHERE project_id = $1 AND owner_id = $2 AND name <> $5) < $8
         ON CONFLICT (project_id, owner_id, name) DO UPDATE SET query = excluded.query, shared = excluded.shared,
           owner_name = excluded.owner_name
         RETURNING ${COLUMNS}`,
        [project, owner.id, id, owner.name, name, search, shared, maxViews],
      );
      return rows[0] ? viewOf(rows[0]) : null;
    });
  }

  /** @param includeOthers includes shared views of others @returns the deleted view; null: none */
  async delete(project: string, owner: string, id: string, includeOthers: boolean): Promise<SavedView | null> {
    const { rows } = await this.pool.query<Row>(
      `DELETE FROM saved_view WHERE project_id = $1 AND id = $3 AND (owner_id = $2 OR ($4 AND shared)) RETURNING ${COLUMNS}`,
      [project, owner, id, includeOthers],
    );
    return rows[0] ? viewOf(rows[0]) : null;
  }
}
