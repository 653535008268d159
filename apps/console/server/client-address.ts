import type { IncomingMessage } from 'node:http';
import { forwardedOf } from '@pilothouse/contract/api/forwarded-headers';

/** Header that authenticates the console to the API. */
const tokenName = 'pilothouse-console-token';

/** Headers that are forwarded to the API: address of the browser, and the requested host and scheme. */
export const forwardedHeaderNames = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', tokenName] as const;

export interface TrustOptions {
  /** Number of trusted proxies in front of the console. */
  readonly proxyCount: number;
  /** Secret that authenticates the console to the API. */
  readonly consoleToken?: string | undefined;
}

/** Keeps only the forwarding headers of trusted proxies. Call it before any other code reads the headers. */
export function trustForwarded(request: IncomingMessage, { proxyCount, consoleToken }: TrustOptions): void {
  const { headers, socket } = request;
  Object.assign(headers, forwardedOf({ headers, peer: socket.remoteAddress ?? '', proxies: proxyCount }));
  delete headers[tokenName];
  if (consoleToken !== undefined) headers[tokenName] = consoleToken;
}

/** The forwarding headers of a request. */
export const forwardedHeadersOf = ({ headers }: Pick<IncomingMessage, 'headers'>): Record<string, string> =>
  Object.fromEntries(
    forwardedHeaderNames.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );
