import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JobRunner } from './runner/job-runner.ts';
import type { JobsMetrics } from './jobs.metrics.ts';

/** `/healthz` and `/metrics` of the job runner. */
export class JobsServer {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /**
   * @param port TCP port to listen on; 0: a free one
   * @param host address to listen on. The server has no authentication
   */
  static async listen(
    port: number,
    host: string,
    runner: Pick<JobRunner, 'isHealthy' | 'runningCount'>,
    { registry }: Pick<JobsMetrics, 'registry'>,
  ): Promise<JobsServer> {
    const server = createServer((request, response) => {
      const answer = (status: number, type: string, body: string) =>
        response.writeHead(status, { 'content-type': type }).end(body);
      const path = (request.url ?? '').split('?')[0];
      if (path === '/healthz') {
        const { isHealthy, runningCount } = runner;
        const body = JSON.stringify({ status: isHealthy ? 'ok' : 'stuck', runningJobs: runningCount });
        answer(isHealthy ? 200 : 503, 'application/json', body);
      } else if (path === '/metrics') {
        registry.metrics().then(
          (body) => answer(200, registry.contentType, body),
          () => answer(500, 'text/plain', 'Metrics not available\n'),
        );
      } else answer(404, 'text/plain', 'Use /healthz or /metrics\n');
    });
    server.listen(port, host);
    await once(server, 'listening');
    return new JobsServer(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
