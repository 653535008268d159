import { Inject } from '@nestjs/common';
import type { UpdateProject, RetentionPolicy, ProjectView } from '@pilothouse/contract/api/project.routes';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { CreateProject } from '@pilothouse/contract/project/member.schema';
import type { ProjectMembership } from '@pilothouse/contract/project/user.schema';
import type { ModelsConfig } from '@pilothouse/infra-config';
import { ProjectSettingsStore, ProjectStore } from '@pilothouse/infra-db';
import type { Caller, SignedInUser } from '../http/route-request.ts';
import { validationError } from '../http/request-validation.ts';
import { newId } from '../common/new-id.ts';
import { unknownEndpointProblems } from '../models/models-view.ts';
import { QueueService } from '../queue/queue.service.ts';
import { DEFAULT_RETENTION, MODELS_CONFIG } from '../common/injection-tokens.ts';

/** Reads and changes the project of the caller, and creates projects. */
export class ProjectsService {
  constructor(
    @Inject(ProjectSettingsStore) private readonly settings: ProjectSettingsStore,
    @Inject(ProjectStore) private readonly projects: Pick<ProjectStore, 'create'>,
    @Inject(QueueService) private readonly queues: Pick<QueueService, 'admitAll'>,
    @Inject(DEFAULT_RETENTION) private readonly defaultRetention: RetentionPolicy,
    @Inject(MODELS_CONFIG) private readonly models: ModelsConfig,
  ) {}

  /** @throws PilothouseError FORBIDDEN without an admin role in any project; CONFLICT when the slug is taken */
  async create({ user, projects }: SignedInUser, { slug, name }: CreateProject): Promise<ProjectMembership> {
    if (!projects.some(({ role }) => role === 'admin')) {
      throw new PilothouseError('FORBIDDEN', 'Only a project admin can create projects');
    }
    const project = { id: newId(), slug, name };
    if (await this.projects.create(project, user.id, this.defaultRetention)) return { ...project, role: 'admin' };
    throw new PilothouseError('CONFLICT', `Project ${slug} exists already. Choose another \`slug\`.`, {
      fields: [{ pointer: '/slug', detail: 'It is taken' }],
    });
  }

  read({ project }: Caller): Promise<ProjectView> {
    return this.settings.read(project.id);
  }

  /**
   * Changes name, limits and retention. Runs held back by a raised limit continue at once.
   * @throws PilothouseError VALIDATION_FAILED for models at an unknown endpoint
   */
  async change({ project }: Caller, change: UpdateProject): Promise<ProjectView> {
    const unknown = change.models ? unknownEndpointProblems(change.models, this.models) : [];
    if (unknown.length > 0) throw validationError('body', unknown);
    await this.settings.change(project.id, change);
    if (change.maxConcurrentRuns !== undefined) this.queues.admitAll();
    return this.settings.read(project.id);
  }
}
