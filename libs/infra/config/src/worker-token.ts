import { closeSync, readFileSync } from 'node:fs';
import { ConfigError, type Environment } from './read-environment.ts';

/** Place of a worker's token. It is never the environment: programs of the same user read that of any process. */
export type WorkerTokenSource = { readonly file: string } | { readonly descriptor: number };

/** Descriptor on which a parent process hands over the token. */
export const TOKEN_DESCRIPTOR = 3;

/** Minimum length of a token in characters. */
const MIN_TOKEN_CHARS = 20;

interface TokenVariables {
  readonly PILOTHOUSE_FLEET_TOKEN_FILE?: string | undefined;
  readonly PILOTHOUSE_FLEET_TOKEN_FD?: number | undefined;
}

/** Problems of the variables that name the token. Values are not quoted. */
export function tokenProblems(environment: Environment): string[] {
  if (environment['PILOTHOUSE_FLEET_TOKEN'])
    return [
      'PILOTHOUSE_FLEET_TOKEN: other programs can read the environment of a worker. Unset it, write the token to a file, and set PILOTHOUSE_FLEET_TOKEN_FILE to the file.',
    ];
  const { PILOTHOUSE_FLEET_TOKEN_FILE: file, PILOTHOUSE_FLEET_TOKEN_FD: descriptor } = environment;
  if (file && descriptor) return ['PILOTHOUSE_FLEET_TOKEN_FD: unset it, because PILOTHOUSE_FLEET_TOKEN_FILE is set.'];
  return file || descriptor ? [] : ['PILOTHOUSE_FLEET_TOKEN_FILE is not set.'];
}

/** The source that valid variables name. */
export const tokenSource = (env: TokenVariables): WorkerTokenSource =>
  env.PILOTHOUSE_FLEET_TOKEN_FD === undefined
    ? { file: env.PILOTHOUSE_FLEET_TOKEN_FILE ?? '' }
    : { descriptor: env.PILOTHOUSE_FLEET_TOKEN_FD };

/**
 * Reads the token of a worker. Closes its descriptor, so that no child process inherits it; it can be read once.
 * @throws ConfigError without the content
 */
export function readWorkerToken(source: WorkerTokenSource): string {
  const name = 'file' in source ? 'PILOTHOUSE_FLEET_TOKEN_FILE' : 'PILOTHOUSE_FLEET_TOKEN_FD';
  const token = readSource(source, name).trim();
  if (token.length >= MIN_TOKEN_CHARS && !/\s/.test(token)) return token;
  throw new ConfigError([`${name}: its content is not a token. Write one fleet token or join token to it.`]);
}

function readSource(source: WorkerTokenSource, name: string): string {
  try {
    if ('file' in source) return readFileSync(source.file, 'utf8');
    const text = readFileSync(source.descriptor, 'utf8');
    closeSync(source.descriptor);
    return text;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    const fix = 'file' in source ? 'a file that the worker can read' : 'an open file descriptor with the token';
    throw new ConfigError([`${name}: cannot be read (${code}). Set it to ${fix}.`]);
  }
}
