import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { StatisticsService } from './statistics.service.ts';

@Controller()
export class StatisticsController {
  constructor(@Inject(StatisticsService) private readonly statistics: StatisticsService) {}

  @Route(routes.readStatistics)
  read({ caller, query }: RouteRequest<typeof routes.readStatistics>) {
    return this.statistics.read(caller, query.hours);
  }
}
