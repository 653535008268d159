import type { PrismaClient } from '../generated/client.ts';

/** The tenant. */
export interface ProjectFacts {
  id: string;
  slug: string;
  name: string;
}

/** Projects. */
export class ProjectStore {
  constructor(private readonly prisma: PrismaClient) {}

  /** The project of this slug, made if it is not there. */
  async ensure(project: ProjectFacts): Promise<ProjectFacts> {
    await this.prisma.project.createMany({ data: [project], skipDuplicates: true });
    return this.prisma.project.findUniqueOrThrow({
      where: { slug: project.slug },
      select: { id: true, slug: true, name: true },
    });
  }
}
