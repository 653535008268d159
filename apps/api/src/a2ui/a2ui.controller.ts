import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract';
import type { Call } from '../http/call.ts';
import { Route } from '../http/route.ts';
import { A2uiService } from './a2ui.service.ts';
import { ActionsService } from './actions.service.ts';

@Controller()
export class A2uiController {
  constructor(
    @Inject(A2uiService) private readonly views: A2uiService,
    @Inject(ActionsService) private readonly actions: ActionsService,
  ) {}

  @Route(routes.drawRun)
  draw(call: Call<typeof routes.drawRun>) {
    return this.views.draw(call);
  }

  @Route(routes.submitAndDraw)
  submit(call: Call<typeof routes.submitAndDraw>) {
    return this.views.submit(call);
  }

  @Route(routes.actOnRun)
  act({ caller, params, body }: Call<typeof routes.actOnRun>) {
    return this.actions.act(caller, params.run, body);
  }
}
