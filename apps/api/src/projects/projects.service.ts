import { Inject } from '@nestjs/common';
import type { ChangeProject, ProjectView } from '@pilothouse/contract';
import { ProjectSettings } from '@pilothouse/infra-db';
import type { Caller } from '../http/call.ts';
import { Admission } from '../queue/admission.ts';

/** The project of the caller. */
export class ProjectsService {
  constructor(
    @Inject(ProjectSettings) private readonly settings: ProjectSettings,
    @Inject(Admission) private readonly admission: Admission,
  ) {}

  read({ project }: Caller): Promise<ProjectView> {
    return this.settings.read(project.id);
  }

  /** Changes limit and keeping. Runs that a limit held back go on now, wherever they wait. */
  async change({ project }: Caller, change: ChangeProject): Promise<ProjectView> {
    await this.settings.change(project.id, change);
    if (change.maxRunning !== undefined) this.admission.everywhere();
    return this.settings.read(project.id);
  }
}
