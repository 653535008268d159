import { a2uiCatalogs, a2uiVersions, type A2uiVersion } from '@pilothouse/contract/a2ui/a2ui-versions';
import type { A2uiCapabilities } from '@pilothouse/contract/a2ui/a2ui.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';

/** @throws PilothouseError NOT_ACCEPTABLE */
export function parseA2uiVersion(name: string): A2uiVersion {
  const version = a2uiVersions.find((supported) => supported === name);
  if (version) return version;
  throw new PilothouseError('NOT_ACCEPTABLE', `A2UI ${name} is not supported. Use \`a2ui=0.9\` or \`a2ui=0.8\`.`);
}

/**
 * Chooses the version for the capabilities of a client.
 * @throws PilothouseError NOT_ACCEPTABLE if the client supports none of our catalogs
 */
export function negotiateA2uiVersion(capabilities: A2uiCapabilities | undefined): A2uiVersion {
  if (!capabilities) return '0.9';
  const [version, { supportedCatalogIds: catalogs }] =
    'v0.9' in capabilities ? (['0.9', capabilities['v0.9']] as const) : (['0.8', capabilities] as const);
  if (catalogs.includes(a2uiCatalogs[version])) return version;
  throw new PilothouseError(
    'NOT_ACCEPTABLE',
    `Supported catalogs: ${Object.values(a2uiCatalogs).join(' (0.9), ')} (0.8). Name one that the client supports.`,
  );
}
