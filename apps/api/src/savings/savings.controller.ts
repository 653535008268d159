import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import { Route } from '../http/route.decorator.ts';
import type { RouteRequest } from '../http/route-request.ts';
import { SavingsService } from './savings.service.ts';

@Controller()
export class SavingsController {
  constructor(@Inject(SavingsService) private readonly savings: SavingsService) {}

  @Route(routes.readSavings)
  read({ caller, query }: RouteRequest<typeof routes.readSavings>) {
    return this.savings.read(caller, query);
  }

  @Route(routes.listRepeatedGoals)
  repeatedGoals({ caller, query }: RouteRequest<typeof routes.listRepeatedGoals>) {
    return this.savings.repeatedGoals(caller, query);
  }

  @Route(routes.dismissRepeatedGoal)
  dismiss({ caller, params }: RouteRequest<typeof routes.dismissRepeatedGoal>) {
    return this.savings.dismiss(caller, params.goal);
  }

  @Route(routes.restoreRepeatedGoal)
  restore({ caller, params }: RouteRequest<typeof routes.restoreRepeatedGoal>) {
    return this.savings.restore(caller, params.goal);
  }
}
