import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract';
import type { Call } from '../http/call.ts';
import { Route } from '../http/route.ts';
import { VERSION } from '../version.ts';
import { HealthService } from './health.service.ts';

@Controller()
export class HealthController {
  constructor(@Inject(HealthService) private readonly health: HealthService) {}

  @Route(routes.readHealth)
  live(_: Call<typeof routes.readHealth>) {
    return { status: 'ok' as const, version: VERSION };
  }

  @Route(routes.readReadiness)
  ready(_: Call<typeof routes.readReadiness>) {
    return this.health.readiness();
  }
}
