import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { FleetsService } from './fleets.service.ts';

@Controller()
export class FleetsController {
  constructor(@Inject(FleetsService) private readonly fleets: FleetsService) {}

  @Route(routes.listFleets)
  list({ caller }: RouteRequest<typeof routes.listFleets>) {
    return this.fleets.list(caller);
  }

  @Route(routes.readFleet)
  read({ caller, params }: RouteRequest<typeof routes.readFleet>) {
    return this.fleets.read(caller, params.fleet);
  }

  @Route(routes.pauseFleet)
  pause({ caller, params }: RouteRequest<typeof routes.pauseFleet>) {
    return this.fleets.pause(caller, params.fleet);
  }

  @Route(routes.resumeFleet)
  resume({ caller, params }: RouteRequest<typeof routes.resumeFleet>) {
    return this.fleets.resume(caller, params.fleet);
  }

  @Route(routes.listFleetDecisions)
  decisions({ caller, params, query }: RouteRequest<typeof routes.listFleetDecisions>) {
    return this.fleets.decisions(caller, params.fleet, query.limit);
  }

  @Route(routes.drainWorker)
  drain({ caller, params }: RouteRequest<typeof routes.drainWorker>) {
    return this.fleets.drain(caller, params.fleet, params.worker);
  }

  @Route(routes.cordonWorker)
  cordon({ caller, params }: RouteRequest<typeof routes.cordonWorker>) {
    return this.fleets.cordon(caller, params.fleet, params.worker, true);
  }

  @Route(routes.uncordonWorker)
  uncordon({ caller, params }: RouteRequest<typeof routes.uncordonWorker>) {
    return this.fleets.cordon(caller, params.fleet, params.worker, false);
  }

  @Route(routes.updateFleet)
  async change({ caller, params, body, request }: RouteRequest<typeof routes.updateFleet>) {
    request.audit.previous = await this.fleets.read(caller, params.fleet);
    return this.fleets.change(caller, params.fleet, body);
  }

  @Route(routes.readFleetHistory)
  history({ caller, params, query }: RouteRequest<typeof routes.readFleetHistory>) {
    return this.fleets.history(caller, params.fleet, query.hours);
  }
}
