import { forwardedOf } from '@pilothouse/contract';
import type { ApiConfig } from '@pilothouse/infra-config';
import { constantTimeEqual } from '@pilothouse/infra-vault';
import type { FastifyInstance } from 'fastify';

/** Header with the secret of the console. */
const CONSOLE_TOKEN = 'pilothouse-console-token';

/**
 * Leaves of the `X-Forwarded` headers what the trusted proxies say: one address, one host, one scheme. Whatever reads them after this may
 * believe them. The console is one proxy, and the only one of its requests.
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
