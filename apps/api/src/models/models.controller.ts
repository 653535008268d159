import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { ModelsConfig } from '@pilothouse/infra-config';
import { knownPrices } from '@pilothouse/model';
import { Route } from '../http/route.decorator.ts';
import type { RouteRequest } from '../http/route-request.ts';
import { MODELS_CONFIG } from '../common/injection-tokens.ts';
import { ModelCheckService } from './model-check.service.ts';
import { toModelsView } from './models-view.ts';

@Controller()
export class ModelsController {
  constructor(
    @Inject(MODELS_CONFIG) private readonly models: ModelsConfig,
    @Inject(ModelCheckService) private readonly checks: ModelCheckService,
  ) {}

  @Route(routes.readModels)
  read() {
    return toModelsView(this.models);
  }

  @Route(routes.listModelPrices)
  prices() {
    return { items: knownPrices(this.models.overrides) };
  }

  @Route(routes.checkModel)
  check({ caller, body, signal }: RouteRequest<typeof routes.checkModel>) {
    return this.checks.check(caller.project, body.model ?? this.models.fallback?.use[0], signal);
  }
}
