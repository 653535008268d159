import type { PrismaClient } from '../generated/client.ts';
import type { Pool } from '../client/pg-pool.ts';

/** A file that a client announced. */
export interface UploadSummary {
  id: string;
  name: string;
  contentType: string;
  /** Bytes. */
  size: number;
  key: string;
}

// What is used begins to be old again: retention, which locks the row while it removes the object, then either comes first, and the
// upload is gone, or leaves it alone until the run that uses it is there.
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

  /** Those of these uploads that are of the project, for a run that is about to name them: none is removed under its hands. */
  async use(project: string, ids: readonly string[]): Promise<UploadSummary[]> {
    if (ids.length === 0) return [];
    const { rows } = await this.pool.query<UploadSummary>({ name: 'use-uploads', text: USE, values: [project, ids] });
    return rows;
  }
}
