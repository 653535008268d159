import { Inject } from '@nestjs/common';
import type { Page } from '@pilothouse/contract/api/query-params';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ProjectSecretView, SaveSecret } from '@pilothouse/contract/project/project-secret.schema';
import { ProjectSecretStore } from '@pilothouse/infra-db';
import type { Vault } from '@pilothouse/infra-vault';
import { actorFrom, type Caller } from '../http/route-request.ts';
import { VAULT } from '../common/injection-tokens.ts';
import { sealProjectSecret } from '../sealing/project-secrets.ts';

/** Secrets of a project. A value leaves this process only for a worker. */
export class ProjectSecretsService {
  constructor(
    @Inject(ProjectSecretStore) private readonly secrets: ProjectSecretStore,
    @Inject(VAULT) private readonly vault: Vault,
  ) {}

  list({ project }: Caller, limit: number, cursor?: string): Promise<Page<ProjectSecretView>> {
    return this.secrets.list(project.id, limit, cursor);
  }

  /** Creates the secret, or replaces its value. */
  save(caller: Caller, name: string, { value, description }: SaveSecret): Promise<ProjectSecretView> {
    const project = caller.project.id;
    const sealed = sealProjectSecret(this.vault, { project, name }, value);
    return this.secrets.save({ project, name, sealed, description, actor: actorFrom(caller) });
  }

  /** @throws PilothouseError NOT_FOUND */
  async delete({ project }: Caller, name: string): Promise<ProjectSecretView> {
    const deleted = await this.secrets.delete(project.id, name);
    if (!deleted) throw new PilothouseError('NOT_FOUND', `Secret "${name}" not found.`);
    return deleted;
  }
}
