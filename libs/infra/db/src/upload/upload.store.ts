import type { PrismaClient } from '../generated/client.ts';

/** A file that a client announced. */
export interface UploadFacts {
  id: string;
  name: string;
  contentType: string;
  /** Bytes. */
  size: number;
  key: string;
}

/** Files for inputs of runs. */
export class UploadStore {
  constructor(private readonly prisma: PrismaClient) {}

  async create(project: string, { size, ...upload }: UploadFacts): Promise<void> {
    await this.prisma.upload.create({ data: { ...upload, projectId: project, size: BigInt(size) } });
  }

  /** Those of these uploads that are of the project. */
  async find(project: string, ids: readonly string[]): Promise<UploadFacts[]> {
    if (ids.length === 0) return [];
    const rows = await this.prisma.upload.findMany({
      where: { projectId: project, id: { in: [...ids] } },
      select: { id: true, name: true, contentType: true, size: true, key: true },
    });
    return rows.map(({ size, ...row }) => ({ ...row, size: Number(size) }));
  }
}
