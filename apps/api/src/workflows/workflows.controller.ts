import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { WorkflowsService } from './workflows.service.ts';

@Controller()
export class WorkflowsController {
  constructor(@Inject(WorkflowsService) private readonly workflows: WorkflowsService) {}

  @Route(routes.createWorkflow)
  create({ caller, body, yaml, query }: RouteRequest<typeof routes.createWorkflow>) {
    return this.workflows.create(caller, body, query.publish, yaml);
  }

  @Route(routes.listWorkflows)
  list({ caller, query }: RouteRequest<typeof routes.listWorkflows>) {
    return this.workflows.list(caller, query);
  }

  @Route(routes.readWorkflow)
  read({ caller, params, query }: RouteRequest<typeof routes.readWorkflow>) {
    return this.workflows.read(caller, params.workflow, query.version);
  }

  @Route(routes.updateWorkflow)
  update({ caller, params, body, yaml, query }: RouteRequest<typeof routes.updateWorkflow>) {
    return this.workflows.update(caller, params.workflow, body, query.publish, yaml);
  }

  @Route(routes.readWorkflowStats)
  stats({ caller, params }: RouteRequest<typeof routes.readWorkflowStats>) {
    return this.workflows.stats(caller, params.workflow);
  }

  @Route(routes.setWorkflowThumbnail)
  setThumbnail({ caller, params, body }: RouteRequest<typeof routes.setWorkflowThumbnail>) {
    return this.workflows.setThumbnail(caller, params.workflow, Buffer.from(body.image, 'base64'));
  }

  @Route(routes.removeWorkflowThumbnail)
  removeThumbnail({ caller, params }: RouteRequest<typeof routes.removeWorkflowThumbnail>) {
    return this.workflows.setThumbnail(caller, params.workflow, null);
  }

  @Route(routes.listWorkflowVersions)
  versions({ caller, params, query }: RouteRequest<typeof routes.listWorkflowVersions>) {
    return this.workflows.versions(caller, params.workflow, query.limit, query.cursor);
  }

  @Route(routes.publishWorkflow)
  publish({ caller, params, body }: RouteRequest<typeof routes.publishWorkflow>) {
    return this.workflows.publish(caller, params.workflow, body?.version);
  }

  @Route(routes.archiveWorkflow)
  archive({ caller, params }: RouteRequest<typeof routes.archiveWorkflow>) {
    return this.workflows.setArchived(caller, params.workflow, true);
  }

  @Route(routes.unarchiveWorkflow)
  unarchive({ caller, params }: RouteRequest<typeof routes.unarchiveWorkflow>) {
    return this.workflows.setArchived(caller, params.workflow, false);
  }
}
