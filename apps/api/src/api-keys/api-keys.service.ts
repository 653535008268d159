import { Inject } from '@nestjs/common';
import type { CurrentPrincipal } from '@pilothouse/contract/api/auth.routes';
import type { Page } from '@pilothouse/contract/api/query-params';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ApiKeyCreated, ApiKeyView, CreateApiKey } from '@pilothouse/contract/project/api-key.schema';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { ApiKeyStore } from '@pilothouse/infra-db';
import { hashToken, newToken } from '@pilothouse/infra-vault';
import type { Caller } from '../http/route-request.ts';
import { newId } from '../common/new-id.ts';
import { CLOCK } from '../common/injection-tokens.ts';

/** Prefix of every API key. */
export const API_KEY_PREFIX = 'ph_';

/** The part of a key that is stored and shown, so that people recognize it. */
export const displayPrefix = (key: string) => key.slice(0, API_KEY_PREFIX.length + 6);

/** API keys of a project. */
export class ApiKeysService {
  constructor(
    @Inject(ApiKeyStore) private readonly keys: ApiKeyStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Creates a key. The response contains the only copy. */
  async create({ project }: Caller, { name, role, expiresIn }: CreateApiKey): Promise<ApiKeyCreated> {
    const key = newToken(API_KEY_PREFIX);
    const id = newId();
    const expiresAt = expiresIn === undefined ? null : new Date(this.clock.now().getTime() + expiresIn * 1000);
    const prefix = displayPrefix(key);
    await this.keys.create({ id, project: project.id, name, role, prefix, hash: hashToken(key), expiresAt });
    const view = await this.keys.get(project, id);
    if (!view) throw new PilothouseError('INTERNAL', 'The new API key was deleted meanwhile');
    return { ...view, key };
  }

  list({ project }: Caller, limit: number, cursor?: string): Promise<Page<ApiKeyView>> {
    return this.keys.list(project, limit, cursor);
  }

  async revoke({ project }: Caller, key: string): Promise<ApiKeyView> {
    const revoked = await this.keys.revoke(project, key, this.clock.now());
    if (!revoked) throw new PilothouseError('NOT_FOUND', `API key ${key} not found.`);
    return revoked;
  }

  me({ key, user, role, project }: Caller): CurrentPrincipal {
    return { key, user, role, project };
  }
}
