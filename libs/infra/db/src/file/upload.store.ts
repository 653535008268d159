import type { PrismaClient } from '../generated/client.ts';
import type { Pool } from '../client/pg-pool.ts';

/** A file that a client announced. */
export interface UploadSummary {
  id: string;
  name: string;
  contentType: string;
  /** Size in bytes. */
  size: number;
  key: string;
}

// Use renews the age of an upload. Retention locks the row while it removes the object. Either retention is first and
// the upload is deleted, or it keeps the upload until the new run exists.
const USE = `
WITH used AS (SELECT id FROM upload WHERE project_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR UPDATE)
UPDATE upload u SET created_at = now() FROM used WHERE u.id = used.id
RETURNING u.id, u.name, u.content_type AS "contentType", u.size, u.key
`;

/** Files for inputs of runs. */
export class UploadStore {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly pool: Pool,
  ) {}

  async create(project: string, { size, ...upload }: UploadSummary): Promise<void> {
    await this.prisma.upload.create({ data: { ...upload, projectId: project, size: BigInt(size) } });
  }

  /** Selects complete uploads of the project for a run that is about to use them, and protects them from retention. */
  async use(project: string, ids: readonly string[]): Promise<UploadSummary[]> {
    if (ids.length === 0) return [];
    const { rows } = await this.pool.query<UploadSummary>({ name: 'use-uploads', text: USE, values: [project, ids] });
    return rows;
  }
}
