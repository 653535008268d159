import {
  runStatuses,
  type ChangeProject,
  type Keep,
  type Politeness,
  type ProjectBudgets,
  type ProjectModels,
  type ProjectView,
  type RunStatus,
} from '@pilothouse/contract';
import type { ModelMonths } from './model.months.ts';
import { Prisma, type PrismaClient, type Project } from '../generated/client.ts';

/** What a project is called, allows itself and keeps, with its runs counted. */
export class ProjectSettings {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly months: Pick<ModelMonths, 'read'>,
  ) {}

  /** @param id of a project that is there */
  async read(id: string): Promise<ProjectView> {
    const [project, counted, spent] = await Promise.all([
      this.prisma.project.findUniqueOrThrow({ where: { id } }),
      this.prisma.run.groupBy({ by: ['status'], where: { projectId: id }, _count: { _all: true } }),
      this.months.read(id),
    ]);
    const counts = new Map(counted.map(({ status, _count }) => [status, _count._all]));
    const { slug, name, maxRunning } = project;
    const runs = Object.fromEntries(runStatuses.map((status) => [status, counts.get(status) ?? 0]));
    return {
      id,
      slug,
      name,
      maxRunning,
      keep: keepOf(project),
      egress: { allow: project.egressAllow as string[] | null },
      politeness: project.politeness as Politeness | null,
      models: project.models as ProjectModels | null,
      agents: project.agents as ProjectView['agents'],
      budgets: project.budgets as ProjectBudgets | null,
      spent,
      runs: runs as Record<RunStatus, number>,
    };
  }

  /** What it gives its runs. @param id of a project that is there */
  async budgets(id: string): Promise<ProjectBudgets> {
    const { budgets } = await this.prisma.project.findUniqueOrThrow({ where: { id }, select: { budgets: true } });
    return (budgets as ProjectBudgets | null) ?? {};
  }

  /** Changes what is given; the rest stays. */
  async change(
    id: string,
    { name, maxRunning, keep = {}, egress, politeness, models, agents, budgets }: ChangeProject,
  ): Promise<void> {
    const { runsDays, eventsDays, artifactsDays } = keep;
    await this.prisma.project.update({
      where: { id },
      data: {
        name,
        maxRunning,
        keepRunsDays: runsDays,
        keepEventsDays: eventsDays,
        keepArtifactsDays: artifactsDays,
        ...(egress && { egressAllow: egress.allow ?? Prisma.DbNull }),
        ...(politeness !== undefined && { politeness: politeness ?? Prisma.DbNull }),
        ...(models !== undefined && { models: models ?? Prisma.DbNull }),
        ...(agents !== undefined && { agents: agents ?? Prisma.DbNull }),
        ...(budgets !== undefined && { budgets: budgets ?? Prisma.DbNull }),
      },
    });
  }
}

type KeepColumns = Pick<Project, 'keepRunsDays' | 'keepEventsDays' | 'keepArtifactsDays'>;

/** How long a project keeps what, by its row. */
const keepOf = ({ keepRunsDays, keepEventsDays, keepArtifactsDays }: KeepColumns): Keep => ({
  runsDays: keepRunsDays,
  eventsDays: keepEventsDays,
  artifactsDays: keepArtifactsDays,
});
