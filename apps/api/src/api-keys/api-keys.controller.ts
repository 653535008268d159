import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { ApiKeysService } from './api-keys.service.ts';

@Controller()
export class ApiKeysController {
  constructor(@Inject(ApiKeysService) private readonly keys: ApiKeysService) {}

  @Route(routes.createApiKey)
  create({ caller, body }: RouteRequest<typeof routes.createApiKey>) {
    return this.keys.create(caller, body);
  }

  @Route(routes.listApiKeys)
  list({ caller, query }: RouteRequest<typeof routes.listApiKeys>) {
    return this.keys.list(caller, query.limit, query.cursor);
  }

  @Route(routes.revokeApiKey)
  revoke({ caller, params }: RouteRequest<typeof routes.revokeApiKey>) {
    return this.keys.revoke(caller, params.key);
  }

  @Route(routes.readMe)
  me({ caller }: RouteRequest<typeof routes.readMe>) {
    return this.keys.me(caller);
  }
}
