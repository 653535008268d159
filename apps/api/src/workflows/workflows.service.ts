import { Inject } from '@nestjs/common';
import type { Page } from '@pilothouse/contract/api/query-params';
import type { ListWorkflowsQuery, WorkflowDetail } from '@pilothouse/contract/api/workflows.routes';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { roleIncludes } from '@pilothouse/contract/project/project-roles';
import { walkAllNodes } from '@pilothouse/contract/workflow/workflow-node.schema';
import type {
  WorkflowDefinition,
  WorkflowVersionView,
  WorkflowView,
} from '@pilothouse/contract/workflow/workflow.schema';
import type { WorkflowStats, WorkflowSummary } from '@pilothouse/contract/api/workflow-stats.schema';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { WorkflowStore, type WorkflowWithVersion, type WorkflowVersionWrite } from '@pilothouse/infra-db';
import { HttpResponse } from '../http/http-response.ts';
import type { Caller } from '../http/route-request.ts';
import { validationError } from '../http/request-validation.ts';
import { newId } from '../common/new-id.ts';
import { validateDefinition, stripEditorFields, type RunPlan } from './run-plan.ts';
import { CLOCK } from '../common/injection-tokens.ts';
import { WorkflowStatsService } from './workflow-stats.service.ts';
import { resolveCalls, type WorkflowLookupResult } from './resolve-calls.ts';

const detailOf = ({ workflow, version }: WorkflowWithVersion): WorkflowDetail => ({
  ...workflow,
  version: version.version,
  published: version.published,
  versionCreatedAt: version.createdAt,
  definition: version.definition,
  source: version.source,
});

/** @throws Error when the workflow does not exist: workflows are never deleted */
function statsAt(figures: readonly (WorkflowStats | undefined)[], index: number): WorkflowStats {
  const stats = figures[index];
  if (!stats) throw new Error('workflow statistics not available');
  return stats;
}

const archived = ({ name }: WorkflowView) =>
  new PilothouseError('CONFLICT', `The workflow ${name} is archived. Restore it first.`);

