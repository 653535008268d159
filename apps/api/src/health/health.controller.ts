import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract';
import type { RouteRequest } from '../http/call.ts';
import { Route } from '../http/route.ts';
import type { Vault } from '@pilothouse/infra-vault';
import { VAULT } from '../tokens.ts';
import { VERSION } from '../version.ts';
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
