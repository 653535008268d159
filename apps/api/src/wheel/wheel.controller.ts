import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract';
import type { Call } from '../http/call.ts';
import { Route } from '../http/route.ts';
import { WheelService } from './wheel.service.ts';

@Controller()
export class WheelController {
  constructor(@Inject(WheelService) private readonly wheels: WheelService) {}

  @Route(routes.takeWheel)
  take({ caller, params }: Call<typeof routes.takeWheel>) {
    return this.wheels.take(caller, params.run);
  }

  @Route(routes.driveRun)
  drive({ caller, params, body }: Call<typeof routes.driveRun>) {
    return this.wheels.drive(caller, params.run, body);
  }

  @Route(routes.lookAtRun)
  look({ caller, params, body, signal }: Call<typeof routes.lookAtRun>) {
    return this.wheels.look(caller, params.run, body, signal);
  }

  @Route(routes.choicesOfRun)
  choices({ caller, params, body, signal }: Call<typeof routes.choicesOfRun>) {
    return this.wheels.choices(caller, params.run, body, signal);
  }

  @Route(routes.copyFromRun)
  copy({ caller, params, body, signal }: Call<typeof routes.copyFromRun>) {
    return this.wheels.copy(caller, params.run, body, signal);
  }

  @Route(routes.returnWheel)
  giveBack({ caller, params }: Call<typeof routes.returnWheel>) {
    return this.wheels.giveBack(caller, params.run);
  }
}
