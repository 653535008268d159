import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract';
import type { ModelsConfig } from '@pilothouse/infra-config';
import { Route } from '../http/route.ts';
import { MODELS } from '../tokens.ts';
import { modelsView } from './named.ts';

@Controller()
export class ModelsController {
  constructor(@Inject(MODELS) private readonly models: ModelsConfig) {}

  @Route(routes.readModels)
  read() {
    return modelsView(this.models);
  }
}
