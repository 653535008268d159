import { ConfigError } from '@pilothouse/infra-config';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { connection, type Connection } from '../installation/saved-connection.ts';
import { CommandError, exitCodes, usage } from '../output/exit-codes.ts';
import type { Cli } from './cli-context.ts';

/** Options of every command that calls the API. */
export interface ApiOptions {
  readonly apiUrl?: string;
  readonly apiKeyFile?: string;
  readonly json?: boolean;
}

/**
 * Returns the API URL and key: from the options, else the environment, else the local installation.
 * @throws CommandError when one of them is missing or invalid
 */
export function findConnection(
  { environment, cwd }: Pick<Cli, 'environment' | 'cwd'>,
  options: ApiOptions,
): Connection {
  const { apiUrl, apiKeyFile } = options;
  const settings = {
    ...environment,
    ...(apiUrl !== undefined && { PILOTHOUSE_URL: apiUrl }),
    ...(apiKeyFile !== undefined && { PILOTHOUSE_API_KEY: readKey(resolve(cwd, apiKeyFile)) }),
  };
  try {
    return connection(settings);
  } catch (thrown) {
    if (thrown instanceof ConfigError) throw usage(thrown.message);
    throw new CommandError(exitCodes.unreachable, thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function readKey(file: string): string {
  let text;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch {
    throw usage(`Cannot read --api-key-file ${file}.`);
  }
  // The error of an invalid variable would not name the file.
  if (!/^ph_\w+$/.test(text)) throw usage(`--api-key-file ${file} contains no API key (keys start with ph_).`);
  return text;
}
