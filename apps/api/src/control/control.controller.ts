import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { ControlService } from './control.service.ts';

@Controller()
export class ControlController {
  constructor(@Inject(ControlService) private readonly control: ControlService) {}

  @Route(routes.takeControl)
  take({ caller, params }: RouteRequest<typeof routes.takeControl>) {
    return this.control.take(caller, params.run);
  }

  @Route(routes.sendControlInput)
  sendInput({ caller, params, body }: RouteRequest<typeof routes.sendControlInput>) {
    return this.control.sendInput(caller, params.run, body);
  }

  @Route(routes.inspectPage)
  inspect({ caller, params, body, signal }: RouteRequest<typeof routes.inspectPage>) {
    return this.control.inspect(caller, params.run, body, signal);
  }

  @Route(routes.readDropdown)
  readDropdown({ caller, params, body, signal }: RouteRequest<typeof routes.readDropdown>) {
    return this.control.readDropdown(caller, params.run, body, signal);
  }

  @Route(routes.copySelection)
  copy({ caller, params, body, signal }: RouteRequest<typeof routes.copySelection>) {
    return this.control.copy(caller, params.run, body, signal);
  }

  @Route(routes.releaseControl)
  release({ caller, params }: RouteRequest<typeof routes.releaseControl>) {
    return this.control.release(caller, params.run);
  }
}
