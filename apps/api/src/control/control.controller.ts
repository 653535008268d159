import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { ControlService } from './control.service.ts';

@Controller()
export class ControlController {
  constructor(@Inject(ControlService) private readonly wheels: ControlService) {}

  @Route(routes.takeControl)
  take({ caller, params }: RouteRequest<typeof routes.takeControl>) {
    return this.wheels.take(caller, params.run);
  }

  @Route(routes.sendControlInput)
  drive({ caller, params, body }: RouteRequest<typeof routes.sendControlInput>) {
    return this.wheels.sendInput(caller, params.run, body);
  }

  @Route(routes.inspectPage)
  look({ caller, params, body, signal }: RouteRequest<typeof routes.inspectPage>) {
    return this.wheels.inspect(caller, params.run, body, signal);
  }

  @Route(routes.readDropdown)
  choices({ caller, params, body, signal }: RouteRequest<typeof routes.readDropdown>) {
    return this.wheels.choices(caller, params.run, body, signal);
  }

  @Route(routes.copySelection)
  copy({ caller, params, body, signal }: RouteRequest<typeof routes.copySelection>) {
    return this.wheels.copy(caller, params.run, body, signal);
  }

  @Route(routes.releaseControl)
  giveBack({ caller, params }: RouteRequest<typeof routes.releaseControl>) {
    return this.wheels.release(caller, params.run);
  }
}
