import type { SurfaceKind, WorkflowVersionView, WorkflowView } from '@pilothouse/contract';
import type { Workflow, WorkflowVersion } from '../generated/client.ts';
import { storedDefinition } from '../prisma.ts';

/** A row as clients see it. */
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

/** A version as clients see it. What is stored was checked when it came. */
export const toVersionView = (row: WorkflowVersion, published: number | null): WorkflowVersionView => ({
  version: row.version,
  published: row.version === published,
  createdAt: row.createdAt.toISOString(),
  definition: storedDefinition(row.definition),
  source: row.source,
});
