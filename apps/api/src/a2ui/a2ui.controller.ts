import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { A2uiStreamService } from './a2ui-stream.service.ts';
import { A2uiActionsService } from './a2ui-actions.service.ts';

@Controller()
export class A2uiController {
  constructor(
    @Inject(A2uiStreamService) private readonly streams: A2uiStreamService,
    @Inject(A2uiActionsService) private readonly actions: A2uiActionsService,
  ) {}

  @Route(routes.streamRunA2ui)
  stream(call: RouteRequest<typeof routes.streamRunA2ui>) {
    return this.streams.streamRun(call);
  }

  @Route(routes.submitRunA2ui)
  submitAndStream(call: RouteRequest<typeof routes.submitRunA2ui>) {
    return this.streams.submitAndStream(call);
  }

  @Route(routes.sendA2uiMessage)
  perform({ caller, params, body }: RouteRequest<typeof routes.sendA2uiMessage>) {
    return this.actions.perform(caller, params.run, body);
  }
}
