import type { IncomingMessage } from 'node:http';
import { forwardedOf } from '@pilothouse/contract';

/** Header by which the API knows the console. */
const tokenName = 'pilothouse-console-token';

/** Headers that go with each question to the API: where the browser is, and where it asked. */
export const forwardedHeaderNames = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', tokenName] as const;

export interface TrustOptions {
  /** Proxies before the console whose headers count. */
  readonly proxyCount: number;
  /** Secret that the API knows the console by. */
  readonly consoleToken?: string | undefined;
}

/** Leaves of the headers by which a proxy says where a request came from what the trusted ones say. Called before anything reads them. */
export function trustForwarded(request: IncomingMessage, { proxyCount, consoleToken }: TrustOptions): void {
  const { headers, socket } = request;
  Object.assign(headers, forwardedOf({ headers, peer: socket.remoteAddress ?? '', proxies: proxyCount }));
  delete headers[tokenName];
  if (consoleToken !== undefined) headers[tokenName] = consoleToken;
}

/** The headers of a request that go with each question to the API. */
export const forwardedHeadersOf = ({ headers }: Pick<IncomingMessage, 'headers'>): Record<string, string> =>
  Object.fromEntries(
    forwardedHeaderNames.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );
