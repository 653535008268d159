import type { UpdateProject, RetentionPolicy, ProjectView } from '@pilothouse/contract/api/project.routes';
import type { LearningSettings } from '@pilothouse/contract/learning/learning-settings.schema';
import type { ProjectModels } from '@pilothouse/contract/model/model-settings.schema';
import type { Politeness } from '@pilothouse/contract/project/politeness.schema';
import type { ProjectBudgets } from '@pilothouse/contract/run/budget.schema';
import type { Pool } from '../client/pg-pool.ts';
import { countRuns } from '../run/run-statistics.ts';
import type { ModelSpendStore } from './model-spend.store.ts';
import { Prisma, type PrismaClient, type Project } from '../generated/client.ts';

/** Name, limits and retention of a project, with its runs by status. */
export class ProjectSettingsStore {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly pool: Pool,
    private readonly months: Pick<ModelSpendStore, 'read'>,
  ) {}

  /** @param id of an existing project */
  async read(id: string): Promise<ProjectView> {
    const [project, runs, usage] = await Promise.all([
      this.prisma.project.findUniqueOrThrow({ where: { id } }),
      countRuns(this.pool, id),
      this.months.read(id),
    ]);
    const { slug, name, maxConcurrentRuns } = project;
    return {
      id,
      slug,
      name,
      maxConcurrentRuns,
      retention: toRetentionPolicy(project),
      egress: { allow: project.egressAllow as string[] | null },
      politeness: project.politeness as Politeness | null,
      models: project.models as ProjectModels | null,
      agents: project.agents as ProjectView['agents'],
      budgets: project.budgets as ProjectBudgets | null,
      learning: project.learning as LearningSettings | null,
      usage,
      runs,
    };
  }

  /** Settings for the runs of a project. @param id of an existing project */
  async budgets(id: string): Promise<ProjectBudgets> {
    const { budgets } = await this.prisma.project.findUniqueOrThrow({ where: { id }, select: { budgets: true } });
    return (budgets as ProjectBudgets | null) ?? {};
  }

  /** Changes the given fields only. */
  async change(
    id: string,
    {
      name,
      maxConcurrentRuns: maxRunning,
      retention = {},
      egress,
      politeness,
      models,
      agents,
      budgets,
      learning,
    }: UpdateProject,
  ): Promise<void> {
    const { runsDays, eventsDays, artifactsDays } = retention;
    await this.prisma.project.update({
      where: { id },
      data: {
        name,
        maxConcurrentRuns: maxRunning,
        retentionRunsDays: runsDays,
        retentionEventsDays: eventsDays,
        retentionArtifactsDays: artifactsDays,
        ...(egress && { egressAllow: egress.allow ?? Prisma.DbNull }),
        ...(politeness !== undefined && { politeness: politeness ?? Prisma.DbNull }),
        ...(models !== undefined && { models: models ?? Prisma.DbNull }),
        ...(agents !== undefined && { agents: agents ?? Prisma.DbNull }),
        ...(budgets !== undefined && { budgets: budgets ?? Prisma.DbNull }),
        ...(learning !== undefined && { learning: learning ?? Prisma.DbNull }),
      },
    });
  }
}

type RetentionColumns = Pick<Project, 'retentionRunsDays' | 'retentionEventsDays' | 'retentionArtifactsDays'>;

/** Retention settings in a row. */
const toRetentionPolicy = ({
  retentionRunsDays,
  retentionEventsDays,
  retentionArtifactsDays,
}: RetentionColumns): RetentionPolicy => ({
  runsDays: retentionRunsDays,
  eventsDays: retentionEventsDays,
  artifactsDays: retentionArtifactsDays,
});
