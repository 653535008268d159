import { forwardedOf } from '@pilothouse/contract/api/forwarded-headers';
import type { ApiConfig } from '@pilothouse/infra-config';
import { constantTimeEqual } from '@pilothouse/infra-vault';
import type { FastifyInstance } from 'fastify';

/** Header with the secret that authenticates the console. */
const CONSOLE_TOKEN = 'pilothouse-console-token';

/**
 * Reduces the `X-Forwarded` headers to what trusted proxies sent: one address, one host, one scheme, which later code can trust. The console
 * is the only proxy of its requests.
 */
export function trustForwarded(
  instance: Pick<FastifyInstance, 'addHook'>,
  { proxyCount, consoleToken }: Pick<ApiConfig, 'proxyCount' | 'consoleToken'>,
): void {
  instance.addHook('onRequest', (request, _, done) => {
    const { headers, socket } = request.raw;
    const token = headers[CONSOLE_TOKEN];
    const isConsole = consoleToken !== undefined && typeof token === 'string' && constantTimeEqual(token, consoleToken);
    const proxies = isConsole ? 1 : proxyCount;
    Object.assign(headers, forwardedOf({ headers, peer: socket.remoteAddress ?? '', proxies }));
    delete headers[CONSOLE_TOKEN];
    done();
  });
}