/** Workflows of a project. */
export class WorkflowsService {
  constructor(
    @Inject(WorkflowStore) private readonly store: WorkflowStore,
    @Inject(WorkflowStatsService) private readonly workflowStats: WorkflowStatsService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async create(
    caller: Caller,
    definition: WorkflowDefinition,
    publish = false,
    source: string | null = null,
  ): Promise<HttpResponse<WorkflowDetail>> {
    const created = await this.store.create(newId(), await this.write(caller, definition, publish, source));
    if (!created) {
      throw new PilothouseError(
        'CONFLICT',
        `Workflow ${definition.name} exists already. PUT /v1/workflows/${definition.name} creates a new version.`,
      );
    }
    return new HttpResponse<WorkflowDetail>(201, detailOf(created), {
      location: `/v1/workflows/${created.workflow.id}`,
    });
  }

  async list(caller: Caller, query: ListWorkflowsQuery): Promise<Page<WorkflowSummary>> {
    const { items, nextCursor } = await this.store.list(caller.project.id, query);
    const stats = await this.workflowStats.stats(items.map(({ id }) => id));
    return { items: items.map((workflow, index) => ({ ...workflow, stats: statsAt(stats, index) })), nextCursor };
  }

  async stats(caller: Caller, ref: string): Promise<WorkflowStats> {
    const { id } = await this.find(caller.project.id, ref);
    return statsAt(await this.workflowStats.stats([id]), 0);
  }

  /** @param image null: shows a screenshot of its runs again @throws PilothouseError NOT_FOUND; VALIDATION_FAILED for data that is no image */
  async setThumbnail(caller: Caller, ref: string, image: Buffer | null): Promise<WorkflowStats> {
    const { id } = await this.find(caller.project.id, ref);
    await this.workflowStats.setThumbnail(caller.project.id, id, image);
    return this.stats(caller, id);
  }

  async read(caller: Caller, ref: string, version?: number): Promise<WorkflowDetail> {
    const workflow = await this.find(caller.project.id, ref);
    return detailOf({ workflow, version: await this.version(workflow, version ?? workflow.latestVersion) });
  }

  async update(
    caller: Caller,
    ref: string,
    definition: WorkflowDefinition,
    publish = false,
    source: string | null = null,
  ): Promise<WorkflowDetail> {
    const workflow = await this.find(caller.project.id, ref);
    if (definition.name !== workflow.name) {
      const detail = `The workflow is named "${workflow.name}". A name cannot change; create another workflow.`;
      throw validationError('workflow', [{ pointer: '/name', detail }]);
    }
    const updated = await this.store.addVersion(workflow.id, await this.write(caller, definition, publish, source));
    if (!updated) throw archived(workflow);
    return detailOf(updated);
  }

  async versions(caller: Caller, ref: string, limit: number, cursor?: string): Promise<Page<WorkflowVersionView>> {
    return this.store.versions(await this.find(caller.project.id, ref), limit, cursor);
  }

  async publish(caller: Caller, ref: string, version?: number): Promise<WorkflowView> {
    const workflow = await this.find(caller.project.id, ref);
    if (workflow.archived) throw archived(workflow);
    const target = await this.version(workflow, version ?? workflow.latestVersion);
    return this.store.publish(workflow.id, target.version, this.clock.now());
  }

  async setArchived(caller: Caller, ref: string, isArchived: boolean): Promise<WorkflowView> {
    const workflow = await this.find(caller.project.id, ref);
    if (workflow.archived === isArchived) return workflow;
    return this.store.setArchived(workflow.id, isArchived, this.clock.now());
  }

  /**
   * Resolves the version that a run of the workflow executes.
   * @param version default: the published one
   */
  async plan(project: string, ref: string, version?: number): Promise<RunPlan> {
    const workflow = await this.find(project, ref);
    if (workflow.archived) throw archived(workflow);
    const requestedVersion = version ?? workflow.publishedVersion;
    if (requestedVersion === null) {
      throw new PilothouseError(
        'CONFLICT',
        `Workflow ${workflow.name} has no published version. Publish one, or name a version (newest: ${workflow.latestVersion}).`,
      );
    }
    const resolved = await this.version(workflow, requestedVersion);
    return { workflow: { id: workflow.id, version: resolved.version }, definition: resolved.definition };
  }

  /**
   * Embeds the called workflows of the project, each in one version.
   * @throws PilothouseError VALIDATION_FAILED for unknown or cyclic calls, or inputs that do not match
   */
  async complete(project: string, definition: WorkflowDefinition): Promise<WorkflowDefinition> {
    const isCalling = [definition, ...Object.values(definition.workflows ?? {})].some(({ steps }) =>
      [...walkAllNodes(steps)].some(({ node }) => node.action === 'call'),
    );
    if (!isCalling) return definition;
    const complete = await resolveCalls(definition, (name, version) => this.lookUpCalled(project, name, version));
    validateDefinition(complete);
    return complete;
  }

  private async lookUpCalled(
    project: string,
    name: string,
    requestedVersion: number | undefined,
  ): Promise<WorkflowLookupResult> {
    const workflow = await this.store.find(project, name);
    if (!workflow) return { missing: `Workflow ${name} not found in this file or project` };
    if (workflow.archived) return { missing: `The workflow ${name} is archived` };
    const version = requestedVersion ?? workflow.publishedVersion;
    if (version === null) {
      return {
        missing: `${name} has no published version. Publish one, or name a version: ${name}@${workflow.latestVersion}`,
      };
    }
    const match = await this.store.version(workflow, version);
    if (match) return { version: match.version, definition: match.definition };
    return { missing: `Version ${version} of workflow ${name} not found (newest: ${workflow.latestVersion})` };
  }

  private async find(project: string, ref: string): Promise<WorkflowView> {
    const workflow = await this.store.find(project, ref);
    if (!workflow) throw new PilothouseError('NOT_FOUND', `Workflow ${ref} not found.`);
    return workflow;
  }

  private async version(workflow: WorkflowView, version: number): Promise<WorkflowVersionView> {
    const match = await this.store.version(workflow, version);
    if (match) return match;
    throw new PilothouseError(
      'NOT_FOUND',
      `Version ${version} of workflow ${workflow.name} not found (newest: ${workflow.latestVersion}).`,
    );
  }

  private async write(
    caller: Caller,
    definition: WorkflowDefinition,
    publish: boolean,
    source: string | null,
  ): Promise<WorkflowVersionWrite> {
    if (publish && !roleIncludes(caller.role, 'admin')) {
      throw new PilothouseError('FORBIDDEN', 'Publishing requires the role admin. Omit `publish`.');
    }
    validateDefinition(definition);
    await this.complete(caller.project.id, definition);
    return {
      project: caller.project.id,
      definition: stripEditorFields(definition),
      source,
      author: caller.name,
      createdAt: this.clock.now(),
      publish,
    };
  }
}
