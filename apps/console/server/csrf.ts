import type { IncomingMessage } from 'node:http';
import type { Identity } from './session-cookies.ts';

const TIMEOUT_MS = 10_000;

/** Maximum number of cached tokens. A token is valid as long as its session. */
const MAX_TOKENS = 1_000;

/** Reads the CSRF token of a session from `GET /v1/sessions/current`, once per cookie. @returns undefined if the API does not know the session */
export function createCsrfTokens(apiUrl: string) {
  const tokens = new Map<string, string>();
  return async (identity: Identity, headers: Record<string, string>): Promise<string | undefined> => {
    const { cookie } = identity;
    if (cookie === undefined) return undefined;
    const cached = tokens.get(cookie);
    if (cached !== undefined) return cached;
    const response = await fetch(`${apiUrl}/v1/sessions/current`, {
      headers: { ...headers, ...identity },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) {
      await response.body?.cancel();
      return undefined;
    }
    const { csrf } = (await response.json()) as { csrf: string };
    const [oldest] = tokens.keys();
    if (tokens.size >= MAX_TOKENS && oldest !== undefined) tokens.delete(oldest);
    tokens.set(cookie, csrf);
    return csrf;
  };
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * True if a page of another origin sent a request that may change data. Browsers report it in `Sec-Fetch-Site` (https
 * and localhost), else in `Origin`. Other programs send neither, and have no cookies set by others.
 */
export function isCrossOrigin({ method = 'GET', headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  if (safeMethods.has(method)) return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin } = headers;
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== (headers['x-forwarded-host'] ?? headers.host);
}
