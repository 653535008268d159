import { Module, Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { Vault } from '@pilothouse/infra-vault';
import { APP_CONTEXT, HEALTH_CHECKS, RUN_LIFECYCLE, VAULT } from '../common/injection-tokens.ts';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { VERSION } from '../common/installation.ts';
import type { AppContext } from '../infrastructure/app-context.ts';
import type { RunLifecycleServices } from '../run-lifecycle/run-lifecycle.module.ts';
import { HealthService, type HealthChecks } from './health.service.ts';

@Controller()
class HealthController {
  constructor(
    @Inject(HealthService) private readonly health: HealthService,
    @Inject(VAULT) private readonly vault: Pick<Vault, 'installation'>,
  ) {}

  @Route(routes.readHealth)
  live(_: RouteRequest<typeof routes.readHealth>) {
    return { status: 'ok' as const, version: VERSION, installation: this.vault.installation };
  }

  @Route(routes.readReadiness)
  ready(_: RouteRequest<typeof routes.readReadiness>) {
    return this.health.readiness();
  }
}

const createHealthChecks = ({ stores, objects }: AppContext, { jobQueue }: RunLifecycleServices): HealthChecks => ({
  database: () => stores.check(),
  redis: () => jobQueue.check(),
  objects: () => objects.store.check(),
});

@Module({
  controllers: [HealthController],
  providers: [
    HealthService,
    { provide: HEALTH_CHECKS, inject: [APP_CONTEXT, RUN_LIFECYCLE], useFactory: createHealthChecks },
  ],
})
export class HealthModule {}
