import type { Page } from '@pilothouse/contract/api/query-params';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { ProfileView } from '@pilothouse/contract/project/profile.schema';
import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import { toPage, decodeCursor } from '../client/cursor-pagination.ts';
import type { Pool } from '../client/pg-pool.ts';

/** A profile to store. Reading `state` requires the master key; the rest is visible in the project. */
export interface ProfileWrite {
  readonly project: string;
  readonly name: string;
  /** `StorageState` as sealed JSON. */
  readonly state: Buffer;
  /** Size of the JSON in bytes. */
  readonly size: number;
  readonly cookies: number;
  readonly cookieDomains: readonly string[];
  readonly origins: readonly string[];
}

/** An attempt and the session of its worker, which hold the lease. */
export interface LeaseHolder extends Attempt {
  readonly session: string;
}

/** Profile settings of a run. */
export interface RunProfileContext {
  readonly project: string;
  readonly definition: unknown;
  readonly inputs: Record<string, Json>;
  readonly secrets: string[];
}

interface Row extends Omit<ProfileView, 'createdAt' | 'updatedAt'> {
  createdAt: Date;
  updatedAt: Date;
}

const VIEW = `name, version, size, cookies, cookie_domains AS "cookieDomains", origins, run_id AS run,
  created_at AS "createdAt", updated_at AS "updatedAt"`;

/** $1 to $7: a ProfileWrite, in the order of `valuesOf`. */
const saveProfileSql = (source: string, run: string) => `
INSERT INTO profile (project_id, name, state, size, cookies, cookie_domains, origins, run_id)
SELECT $1::uuid, $2, $3::bytea, $4::int, $5::int, $6::text[], $7::text[], ${run} ${source}
ON CONFLICT (project_id, name) DO UPDATE SET
  version = profile.version + 1, state = excluded.state, size = excluded.size, cookies = excluded.cookies,
  cookie_domains = excluded.cookie_domains, origins = excluded.origins, run_id = excluded.run_id, updated_at = now()
RETURNING ${VIEW}
`;

const IMPORT = saveProfileSql('', 'NULL::uuid');

// Locks the run until the commit: a later worker of the run finds the saved state.
const SAVE = `
WITH leased_run AS MATERIALIZED (
  SELECT r.id FROM run r JOIN lease l ON l.run_id = r.id
  WHERE r.id = $8 AND r.project_id = $1 AND r.epoch = $9 AND r.status = 'running' AND l.epoch = $9 AND l.session = $10
  FOR SHARE OF r
)
${saveProfileSql('FROM leased_run', 'leased_run.id')}`;

const valuesOf = ({ project, name, state, size, cookies, cookieDomains, origins }: ProfileWrite) => [
  project,
  name,
  state,
  size,
  cookies,
  cookieDomains,
  origins,
];

/** Profiles of projects. */
export class ProfileStore {
  constructor(private readonly pool: Pool) {}

  /** Profiles of a project, by name. */
  async list(project: string, limit: number, cursor?: string): Promise<Page<ProfileView>> {
    const lastName = decodeCursor(cursor, ([name]) => (typeof name === 'string' ? name : null));
    const { rows } = await this.pool.query<Row>(
      `SELECT ${VIEW} FROM profile WHERE project_id = $1 AND ($2::text IS NULL OR name > $2) ORDER BY name LIMIT $3`,
      [project, lastName, limit + 1],
    );
    return toPage(rows, limit, viewOf, ({ name }) => [name]);
  }

  /** Sealed state and its version; null when the project has no profile of this name. */
  async read(project: string, name: string): Promise<{ state: Buffer; version: number } | null> {
    const { rows } = await this.pool.query<{ state: Buffer; version: number }>({
      name: 'read-profile',
      text: 'SELECT state, version FROM profile WHERE project_id = $1 AND name = $2',
      values: [project, name],
    });
    return rows[0] ?? null;
  }

  /** Replaces the profile of this name. */
  async import(profile: ProfileWrite): Promise<ProfileView> {
    const { rows } = await this.pool.query<Row>(IMPORT, valuesOf(profile));
    return viewOf(rows[0] as Row);
  }

  /** Replaces it for a run, as long as this worker holds it. @returns null when it does not hold the run: nothing was written */
  async save(profile: ProfileWrite, { run, epoch, session }: LeaseHolder): Promise<ProfileView | null> {
    const { rows } = await this.pool.query<Row>({
      name: 'save-profile',
      text: SAVE,
      values: [...valuesOf(profile), run, epoch, session],
    });
    return rows[0] ? viewOf(rows[0]) : null;
  }

  /** @returns the deleted profile; null: none */
  async delete(project: string, name: string): Promise<ProfileView | null> {
    const { rows } = await this.pool.query<Row>(
      `DELETE FROM profile WHERE project_id = $1 AND name = $2 RETURNING ${VIEW}`,
      [project, name],
    );
    return rows[0] ? viewOf(rows[0]) : null;
  }

  /** Profile settings of a run; null if it was deleted. */
  async ofRun(run: string): Promise<RunProfileContext | null> {
    const { rows } = await this.pool.query<RunProfileContext>({
      name: 'profiles-of-run',
      text: 'SELECT project_id AS project, definition, inputs, secret_names AS secrets FROM run WHERE id = $1',
      values: [run],
    });
    return rows[0] ?? null;
  }
}

const viewOf = ({ createdAt, updatedAt, ...row }: Row): ProfileView => ({
  ...row,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});
