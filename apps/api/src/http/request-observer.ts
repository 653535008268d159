import { routeList } from '@pilothouse/contract/api/route-table';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import type { Metrics } from '@pilothouse/infra-telemetry';
import type { FastifyInstance } from 'fastify';
import { routeOfRequest } from './route.decorator.ts';

/** Declares the metric of request durations. */
export const declareLatency = (metrics: Metrics) =>
  metrics.histogram({
    name: 'http_request_seconds',
    help: 'Time from request to response. Streams are not counted',
    labels: { route: [...routeList.map(({ name }) => name), 'none'], status: ['2xx', '3xx', '4xx', '5xx'] },
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  });

/** Routes without a time limit: their duration depends on the client. */
const unlimitedRoutes = new Set(routeList.flatMap(({ name, seconds }) => (seconds === null ? [name] : [])));

/** Measures and logs every request, and returns its id to the client. */
export function instrumentRequests(instance: FastifyInstance, log: Log, metrics: Metrics): void {
  const latency = declareLatency(metrics);
  instance.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    done();
  });
  instance.addHook('onResponse', (request, reply, done) => {
    const route = routeOfRequest(request)?.name ?? 'none';
    const status = `${Math.floor(reply.statusCode / 100)}xx` as '2xx';
    if (!unlimitedRoutes.has(route)) latency.observe(reply.elapsedTime / 1000, { route, status });
    const fields = { request: request.id, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime) };
    log.debug(fields, `${request.method} ${request.url.split('?')[0]}`);
    done();
  });
}
