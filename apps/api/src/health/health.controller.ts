import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { Vault } from '@pilothouse/infra-vault';
import { VAULT } from '../common/injection-tokens.ts';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { VERSION } from '../common/installation.ts';
import { HealthService } from './health.service.ts';

@Controller()
export class HealthController {
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
