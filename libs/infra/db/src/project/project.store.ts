import type { Keep } from '@pilothouse/contract';
import type { PrismaClient } from '../generated/client.ts';

/** The tenant. */
export interface ProjectFacts {
  id: string;
  slug: string;
  name: string;
}

const facts = { id: true, slug: true, name: true } as const;

/** Projects. */
export class ProjectStore {
  constructor(private readonly prisma: PrismaClient) {}

  bySlug(slug: string): Promise<ProjectFacts | null> {
    return this.prisma.project.findUnique({ where: { slug }, select: facts });
  }

  /** The project of this slug, made if it is not there. @param keep how long a new one keeps what; one that is there stays as it is */
  async ensure(project: ProjectFacts, keep?: Keep): Promise<ProjectFacts> {
    const { runsDays, eventsDays, artifactsDays } = keep ?? {};
    const columns = { keepRunsDays: runsDays, keepEventsDays: eventsDays, keepArtifactsDays: artifactsDays };
    await this.prisma.project.createMany({ data: [{ ...project, ...columns }], skipDuplicates: true });
    return this.prisma.project.findUniqueOrThrow({
      where: { slug: project.slug },
      select: facts,
    });
  }
}
