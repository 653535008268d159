import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Where any free port is looked for: below those that systems give to outgoing connections (Linux from 32768, Kubernetes' nodes from
 * 30000), so that one that was free a moment ago is not taken by chance before somebody listens there. Also no port that browsers refuse.
 */
const QUIET = { from: 11_000, to: 30_000, tries: 50 } as const;

/** Whether a server could listen there now. */
export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** The wanted port, or the first free one of the 50 after it, or any free one. 0 asks for any. */
export async function findFreePort(wanted: number, host = '127.0.0.1'): Promise<number> {
  const last = Math.min(wanted + 50, 65_535);
  for (let port = wanted; port > 0 && port <= last; port += 1) if (await isPortFree(port, host)) return port;
  for (let tried = 0; tried < QUIET.tries; tried += 1) {
    const port = randomInt(QUIET.from, QUIET.to);
    if (await isPortFree(port, host)) return port;
  }
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port: 0, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
