import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FleetController } from './reconcile/fleet-controller.ts';
import type { FleetMetrics } from './fleet.metrics.ts';

/** `/healthz` and `/metrics` of the controller. */
export class FleetHealthServer {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /**
   * @param port TCP port to listen on; 0: a free one
   * @param host address to listen on: without authentication, that of the machine itself unless it is configured
   */
  static async listen(
    port: number,
    controller: Pick<FleetController, 'isHealthy' | 'isLeader'>,
    { registry }: Pick<FleetMetrics, 'registry'>,
    host = '127.0.0.1',
  ): Promise<FleetHealthServer> {
    const server = createServer((request, response) => {
      const answer = (status: number, type: string, body: string) =>
        response.writeHead(status, { 'content-type': type }).end(body);
      const path = (request.url ?? '').split('?')[0];
      if (path === '/healthz') {
        const { isHealthy, isLeader } = controller;
        answer(
          isHealthy ? 200 : 503,
          'application/json',
          JSON.stringify({ status: isHealthy ? 'ok' : 'stuck', leads: isLeader }),
        );
      } else if (path === '/metrics') {
        registry.metrics().then(
          (body) => answer(200, registry.contentType, body),
          () => answer(500, 'text/plain', 'Metrics not available\n'),
        );
      } else answer(404, 'text/plain', 'Not found. Use GET /healthz or GET /metrics.\n');
    });
    server.listen(port, host);
    await once(server, 'listening');
    return new FleetHealthServer(server);
  }

  get port(): number {
    return this.address.port;
  }

  get address(): AddressInfo {
    return this.#server.address() as AddressInfo;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
