import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { Metrics } from '@pilothouse/infra-telemetry';
import { HttpResponse } from '../http/http-response.ts';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { METRICS } from '../common/injection-tokens.ts';

/** A server that serves only metrics. */
export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves `/metrics` on a dedicated port, so that the public route to the API does not expose it.
 * @param port TCP port to listen on; 0: a free one
 * @throws Error if the port is in use
 */
export async function serveMetrics(metrics: Pick<Metrics, 'read'>, port: number, host: string): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    const respond = (status: number, type: string, body: string) =>
      response.writeHead(status, { 'content-type': type }).end(body);
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
      respond(404, 'text/plain', 'Not found. Use GET /metrics.\n');
      return;
    }
    metrics.read().then(
      ({ contentType, body }) => respond(200, contentType, body),
      () => respond(500, 'text/plain', 'Metrics not available\n'),
    );
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Serves the metrics if they have no separate port. */
@Controller()
export class MetricsController {
  constructor(@Inject(METRICS) private readonly metrics: Pick<Metrics, 'read'>) {}

  @Route(routes.readMetrics)
  async read(_: RouteRequest<typeof routes.readMetrics>): Promise<HttpResponse<undefined>> {
    const { contentType, body } = await this.metrics.read();
    return new HttpResponse<undefined>(200, body, { 'content-type': contentType });
  }
}
