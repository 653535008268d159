import { Inject } from '@nestjs/common';
import {
  PilothouseError,
  type ChangeProject,
  type CreateProject,
  type Keep,
  type OwnProject,
  type ProjectView,
} from '@pilothouse/contract';
import type { ModelsConfig } from '@pilothouse/infra-config';
import { ProjectSettings, ProjectStore } from '@pilothouse/infra-db';
import type { Caller, SignedIn } from '../http/call.ts';
import { invalid } from '../http/check.ts';
import { newId } from '../ids.ts';
import { unknownEndpoints } from '../models/named.ts';
import { Admission } from '../queue/admission.ts';
import { KEEP, MODELS } from '../tokens.ts';

/** The project of the caller, and new ones. */
export class ProjectsService {
  constructor(
    @Inject(ProjectSettings) private readonly settings: ProjectSettings,
    @Inject(ProjectStore) private readonly projects: Pick<ProjectStore, 'create'>,
    @Inject(Admission) private readonly admission: Admission,
    @Inject(KEEP) private readonly keep: Keep,
    @Inject(MODELS) private readonly models: ModelsConfig,
  ) {}

  /** @throws PilothouseError FORBIDDEN for who is admin nowhere; CONFLICT when the slug is taken */
  async create({ user, projects }: SignedIn, { slug, name }: CreateProject): Promise<OwnProject> {
    if (!projects.some(({ role }) => role === 'admin')) {
      throw new PilothouseError('FORBIDDEN', 'Only who is admin of a project makes another');
    }
    const project = { id: newId(), slug, name };
    if (await this.projects.create(project, user.id, this.keep)) return { ...project, role: 'admin' };
    throw new PilothouseError('CONFLICT', `There is a project ${slug} already: choose another \`slug\``, {
      fields: [{ pointer: '/slug', detail: 'It is taken' }],
    });
  }

  read({ project }: Caller): Promise<ProjectView> {
    return this.settings.read(project.id);
  }

  /**
   * Changes name, limit and keeping. Runs that a limit held back go on now, wherever they wait.
   * @throws PilothouseError VALIDATION_FAILED for models at an endpoint that there is not
   */
  async change({ project }: Caller, change: ChangeProject): Promise<ProjectView> {
    const unknown = change.models ? unknownEndpoints(change.models, this.models) : [];
    if (unknown.length > 0) throw invalid('body', unknown);
    await this.settings.change(project.id, change);
    if (change.maxRunning !== undefined) this.admission.everywhere();
    return this.settings.read(project.id);
  }
}
