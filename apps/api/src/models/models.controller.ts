import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { ModelsConfig } from '@pilothouse/infra-config';
import { Route } from '../http/route.decorator.ts';
import { MODELS_CONFIG } from '../common/injection-tokens.ts';
import { toModelsView } from './models-view.ts';

@Controller()
export class ModelsController {
  constructor(@Inject(MODELS_CONFIG) private readonly models: ModelsConfig) {}

  @Route(routes.readModels)
  read() {
    return toModelsView(this.models);
  }
}
