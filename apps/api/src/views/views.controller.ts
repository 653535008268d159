import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract';
import type { Call } from '../http/call.ts';
import { Route } from '../http/route.ts';
import { ViewsService } from './views.service.ts';

@Controller()
export class ViewsController {
  constructor(@Inject(ViewsService) private readonly views: ViewsService) {}

  @Route(routes.listViews)
  list({ caller }: Call<typeof routes.listViews>) {
    return this.views.list(caller);
  }

  @Route(routes.saveView)
  save({ caller, body }: Call<typeof routes.saveView>) {
    return this.views.save(caller, body);
  }

  @Route(routes.deleteView)
  delete({ caller, params }: Call<typeof routes.deleteView>) {
    return this.views.delete(caller, params.view);
  }
}
