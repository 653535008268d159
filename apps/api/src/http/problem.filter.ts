import { Catch, Inject, NotFoundException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { PilothouseError } from '@pilothouse/contract';
import type { Log } from '@pilothouse/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LOG } from '../common/injection-tokens.ts';
import { toPublicError, toProblem } from './http-problem.ts';
import { routeOfRequest, type NamedRoute } from './route.decorator.ts';

const BEARER = 'Bearer realm="pilothouse"';
const BASIC = 'Basic realm="pilothouse", charset="UTF-8"';

declare module 'fastify' {
  interface FastifyInstance {
    /** Tells this installation from another one. */
    installation: string;
  }
}

/** Answers with a problem. @param request its id */
export function sendProblem(reply: FastifyReply, error: PilothouseError, request: string, route?: NamedRoute): void {
  if (error.code === 'UNAUTHENTICATED') reply.header('www-authenticate', route?.basic ? [BEARER, BASIC] : BEARER);
  if (error.retry === 'same-request') reply.header('retry-after', String(error.details?.['retryAfterSeconds'] ?? 1));
  // What is left of the body would be taken for the next request.
  if (route?.body === 'stream') reply.header('connection', 'close');
  void reply
    .status(error.http)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(JSON.stringify(toProblem(error, request, reply.server.installation)));
}

/** Answers whatever was thrown with a problem. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(@Inject(LOG) private readonly log: Log) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const route = routeOfRequest(request);
    const error = !route && thrown instanceof NotFoundException ? noRoute(request) : toPublicError(thrown);
    if (error.http >= 500) this.logFailure(error, request);
    // The answer has begun: it cannot be taken back, only cut off, so that nobody takes it for whole.
    if (reply.sent || reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    sendProblem(reply, error, request.id, route);
  }

  private logFailure(error: PilothouseError, request: FastifyRequest): void {
    const cause = (error.cause ?? error) as Partial<Error>;
    const facts = { request: request.id, method: request.method, route: request.routeOptions.url, code: error.code };
    if (error.code === 'INTERNAL') this.log.error({ ...facts, error: cause.stack ?? cause.message }, error.message);
    else this.log.warn({ ...facts, error: cause.message }, error.message);
  }
}

const noRoute = ({ method, url }: FastifyRequest) =>
  new PilothouseError('NOT_FOUND', `There is no ${method} ${url.split('?')[0]} here; /docs shows what there is`);
