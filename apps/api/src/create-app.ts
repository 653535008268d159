import 'reflect-metadata';
import type { IncomingMessage, Server } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { forwardedOf } from '@pilothouse/contract/api/forwarded-headers';
import type { ApiConfig } from '@pilothouse/infra-config';
import { BackgroundQueue, type RateLimiter } from '@pilothouse/infra-queue';
import { constantTimeEqual } from '@pilothouse/infra-vault';
import type { FastifyReply, FastifyRequest, FastifyInstance } from 'fastify';
import { AppModule, servedRoutes } from './app.module.ts';
import { MODEL_RATE_LIMITER, RUN_LIFECYCLE } from './common/injection-tokens.ts';
import { Callers } from './auth/caller.ts';
import { newId } from './common/new-id.ts';
import { closeWithin, JOB_STOP_MS } from './common/shutdown.ts';
import { FleetSamplerTask } from './fleets/fleet-sampler.task.ts';
import { WorkerServer } from './gateway/worker-server.ts';
import { endUnreadBody, MAX_BODY_BYTES, registerBodyParser } from './http/body-parser.ts';
import { FORWARDER_TOKEN, PROCESS_TOKEN } from './http/forwarder-token.ts';
import { enableCors } from './http/cors.ts';
import { createConnectionDrain } from './http/connection-drain.ts';
import { toPublicError } from './http/http-problem.ts';
import { sendProblem } from './http/problem.filter.ts';
import { instrumentRequests } from './http/request-observer.ts';
import { assertRouteHandlers, collectRouteHandlers } from './http/route-handlers.ts';
import { decorateRequests } from './http/route-request.ts';
import type { AppContext } from './infrastructure/app-context.ts';
import { ReactionExecutor } from './reactions/reaction-executor.ts';
import { RetentionTask } from './retention/retention.task.ts';
import type { RunLifecycleServices } from './run-lifecycle/run-lifecycle.module.ts';

/**
 * Reduces the `X-Forwarded` headers to what trusted proxies sent: one address, one host, one scheme, which later code can trust. The console
 * is the only proxy of its requests, and this process of those that its MCP server sends.
 */
function trustForwarded(
  instance: Pick<FastifyInstance, 'addHook'>,
  { proxyCount, consoleToken }: Pick<ApiConfig, 'proxyCount' | 'consoleToken'>,
): void {
  const tokens = [consoleToken, PROCESS_TOKEN].filter((token) => token !== undefined);
  instance.addHook('onRequest', (request, _, done) => {
    const { headers, socket } = request.raw;
    const token = headers[FORWARDER_TOKEN];
    const isOwn = typeof token === 'string' && tokens.some((own) => constantTimeEqual(token, own));
    const proxies = isOwn ? 1 : proxyCount;
    Object.assign(headers, forwardedOf({ headers, peer: socket.remoteAddress ?? '', proxies }));
    delete headers[FORWARDER_TOKEN];
    done();
  });
}

/** Milliseconds for each step of a shutdown that has no separate limit. */
const CLOSE_MS = 5_000;

/** Accepts an id of the client only if it is safe to log. */
const requestId = (header: string | string[] | undefined) =>
  typeof header === 'string' && /^[\w.-]{8,100}$/.test(header) ? header : newId();

/** The API as a server. */
export interface ApiApp {
  nest: NestFastifyApplication;
  /** Stops serving, then closes everything that is open. Waiting requests end, active requests complete. */
  close(): Promise<void>;
}

/** Creates the API; it does not listen yet. */
export async function createApp(context: AppContext): Promise<ApiApp> {
  const { config, log, metrics, vault } = context;
  const adapter = new FastifyAdapter({
    bodyLimit: MAX_BODY_BYTES,
    // `trustForwarded` leaves only what trusted proxies sent.
    trustProxy: true,
    genReqId: ({ headers }: IncomingMessage) => requestId(headers['x-request-id']),
    // A malformed path never reaches Nest.
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      sendProblem(reply, toPublicError(error), request.id);
      reply.raw.once('finish', () => endUnreadBody(request.raw));
    },
    // The route table declares HEAD routes; Fastify would run the GET handler.
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 1024 },
    // Idle connections must not hold up the shutdown.
    forceCloseConnections: 'idle',
  });
  const instance = adapter.getInstance();
  instance.decorate('installation', vault.installation);
  instance.decorate('configuredUrl', config.publicUrl);
  decorateRequests(instance);
  trustForwarded(instance, config);
  enableCors(instance, config.corsOrigins ?? []);
  registerBodyParser(instance, async (request, route) => {
    request.caller = await nest.get(Callers, { strict: false }).authenticate(request, route);
  });
  instrumentRequests(instance, log, metrics);
  const handlers = collectRouteHandlers(instance);
  const nest = await NestFactory.create<NestFastifyApplication>(AppModule.forRoot(context), adapter, {
    bodyParser: false,
    logger: false,
    abortOnError: false,
  });
  if (config.roles.has('gateway')) nest.get(WorkerServer, { strict: false }).attach(instance);
  await nest.init();
  assertRouteHandlers(handlers, servedRoutes(config));
  return { nest, close: shutdownOf(nest, context) };
}

/** Returns the shutdown of a replica: one ordered list, because Nest does not define the order between modules. */
function shutdownOf(nest: NestFastifyApplication, context: AppContext): () => Promise<void> {
  const { config, stores, pool, channels, shutdown, log } = context;
  const service = <Type>(token: symbol | (abstract new (...args: never[]) => Type)) =>
    nest.get<Type>(token as symbol, { strict: false });
  const lifecycle = service<RunLifecycleServices>(RUN_LIFECYCLE);
  const jobs: { stop(): Promise<void> }[] = [
    service(RetentionTask),
    ...(config.roles.has('rest') ? [service(FleetSamplerTask), service(ReactionExecutor)] : []),
  ];
  const drainConnections = createConnectionDrain(nest.getHttpServer() as Server);
  return async () => {
    shutdown.abort();
    if (config.roles.has('gateway')) await service(WorkerServer).close();
    const endDrain = drainConnections();
    await nest.close();
    endDrain();
    await Promise.all(jobs.map((job) => closeWithin('a job', job.stop(), JOB_STOP_MS, log)));
    // The sweeper stops first, then the writer drains.
    await closeWithin('the run lifecycle', lifecycle.close(), CLOSE_MS, log);
    service<RateLimiter | null>(MODEL_RATE_LIMITER)?.close();
    await closeWithin('the learning queue', service(BackgroundQueue).close(), CLOSE_MS, log);
    channels.close();
    await closeWithin('the stores', stores.close(), CLOSE_MS, log);
    await closeWithin('PostgreSQL', pool.end(), CLOSE_MS, log);
  };
}
