import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { SavedViewsService } from './saved-views.service.ts';

@Controller()
export class SavedViewsController {
  constructor(@Inject(SavedViewsService) private readonly views: SavedViewsService) {}

  @Route(routes.listSavedViews)
  list({ caller }: RouteRequest<typeof routes.listSavedViews>) {
    return this.views.list(caller);
  }

  @Route(routes.createSavedView)
  save({ caller, body }: RouteRequest<typeof routes.createSavedView>) {
    return this.views.save(caller, body);
  }

  @Route(routes.deleteSavedView)
  delete({ caller, params }: RouteRequest<typeof routes.deleteSavedView>) {
    return this.views.delete(caller, params.view);
  }
}
