import { readFile } from 'node:fs/promises';
import type { GoogleGenAIOptions } from '@google/genai';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Vertex } from '../model-endpoint.ts';
import type { ProviderRefusal } from '../provider-errors.ts';

/* Vertex AI instead of the Gemini API: a project and a service account replace the key. */

/** Token endpoint of the library, which ignores the key file. */
const DEFAULT_TOKEN_URL = 'https://oauth2.googleapis.com/token';

/** Timeout of a token request. */
const TOKEN_TIMEOUT_MS = 15_000;

/**
 * SDK options for the models of a project.
 * @throws PilothouseError MODEL_NOT_CONFIGURED if the key file cannot be read
 */
export async function vertexOptions({ project, location, keyFile }: Vertex): Promise<GoogleGenAIOptions> {
  const tokenEndpoint = keyFile === undefined ? DEFAULT_TOKEN_URL : await tokenUrl(keyFile);
  const fetchImplementation: typeof fetch = (url, init) =>
    fetch(String(url) === DEFAULT_TOKEN_URL ? tokenEndpoint : url, {
      ...init,
      signal: AbortSignal.timeout(TOKEN_TIMEOUT_MS),
    });
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
    return typeof url === 'string' ? url : DEFAULT_TOKEN_URL;
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? 'not JSON' : String(cause);
    throw new PilothouseError('MODEL_NOT_CONFIGURED', `The key file of Vertex AI cannot be read: ${reason}`, { cause });
  }
}

/** Error of the token endpoint; undefined: another error. A refusal concerns the key. */
export function tokenRefusal(error: unknown): ProviderRefusal | undefined {
  if (!(error instanceof Error) || !('response' in error)) return undefined;
  const { status } = (error.response ?? {}) as { status?: number };
  if (status === undefined) return undefined;
  return { status: status < 500 ? 401 : status, message: error.message };
}
