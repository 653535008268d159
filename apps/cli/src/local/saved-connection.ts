import { cliConfig, type Environment } from '@pilothouse/infra-config';
import { existsSync, readFileSync } from 'node:fs';
import { findHouse } from './installation-paths.ts';
import { readJson } from './json-file.ts';

/** What `up` leaves for the CLI, so that commands in the clone need no environment. Holds where the key is, not the key. */
export interface HouseConfig {
  url: string;
  apiKeyFile: string;
  /** The demo site, while it runs. */
  siteUrl?: string;
}

/** How to reach the API. */
export interface Connection {
  /** Without a slash at the end. */
  url: string;
  apiKey: string;
}

/**
 * PILOTHOUSE_URL and PILOTHOUSE_API_KEY where they are set, else what the house of this checkout left. Throws a sentence that says what
 * to do when neither is there.
 */
export function connection(environment?: Environment): Connection {
  const settings = cliConfig(environment);
  const house = findHouse(settings.dir);
  const left = readJson<HouseConfig>(house.config);
  const url = settings.url ?? left?.url;
  if (!url)
    throw new Error(
      'No Pilothouse is known here: start one with ./scripts/up, or set PILOTHOUSE_URL and PILOTHOUSE_API_KEY.',
    );
  if (settings.apiKey) return { url, apiKey: settings.apiKey };
  // the key of this house is not for another one
  if (settings.url && settings.url !== left?.url)
    throw new Error(`PILOTHOUSE_URL is set and PILOTHOUSE_API_KEY is not: set it to an API key of ${settings.url}.`);
  if (!left || !existsSync(left.apiKeyFile))
    throw new Error(
      `The API key of this house is gone (${left?.apiKeyFile}): set PILOTHOUSE_API_KEY, or run ./scripts/up again.`,
    );
  return { url, apiKey: readFileSync(left.apiKeyFile, 'utf8').trim() };
}
