import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { TracesService } from './traces.service.ts';

@Controller()
export class TracesController {
  constructor(@Inject(TracesService) private readonly traces: TracesService) {}

  @Route(routes.readTraceStats)
  stats({ caller, query }: RouteRequest<typeof routes.readTraceStats>) {
    return this.traces.stats(caller, query);
  }

  @Route(routes.listTraces)
  list({ caller, query }: RouteRequest<typeof routes.listTraces>) {
    return this.traces.list(caller, query);
  }

  @Route(routes.readTrace)
  read({ caller, params }: RouteRequest<typeof routes.readTrace>) {
    return this.traces.read(caller, params.run);
  }

  @Route(routes.labelTraceStep)
  label({ caller, params, body }: RouteRequest<typeof routes.labelTraceStep>) {
    return this.traces.label(caller, params, body);
  }

  @Route(routes.pinTrace)
  pin({ caller, params }: RouteRequest<typeof routes.pinTrace>) {
    return this.traces.pin(caller, params.run, true);
  }

  @Route(routes.unpinTrace)
  unpin({ caller, params }: RouteRequest<typeof routes.unpinTrace>) {
    return this.traces.pin(caller, params.run, false);
  }

  @Route(routes.scoreTraces)
  score({ caller, body }: RouteRequest<typeof routes.scoreTraces>) {
    return this.traces.score(caller, body);
  }

  @Route(routes.acceptTraceLabels)
  accept({ caller, body }: RouteRequest<typeof routes.acceptTraceLabels>) {
    return this.traces.accept(caller, body);
  }
}
