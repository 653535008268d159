import { ConfigError } from '@pilothouse/infra-config';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { connection, type Connection } from '../local/saved-connection.ts';
import { CommandError, exitCodes, usage } from '../output/exit-codes.ts';
import type { Cli } from './cli-context.ts';

/** Options of every command that asks the API. */
export interface ApiOptions {
  readonly url?: string;
  readonly apiKeyFile?: string;
  readonly json?: boolean;
}

/**
 * Which API is asked, with which key: what the options say goes before the environment, and that before what `up` left in this clone.
 * @throws CommandError with a sentence that says what to give
 */
export function findConnection(
  { environment, cwd }: Pick<Cli, 'environment' | 'cwd'>,
  options: ApiOptions,
): Connection {
  const { url, apiKeyFile } = options;
  const given = {
    ...environment,
    ...(url !== undefined && { PILOTHOUSE_URL: url }),
    ...(apiKeyFile !== undefined && { PILOTHOUSE_API_KEY: keyFrom(resolve(cwd, apiKeyFile)) }),
  };
  try {
    return connection(given);
  } catch (thrown) {
    if (thrown instanceof ConfigError) throw usage(thrown.message);
    throw new CommandError(exitCodes.unreachable, thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function keyFrom(file: string): string {
  let text;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch {
    throw usage(`--api-key-file: ${file} cannot be read.`);
  }
  // said here, because the sentence about a wrong variable would not name the file
  if (!/^ph_\w+$/.test(text)) throw usage(`--api-key-file: ${file} holds no API key; a key begins with ph_.`);
  return text;
}
