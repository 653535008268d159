import { Inject } from '@nestjs/common';
import type { Page } from '@pilothouse/contract/api/query-params';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ProfileView, StorageState } from '@pilothouse/contract/project/profile.schema';
import { ProfileStore } from '@pilothouse/infra-db';
import type { Vault } from '@pilothouse/infra-vault';
import type { Caller } from '../http/route-request.ts';
import { VAULT } from '../common/injection-tokens.ts';
import { sealProfile } from '../sealing/sealed-data.ts';

/** Profiles of a project. The stored state leaves this process only for a worker. */
export class ProfilesService {
  constructor(
    @Inject(ProfileStore) private readonly profiles: ProfileStore,
    @Inject(VAULT) private readonly vault: Vault,
  ) {}

  list({ project }: Caller, limit: number, cursor?: string): Promise<Page<ProfileView>> {
    return this.profiles.list(project.id, limit, cursor);
  }

  /** @throws PilothouseError PAYLOAD_TOO_LARGE */
  import({ project }: Caller, name: string, state: StorageState): Promise<ProfileView> {
    return this.profiles.import(sealProfile(this.vault, { project: project.id, name }, state));
  }

  /** @throws PilothouseError NOT_FOUND */
  async delete({ project }: Caller, name: string): Promise<ProfileView> {
    const deleted = await this.profiles.delete(project.id, name);
    if (!deleted) throw new PilothouseError('NOT_FOUND', `Profile "${name}" not found.`);
    return deleted;
  }
}
