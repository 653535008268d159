import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { ControlService } from './control.service.ts';

@Controller()
export class ControlController {
  constructor(@Inject(ControlService) private readonly wheels: ControlService) {}

  @Route(routes.takeWheel)
  take({ caller, params }: RouteRequest<typeof routes.takeWheel>) {
    return this.wheels.take(caller, params.run);
  }

  @Route(routes.driveRun)
  drive({ caller, params, body }: RouteRequest<typeof routes.driveRun>) {
    return this.wheels.sendInput(caller, params.run, body);
  }

  @Route(routes.lookAtRun)
  look({ caller, params, body, signal }: RouteRequest<typeof routes.lookAtRun>) {
    return this.wheels.inspect(caller, params.run, body, signal);
  }

  @Route(routes.choicesOfRun)
  choices({ caller, params, body, signal }: RouteRequest<typeof routes.choicesOfRun>) {
    return this.wheels.choices(caller, params.run, body, signal);
  }

  @Route(routes.copyFromRun)
  copy({ caller, params, body, signal }: RouteRequest<typeof routes.copyFromRun>) {
    return this.wheels.copy(caller, params.run, body, signal);
  }

  @Route(routes.returnWheel)
  giveBack({ caller, params }: RouteRequest<typeof routes.returnWheel>) {
    return this.wheels.release(caller, params.run);
  }
}
