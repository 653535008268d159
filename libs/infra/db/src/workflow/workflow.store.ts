import type { Page } from '@pilothouse/contract/api/query-params';
import type { ListWorkflowsQuery } from '@pilothouse/contract/api/workflows.routes';
import { type SurfaceKind, idSchema } from '@pilothouse/contract/primitives.schema';
import type {
  WorkflowDefinition,
  WorkflowVersionView,
  WorkflowView,
} from '@pilothouse/contract/workflow/workflow.schema';
import type { Prisma, PrismaClient, Workflow, WorkflowVersion } from '../generated/client.ts';
import { isUniqueViolation, storedDefinition, toJsonValue, escapeLike } from '../client/prisma-client.ts';
import { isDeepStrictEqual } from 'node:util';
import { toPage, decodeCursor } from '../client/cursor-pagination.ts';
import { REQUEST_PUBLICATIONS } from '../run/run-reaction.sql.ts';

/** Converts a row for clients. */
export const toWorkflowView = (row: Workflow): WorkflowView => ({
  id: row.id,
  name: row.name,
  title: row.title,
  description: row.description,
  surface: row.surface as SurfaceKind,
  latestVersion: row.latestVersion,
  publishedVersion: row.publishedVersion,
  archived: row.archivedAt !== null,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

/** Converts a version for clients. The stored definition was validated on arrival. */
export const toVersionView = (row: WorkflowVersion, published: number | null): WorkflowVersionView => ({
  version: row.version,
  published: row.version === published,
  createdAt: row.createdAt.toISOString(),
  definition: storedDefinition(row.definition),
  source: row.source,
});

/** Author and time of a change. */
export interface WorkflowVersionWrite {
  project: string;
  definition: WorkflowDefinition;
  /** The original file; null: none. */
  source: string | null;
  /** Name of the key. */
  author: string;
  createdAt: Date;
  publish: boolean;
}

export interface WorkflowWithVersion {
  workflow: WorkflowView;
  version: WorkflowVersionView;
}

/** Properties of the whole workflow from its definition. */
const headOf = ({ title, description, surface }: WorkflowDefinition) => ({
  title: title ?? null,
  description: description ?? null,
  surface,
});

const nameOrId = (ref: string) => (idSchema.safeParse(ref).success ? [{ id: ref }, { name: ref }] : [{ name: ref }]);

/** Workflows and their versions. A version is immutable. */
export class WorkflowStore {
  constructor(private readonly prisma: PrismaClient) {}

  /** Stores a workflow with version 1. @returns null when the name is taken */
  async create(
    id: string,
    { project, definition, source, author, createdAt, publish }: WorkflowVersionWrite,
  ): Promise<WorkflowWithVersion | null> {
    try {
      const row = await this.prisma.workflow.create({
        data: {
          id,
          projectId: project,
          name: definition.name,
          ...headOf(definition),
          latestVersion: 1,
          publishedVersion: publish ? 1 : null,
          createdAt,
          updatedAt: createdAt,
          versions: {
            create: { version: 1, definition: toJsonValue(definition), source, createdBy: author, createdAt },
          },
        },
        include: { versions: true },
      });
      return withVersion(row);
    } catch (error) {
      if (isUniqueViolation(error)) return null;
      throw error;
    }
  }

  /** Adds a version, unless it equals the newest. @returns null when the workflow does not exist or is archived */
  async addVersion(id: string, write: WorkflowVersionWrite): Promise<WorkflowWithVersion | null> {
    const { project, source, author, createdAt, publish } = write;
    const definition = toJsonValue(write.definition);
    return this.prisma.$transaction(async (tx) => {
      // Serialized, so that versions are numbered without gaps.
      await tx.$queryRaw`SELECT 1 FROM workflow WHERE id = ${id}::uuid FOR UPDATE`;
      const row = await tx.workflow.findFirst({ where: { id, projectId: project, archivedAt: null } });
      if (!row) return null;
      const newest = await tx.workflowVersion.findUnique({
        where: { workflowId_version: { workflowId: id, version: row.latestVersion } },
      });
      // Without a source text only the definition counts.
      const isSameSource = source === null || source === newest?.source;
      const isUnchanged = isSameSource && isDeepStrictEqual(newest?.definition, definition);
      const version = isUnchanged ? row.latestVersion : row.latestVersion + 1;
      const updated = await tx.workflow.update({
        where: { id },
        data: {
          ...(!isUnchanged && {
            ...headOf(write.definition),
            latestVersion: version,
            updatedAt: createdAt,
            versions: { create: { version, definition, source, createdBy: author, createdAt } },
          }),
          ...(publish && { publishedVersion: version, updatedAt: createdAt }),
        },
        include: { versions: { where: { version } } },
      });
      return withVersion(updated);
    });
  }

  /** A workflow of the project by name or id. */
  async find(project: string, ref: string): Promise<WorkflowView | null> {
    const rows = await this.prisma.workflow.findMany({ where: { projectId: project, OR: nameOrId(ref) } });
    // A name may look like an id; a matching id takes precedence.
    const row = rows.find(({ id }) => id === ref) ?? rows[0];
    return row ? toWorkflowView(row) : null;
  }

  /** One version of a workflow. */
  async version(workflow: WorkflowView, version: number): Promise<WorkflowVersionView | null> {
    const row = await this.prisma.workflowVersion.findUnique({
      where: { workflowId_version: { workflowId: workflow.id, version } },
    });
    return row && toVersionView(row, workflow.publishedVersion);
  }

  async versions(workflow: WorkflowView, limit: number, cursor?: string): Promise<Page<WorkflowVersionView>> {
    const beforeVersion = decodeCursor(cursor, ([version]) =>
      typeof version === 'number' && Number.isInteger(version) ? version : null,
    );
    const rows = await this.prisma.workflowVersion.findMany({
      where: { workflowId: workflow.id, ...(beforeVersion !== null && { version: { lt: beforeVersion } }) },
      orderBy: { version: 'desc' },
      take: limit + 1,
    });
    return toPage(
      rows,
      limit,
      (row) => toVersionView(row, workflow.publishedVersion),
      (row) => [row.version],
    );
  }

  async list(project: string, query: ListWorkflowsQuery): Promise<Page<WorkflowView>> {
    const lastName = decodeCursor(query.cursor, ([name]) => (typeof name === 'string' ? name : null));
    const where: Prisma.WorkflowWhereInput = {
      projectId: project,
      archivedAt: query.archived ? { not: null } : null,
      ...(query.surface && { surface: query.surface }),
      ...(query.text !== undefined && { OR: textFilters(query.text) }),
      ...(lastName !== null && { name: { gt: lastName } }),
    };
    const rows = await this.prisma.workflow.findMany({ where, orderBy: { name: 'asc' }, take: query.limit + 1 });
    return toPage(rows, query.limit, toWorkflowView, (row) => [row.name]);
  }

  /** Publishes a version that exists. */
  publish(id: string, version: number, publishedAt: Date): Promise<WorkflowView> {
    return this.update(id, { publishedVersion: version, updatedAt: publishedAt });
  }

  /** Archives or restores a workflow. Passed proposals of a restored one are published. */
  setArchived(id: string, archived: boolean, archivedAt: Date): Promise<WorkflowView> {
    const data = { archivedAt: archived ? archivedAt : null, updatedAt: archivedAt };
    return this.prisma.$transaction(async (transaction) => {
      const row = await transaction.workflow.update({ where: { id }, data });
      if (!archived) await transaction.$executeRawUnsafe(REQUEST_PUBLICATIONS, id);
      return toWorkflowView(row);
    });
  }

  private async update(id: string, data: Prisma.WorkflowUpdateInput): Promise<WorkflowView> {
    return toWorkflowView(await this.prisma.workflow.update({ where: { id }, data }));
  }
}

function textFilters(text: string): Prisma.WorkflowWhereInput[] {
  const contains = { contains: escapeLike(text), mode: 'insensitive' } as const;
  return [{ name: contains }, { title: contains }];
}

function withVersion({
  versions,
  ...row
}: Prisma.WorkflowGetPayload<{ include: { versions: true } }>): WorkflowWithVersion {
  const [version] = versions;
  if (!version) throw new Error(`Version ${row.latestVersion} of workflow ${row.name} is missing`);
  return { workflow: toWorkflowView(row), version: toVersionView(version, row.publishedVersion) };
}
