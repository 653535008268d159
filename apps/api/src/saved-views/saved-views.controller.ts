import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { SavedViewsService } from './saved-views.service.ts';

@Controller()
export class SavedViewsController {
  constructor(@Inject(SavedViewsService) private readonly views: SavedViewsService) {}

  @Route(routes.listViews)
  list({ caller }: RouteRequest<typeof routes.listViews>) {
    return this.views.list(caller);
  }

  @Route(routes.saveView)
  save({ caller, body }: RouteRequest<typeof routes.saveView>) {
    return this.views.save(caller, body);
  }

  @Route(routes.deleteView)
  delete({ caller, params }: RouteRequest<typeof routes.deleteView>) {
    return this.views.delete(caller, params.view);
  }
}
