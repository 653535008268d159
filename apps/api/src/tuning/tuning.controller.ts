import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { TuningService } from './tuning.service.ts';

@Controller()
export class TuningController {
  constructor(@Inject(TuningService) private readonly tuning: TuningService) {}

  @Route(routes.startTuning)
  start({ caller, body }: RouteRequest<typeof routes.startTuning>) {
    return this.tuning.start(caller, body);
  }

  @Route(routes.estimateTuning)
  estimate({ caller, body }: RouteRequest<typeof routes.estimateTuning>) {
    return this.tuning.estimate(caller, body);
  }

  @Route(routes.readTuningEvents)
  readEvents({ caller, params }: RouteRequest<typeof routes.readTuningEvents>) {
    return this.tuning.readEvents(caller, params.job);
  }
}
