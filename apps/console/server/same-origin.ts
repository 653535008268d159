import type { IncomingMessage } from 'node:http';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Whether a request that may change something was made by a page of another origin: cookies would go with it. Browsers say where a request comes
 * from by `Sec-Fetch-Site` (https and localhost), else by `Origin`; programs say neither, and have no cookie that somebody else set for them.
 */
export function isCrossOrigin({ method = 'GET', headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  if (safeMethods.has(method)) return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin } = headers;
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== (headers['x-forwarded-host'] ?? headers.host);
}
