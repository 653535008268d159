import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { ProjectSecretsService } from './project-secrets.service.ts';

@Controller()
export class ProjectSecretsController {
  constructor(@Inject(ProjectSecretsService) private readonly secrets: ProjectSecretsService) {}

  @Route(routes.listSecrets)
  list({ caller, query }: RouteRequest<typeof routes.listSecrets>) {
    return this.secrets.list(caller, query.limit, query.cursor);
  }

  @Route(routes.saveSecret)
  save({ caller, params, body }: RouteRequest<typeof routes.saveSecret>) {
    return this.secrets.save(caller, params.secret, body);
  }

  @Route(routes.deleteSecret)
  delete({ caller, params }: RouteRequest<typeof routes.deleteSecret>) {
    return this.secrets.delete(caller, params.secret);
  }
}
