import { readFile } from 'node:fs/promises';
import type { GoogleGenAIOptions } from '@google/genai';
import { PilothouseError } from '@pilothouse/contract';
import type { Vertex } from '../model-endpoint.ts';
import type { ProviderRefusal } from '../provider-errors.ts';

/* Vertex AI instead of the Gemini API: a project and a service account in the place of a key. */

/** Token endpoint of the library, which ignores the key file. */
const TOKENS = 'https://oauth2.googleapis.com/token';

/** Milliseconds that a token may take. */
const TOKEN_MS = 15_000;

/**
 * SDK options for the models of a project.
 * @throws PilothouseError MODEL_NOT_CONFIGURED if the key file cannot be read
 */
export async function vertexOptions({ project, location, keyFile }: Vertex): Promise<GoogleGenAIOptions> {
  const from = keyFile === undefined ? TOKENS : await tokenUrl(keyFile);
  const fetchImplementation: typeof fetch = (url, init) =>
    fetch(String(url) === TOKENS ? from : url, { ...init, signal: AbortSignal.timeout(TOKEN_MS) });
  return {
    enterprise: true,
    project,
    location,
    googleAuthOptions: {
      ...(keyFile !== undefined && { keyFilename: keyFile }),
      clientOptions: { transporterOptions: { fetchImplementation } },
    },
  };
}

/** The key file may name a token endpoint in a private network. */
async function tokenUrl(keyFile: string): Promise<string> {
  try {
    const { token_uri: url } = JSON.parse(await readFile(keyFile, 'utf8')) as { token_uri?: unknown };
    return typeof url === 'string' ? url : TOKENS;
  } catch (cause) {
    const why = cause instanceof SyntaxError ? 'it is not JSON' : String(cause);
    throw new PilothouseError('MODEL_NOT_CONFIGURED', `The key file of Vertex AI cannot be read: ${why}`, { cause });
  }
}

/** Error of the token endpoint; undefined: another error. A refusal concerns the key. */
export function tokenRefusal(thrown: unknown): ProviderRefusal | undefined {
  if (!(thrown instanceof Error) || !('response' in thrown)) return undefined;
  const { status } = (thrown.response ?? {}) as { status?: number };
  if (status === undefined) return undefined;
  return { status: status < 500 ? 401 : status, message: thrown.message };
}
