import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { ProjectsService } from './projects.service.ts';

@Controller()
export class ProjectsController {
  constructor(@Inject(ProjectsService) private readonly projects: ProjectsService) {}

  @Route(routes.createProject)
  create({ caller, body }: RouteRequest<typeof routes.createProject>) {
    return this.projects.create(caller, body);
  }

  @Route(routes.readProject)
  read({ caller }: RouteRequest<typeof routes.readProject>) {
    return this.projects.read(caller);
  }

  @Route(routes.updateProject)
  async change({ caller, body, request }: RouteRequest<typeof routes.updateProject>) {
    request.audit.previous = await this.projects.read(caller);
    return this.projects.change(caller, body);
  }
}
