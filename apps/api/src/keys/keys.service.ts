import { Inject } from '@nestjs/common';
import {
  PilothouseError,
  type ApiKeyCreated,
  type ApiKeyView,
  type CreateApiKey,
  type Me,
  type Page,
} from '@pilothouse/contract';
import type { Clock } from '@pilothouse/core';
import { KeyStore } from '@pilothouse/infra-db';
import { hashToken, newToken } from '@pilothouse/infra-vault';
import type { Caller } from '../http/call.ts';
import { newId } from '../ids.ts';
import { CLOCK } from '../tokens.ts';

/** How every key begins. */
export const KEY_PREFIX = 'ph_';

/** So many characters of a key are kept for people to know it by. */
export const prefixOf = (key: string) => key.slice(0, KEY_PREFIX.length + 6);

/** API keys of a project. */
export class KeysService {
  constructor(
    @Inject(KeyStore) private readonly keys: KeyStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Makes a key; what is given back is the only copy. */
  async create({ project }: Caller, { name, role, expiresIn }: CreateApiKey): Promise<ApiKeyCreated> {
    const key = newToken(KEY_PREFIX);
    const id = newId();
    const expiresAt = expiresIn === undefined ? null : new Date(this.clock.now().getTime() + expiresIn * 1000);
    const prefix = prefixOf(key);
    await this.keys.create({ id, project: project.id, name, role, prefix, hash: hashToken(key), expiresAt });
    const view = await this.keys.get(project, id);
    if (!view) throw new PilothouseError('INTERNAL', 'The key that was just made is gone');
    return { ...view, key };
  }

  list({ project }: Caller, limit: number, cursor?: string): Promise<Page<ApiKeyView>> {
    return this.keys.list(project, limit, cursor);
  }

  async revoke({ project }: Caller, key: string): Promise<ApiKeyView> {
    const revoked = await this.keys.revoke(project, key, this.clock.now());
    if (!revoked) throw new PilothouseError('NOT_FOUND', `There is no API key ${key}`);
    return revoked;
  }

  me({ key, user, role, project }: Caller): Me {
    return { key, user, role, project };
  }
}
