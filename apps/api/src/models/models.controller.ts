import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract';
import type { ModelsConfig } from '@pilothouse/infra-config';
import { Route } from '../http/route.ts';
import { MODELS_CONFIG } from '../tokens.ts';
import { toModelsView } from './named.ts';

@Controller()
export class ModelsController {
  constructor(@Inject(MODELS_CONFIG) private readonly models: ModelsConfig) {}

  @Route(routes.readModels)
  read() {
    return toModelsView(this.models);
  }
}
