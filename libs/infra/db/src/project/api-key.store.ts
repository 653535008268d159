import type { Page } from '@pilothouse/contract/api/query-params';
import type { ApiKeyView } from '@pilothouse/contract/project/api-key.schema';
import type { Role } from '@pilothouse/contract/project/project-roles';
import type { PrismaClient } from '../generated/client.ts';
import { parseInstantCursor, beforeCursor, toPage, decodeCursor } from '../client/cursor-pagination.ts';
import type { Pool } from '../client/pg-pool.ts';
import { isUniqueViolation } from '../client/prisma-client.ts';
import type { ProjectSummary } from './project.store.ts';

/** A key to be stored. */
export interface NewApiKey {
  id: string;
  project: string;
  name: string;
  role: Role;
  prefix: string;
  /** SHA-256, hex. */
  hash: string;
  expiresAt: Date | null;
}

/** A valid key, with its project. */
export interface AuthenticatedKey {
  key: ApiKeyView;
  project: ProjectSummary;
}

interface Row {
  id: string;
  name: string;
  role: string;
  prefix: string;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}

// Runs with every request, so it is plain SQL. Expired and revoked keys are excluded, by the clock of the database.
const FIND = `
SELECT k.id, k.name, k.role, k.prefix, k.created_at AS "createdAt", k.expires_at AS "expiresAt", k.last_used_at AS "lastUsedAt",
  k.revoked_at AS "revokedAt", p.id AS "projectId", p.slug, p.name AS "projectName",
  (k.last_used_at IS NULL OR k.last_used_at < now() - interval '1 minute') AS stale
FROM api_key k JOIN project p ON p.id = k.project_id
WHERE k.hash = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
`;

// The UPDATE does not see the key inserted in the same statement. An existing key revokes none: during a rollout, a replica with the previous
// configuration may restart.
const ENSURE_BOOTSTRAP = `
WITH inserted AS (
  INSERT INTO api_key (id, project_id, name, role, prefix, hash, bootstrap) VALUES ($1, $2, $3, 'admin', $4, $5, true)
  ON CONFLICT (hash) DO NOTHING RETURNING id
), revoked AS (
  UPDATE api_key SET revoked_at = now()
  WHERE project_id = $2 AND bootstrap AND revoked_at IS NULL AND EXISTS (SELECT FROM inserted) RETURNING prefix
)
SELECT EXISTS (SELECT FROM inserted) AS "isNew", ARRAY(SELECT prefix FROM revoked) AS "replacedPrefixes",
  EXISTS (SELECT FROM api_key WHERE hash = $5 AND revoked_at IS NOT NULL) AS "isRevoked"
`;

/** The admin key of the configuration. */
export interface BootstrapKey {
  readonly id: string;
  readonly project: string;
  readonly name: string;
  readonly prefix: string;
  /** SHA-256, hex. */
  readonly hash: string;
}

/** Result of storing the admin key of the configuration. */
export interface BootstrapResult {
  /** True if the key was inserted. */
  readonly isNew: boolean;
  /** True if the key was revoked earlier. It stays revoked. */
  readonly isRevoked: boolean;
  /** Prefixes of previously configured admin keys, which were revoked now. */
  readonly replacedPrefixes: readonly string[];
}

/** API keys. Only their hashes are stored. */
export class ApiKeyStore {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly pool: Pool,
  ) {}

  /** @returns whether it was new; a key with the same hash stays as it is */
  async create({ project, ...key }: NewApiKey): Promise<boolean> {
    try {
      await this.prisma.apiKey.create({ data: { ...key, projectId: project } });
      return true;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }

  /** Stores the configured admin key and revokes previously configured ones. An unchanged key changes nothing. */
  async ensureBootstrap({ id, project, name, prefix, hash }: BootstrapKey): Promise<BootstrapResult> {
    const { rows } = await this.pool.query<BootstrapResult>(ENSURE_BOOTSTRAP, [id, project, name, prefix, hash]);
    return rows[0] ?? { isNew: false, isRevoked: false, replacedPrefixes: [] };
  }

  /** Finds the valid key of this hash, and records its use, at most once a minute. */
  async authenticate(hash: string): Promise<AuthenticatedKey | null> {
    const { rows } = await this.pool.query<
      Row & { projectId: string; slug: string; projectName: string; stale: boolean }
    >({ name: 'find-key', text: FIND, values: [hash] });
    const row = rows[0];
    if (!row) return null;
    if (row.stale) {
      await this.pool.query({
        name: 'use-key',
        text: `UPDATE api_key SET last_used_at = now()
               WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
        values: [row.id],
      });
    }
    return {
      key: viewOf(row, row.slug),
      project: { id: row.projectId, slug: row.slug, name: row.projectName },
    };
  }

  async list(project: ProjectSummary, limit: number, cursor?: string): Promise<Page<ApiKeyView>> {
    const position = decodeCursor(cursor, parseInstantCursor);
    const rows = await this.prisma.apiKey.findMany({
      where: { projectId: project.id, ...(position && { AND: beforeCursor(position) }) },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: limit + 1,
    });
    return toPage(
      rows,
      limit,
      (row) => viewOf(row, project.slug),
      (row) => [row.createdAt.getTime(), row.id],
    );
  }

  async get(project: ProjectSummary, id: string): Promise<ApiKeyView | null> {
    const row = await this.prisma.apiKey.findFirst({ where: { id, projectId: project.id } });
    return row && viewOf(row, project.slug);
  }

  /** Revokes a key of the project, once. @returns null when it does not exist */
  async revoke(project: ProjectSummary, id: string, revokedAt: Date): Promise<ApiKeyView | null> {
    await this.prisma.apiKey.updateMany({
      where: { id, projectId: project.id, revokedAt: null },
      data: { revokedAt },
    });
    return this.get(project, id);
  }
}

const viewOf = (row: Row, project: string): ApiKeyView => ({
  id: row.id,
  name: row.name,
  role: row.role as Role,
  project,
  prefix: row.prefix,
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt?.toISOString() ?? null,
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  revokedAt: row.revokedAt?.toISOString() ?? null,
});
