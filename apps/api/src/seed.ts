import type { RetentionPolicy } from '@pilothouse/contract/api/project.routes';
import type { FleetConfig } from '@pilothouse/contract/fleet/fleet.schema';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import type { Stores } from '@pilothouse/infra-db';
import { hashToken, type Vault } from '@pilothouse/infra-vault';
import { DEFAULT_PROJECT_SLUG } from './common/installation.ts';
import { newId } from './common/new-id.ts';
import { displayPrefix } from './api-keys/api-keys.service.ts';
import { deriveSetupCode } from './auth/setup.service.ts';

export interface SeedOptions {
  stores: Pick<Stores, 'projects' | 'keys' | 'users' | 'fleets'>;
  vault: Pick<Vault, 'setUp'>;
  adminKey: string | undefined;
  fleets: readonly FleetConfig[];
  /** Retention of the first project, if it is created now. */
  retention?: RetentionPolicy;
  log: Log;
}

/**
 * Creates the first project, the configured admin key and the fleets where they are missing. Idempotent. A new admin key revokes the
 * previous one; a fleet that is no longer configured is retired.
 */
export async function seedInstallation({
  stores,
  vault,
  adminKey,
  fleets,
  retention,
  log,
}: SeedOptions): Promise<void> {
  const { projects, keys } = stores;
  const project = await projects.ensure({ id: newId(), slug: DEFAULT_PROJECT_SLUG, name: 'Default' }, retention);
  if (adminKey !== undefined) {
    const { isNew, isRevoked, replacedPrefixes } = await keys.ensureBootstrap({
      id: newId(),
      project: project.id,
      name: 'bootstrap',
      prefix: displayPrefix(adminKey),
      hash: hashToken(adminKey),
    });
    if (isNew) log.info({ project: project.slug }, 'configured admin key stored');
    if (replacedPrefixes.length > 0)
      log.warn({ prefixes: replacedPrefixes }, 'previously configured admin key revoked');
    if (isRevoked) log.warn({}, 'configured admin key is revoked: set PILOTHOUSE_BOOTSTRAP_ADMIN_KEY to another key');
  }
  if (!(await stores.users.hasUsers())) {
    const code = deriveSetupCode(vault, project.id);
    log.info({}, `no users yet: open the console and enter the setup code ${code}`);
  }
  // Without configured fleets this process changes none: another process may configure them.
  if (fleets.length === 0) return;
  const rows = fleets.map(({ token, ...fleet }) => ({
    ...fleet,
    id: newId(),
    tokenHash: token === undefined ? undefined : hashToken(token),
  }));
  await stores.fleets.releaseTokens(
    rows.flatMap(({ name, tokenHash }) => (tokenHash === undefined ? [] : [{ name, tokenHash }])),
  );
  for (const row of rows) await stores.fleets.upsert(row);
  const names = fleets.map(({ name }) => name);
  log.info({ fleets: names }, 'fleets match the configuration');
  const retired = await stores.fleets.retireOthers(names);
  if (retired.length > 0)
    log.warn({ fleets: retired }, 'fleets removed from the configuration, idle workers stop and runs wait');
}
