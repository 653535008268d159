import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { RegistryService } from './registry.service.ts';

@Controller()
export class RegistryController {
  constructor(@Inject(RegistryService) private readonly registry: RegistryService) {}

  @Route(routes.listRegisteredModels)
  list({ caller, query }: RouteRequest<typeof routes.listRegisteredModels>) {
    return this.registry.list(caller, query);
  }

  @Route(routes.readRegisteredModel)
  read({ caller, params }: RouteRequest<typeof routes.readRegisteredModel>) {
    return this.registry.read(caller, params.model);
  }

  @Route(routes.registerModel)
  register({ caller, body }: RouteRequest<typeof routes.registerModel>) {
    return this.registry.register(caller, body);
  }

  @Route(routes.startShadow)
  startShadow({ caller, params, body }: RouteRequest<typeof routes.startShadow>) {
    const { percent: shadowPercent, reason = null } = body;
    return this.registry.change(caller, params.model, { to: 'shadow', shadowPercent, reason });
  }

  @Route(routes.startCanary)
  startCanary({ caller, params, body }: RouteRequest<typeof routes.startCanary>) {
    const { percent: canaryPercent, reason = null } = body;
    return this.registry.change(caller, params.model, { to: 'canary', canaryPercent, reason });
  }

  @Route(routes.promoteModel)
  promote({ caller, params, body }: RouteRequest<typeof routes.promoteModel>) {
    return this.registry.change(caller, params.model, { to: 'active', reason: body.reason ?? null });
  }

  @Route(routes.rollBackModel)
  rollBack({ caller, params, body }: RouteRequest<typeof routes.rollBackModel>) {
    return this.registry.change(caller, params.model, { to: 'rolled_back', reason: body.reason ?? null });
  }

  @Route(routes.deleteRegisteredModel)
  delete({ caller, params }: RouteRequest<typeof routes.deleteRegisteredModel>) {
    return this.registry.delete(caller, params.model);
  }
}
