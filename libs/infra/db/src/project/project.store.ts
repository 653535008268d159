import type { RetentionPolicy } from '@pilothouse/contract/api/project.routes';
import type { Role } from '@pilothouse/contract/project/project-roles';
import type { PrismaClient } from '../generated/client.ts';
import { isUniqueViolation } from '../client/prisma-client.ts';

/** The tenant. */
export interface ProjectSummary {
  id: string;
  slug: string;
  name: string;
}

const facts = { id: true, slug: true, name: true } as const;

export class ProjectStore {
  constructor(private readonly prisma: PrismaClient) {}

  bySlug(slug: string): Promise<ProjectSummary | null> {
    return this.prisma.project.findUnique({ where: { slug }, select: facts });
  }

  /** Creates a project with its first admin. @returns false when the slug is taken: nothing was written */
  async create(project: ProjectSummary, admin: string, retention: RetentionPolicy): Promise<boolean> {
    const role: Role = 'admin';
    const members = { create: { userId: admin, role } };
    try {
      await this.prisma.project.create({ data: { ...project, ...columnsOf(retention), members } });
      return true;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }

  /** Finds the project of this slug, or creates it. @param retention retention of a new project; an existing one stays unchanged */
  async ensure(project: ProjectSummary, retention?: RetentionPolicy): Promise<ProjectSummary> {
    const data = [{ ...project, ...(retention && columnsOf(retention)) }];
    await this.prisma.project.createMany({ data, skipDuplicates: true });
    return this.prisma.project.findUniqueOrThrow({
      where: { slug: project.slug },
      select: facts,
    });
  }
}

const columnsOf = ({ runsDays, eventsDays, artifactsDays }: RetentionPolicy) => ({
  retentionRunsDays: runsDays,
  retentionEventsDays: eventsDays,
  retentionArtifactsDays: artifactsDays,
});
