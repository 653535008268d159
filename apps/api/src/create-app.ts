import 'reflect-metadata';
import type { IncomingMessage, Server } from 'node:http';
import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppContext } from './infrastructure/app-context.ts';
import { MAX_BODY_BYTES, registerBodyParser } from './http/body-parser.ts';
import { createConnectionDrain } from './http/connection-drain.ts';
import { instrumentRequests } from './http/request-observer.ts';
import { toPublicError } from './http/http-problem.ts';
import { trustForwarded } from './http/trusted-proxies.ts';
import { sendProblem } from './http/problem.filter.ts';
import { newId } from './common/new-id.ts';
import { RestModule } from './app.module.ts';
import { RunLifecycleModule } from './run-lifecycle/run-lifecycle.module.ts';

@Module({})
class AppModule {
  static forRoot(house: AppContext): DynamicModule {
    return {
      module: AppModule,
      imports: [RunLifecycleModule.forRoot(house.lifecycle), RestModule.forRoot(house)],
    };
  }
}

/** An id from outside goes into our logs: only a tame one is kept. */
const requestId = (given: string | string[] | undefined) =>
  typeof given === 'string' && /^[\w.-]{8,100}$/.test(given) ? given : newId();

/** The API as a server. */
export interface ApiApp {
  nest: NestFastifyApplication;
  /** Stops serving: waiting clients are answered, workers sent elsewhere, requests at work go on to their end. */
  close(): Promise<void>;
}

/** The API as a server that does not listen yet. */
export async function createApp(house: AppContext): Promise<ApiApp> {
  const adapter = new FastifyAdapter({
    bodyLimit: MAX_BODY_BYTES,
    // Of the headers of proxies only what `trustForwarded` leaves.
    trustProxy: true,
    genReqId: ({ headers }: IncomingMessage) => requestId(headers['x-request-id']),
    // A path that is none never comes as far as Nest.
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      sendProblem(reply, toPublicError(error), request.id),
    // HEAD is answered where the table says so, and not by doing the work of GET.
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 1024 },
    // A connection that waits for its next request does not keep the process from stopping.
    forceCloseConnections: 'idle',
  });
  const instance = adapter.getInstance();
  instance.decorate('installation', house.vault.installation);
  trustForwarded(instance, house.config);
  registerBodyParser(instance);
  instrumentRequests(instance, house.log, house.metrics);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.forRoot(house), adapter, {
    bodyParser: false,
    logger: false,
    abortOnError: false,
  });
  house.gateway?.attach(instance);
  await app.init();
  const closing = createConnectionDrain(app.getHttpServer() as Server);
  return {
    nest: app,
    async close() {
      house.stopping.abort();
      await house.gateway?.close();
      const closed = closing();
      await app.close();
      closed();
      await house.close();
    },
  };
}
