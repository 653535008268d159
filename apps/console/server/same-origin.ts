import type { IncomingMessage } from 'node:http';

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
