import { cliConfig, type Environment } from '@pilothouse/infra-config';
import { existsSync, readFileSync } from 'node:fs';
import { findInstallation } from './installation-paths.ts';
import { readJson } from './json-file.ts';

/** Written by `up`, so that commands in the checkout need no environment. Holds the path of the key, not the key. */
export interface SavedConnection {
  url: string;
  apiKeyFile: string;
  /** The demo site, while it runs. */
  siteUrl?: string;
}

/** Connection to the API. */
export interface Connection {
  /** Without a slash at the end. */
  url: string;
  apiKey: string;
}

/**
 * Returns PILOTHOUSE_URL and PILOTHOUSE_API_KEY, else the connection of the local installation.
 * @throws Error with a suggested fix when there is neither
 */
export function connection(environment?: Environment): Connection {
  const settings = cliConfig(environment);
  const installation = findInstallation(settings.installDir);
  const local = readJson<SavedConnection>(installation.config);
  const url = settings.url ?? local?.url;
  if (!url)
    throw new Error(
      'No installation found. Start one with ./scripts/up, or set PILOTHOUSE_URL and PILOTHOUSE_API_KEY.',
    );
  if (settings.apiKey) return { url, apiKey: settings.apiKey };
  // The local key is not sent to another installation.
  if (settings.url && settings.url !== local?.url)
    throw new Error(`PILOTHOUSE_URL is set and PILOTHOUSE_API_KEY is not: set it to an API key of ${settings.url}.`);
  if (!local || !existsSync(local.apiKeyFile))
    throw new Error(`Local API key missing (${local?.apiKeyFile}). Set PILOTHOUSE_API_KEY or run ./scripts/up.`);
  return { url, apiKey: readFileSync(local.apiKeyFile, 'utf8').trim() };
}
