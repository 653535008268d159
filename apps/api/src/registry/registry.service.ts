import { Inject } from '@nestjs/common';
import type { Page } from '@pilothouse/contract/api/query-params';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { RegisteredModel, RegisterModel, RegistryStage } from '@pilothouse/contract/learning/registry.schema';
import type { ModelsConfig } from '@pilothouse/infra-config';
import { RegistryStore, type StageChange } from '@pilothouse/infra-db';
import { MODELS_CONFIG } from '../common/injection-tokens.ts';
import { newId } from '../common/new-id.ts';
import { validationError } from '../http/request-validation.ts';
import { actorFrom, type Caller } from '../http/route-request.ts';
import { runModelProblems } from '../models/models-view.ts';

/** Registers models, and changes which share of the runs uses them. */
export class RegistryService {
  constructor(
    @Inject(RegistryStore) private readonly registry: RegistryStore,
    @Inject(MODELS_CONFIG) private readonly models: ModelsConfig,
  ) {}

  list(
    { project }: Caller,
    query: { limit: number; cursor?: string | undefined; stage?: RegistryStage | undefined },
  ): Promise<Page<RegisteredModel>> {
    return this.registry.list(project.id, query);
  }

  /** @throws PilothouseError NOT_FOUND */
  async read({ project }: Caller, name: string): Promise<RegisteredModel> {
    return (await this.registry.read(project.id, name)) ?? notFound(name);
  }

  /** @throws PilothouseError VALIDATION_FAILED for an unknown endpoint; CONFLICT if the name is taken */
  async register(caller: Caller, model: RegisterModel): Promise<RegisteredModel> {
    const problems = [
      ...runModelProblems(model.model, this.models),
      ...(model.base === undefined
        ? []
        : runModelProblems(model.base, this.models).map((problem) => ({ ...problem, pointer: '/base' }))),
    ];
    if (problems.length > 0) throw validationError('body', problems);
    if (!(await this.registry.register(newId(), caller.project.id, model, actorFrom(caller))))
      throw new PilothouseError(
        'CONFLICT',
        `A model with the name ${model.name} exists already. Choose another \`name\`.`,
        {
          fields: [{ pointer: '/name', detail: 'It is taken' }],
        },
      );
    return this.read(caller, model.name);
  }

  /** @throws PilothouseError NOT_FOUND, CONFLICT */
  async change(caller: Caller, name: string, change: Omit<StageChange, 'actor'>): Promise<RegisteredModel> {
    const changed = await this.registry.change(caller.project.id, name, { ...change, actor: actorFrom(caller) });
    return changed ?? notFound(name);
  }

  /** @throws PilothouseError NOT_FOUND, CONFLICT */
  async delete({ project }: Caller, name: string): Promise<RegisteredModel> {
    return (await this.registry.delete(project.id, name)) ?? notFound(name);
  }
}

function notFound(name: string): never {
  throw new PilothouseError('NOT_FOUND', `The registry has no model ${name}.`);
}
