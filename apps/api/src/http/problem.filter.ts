import { Catch, Inject, NotFoundException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LOG } from '../common/injection-tokens.ts';
import { toPublicError, toProblem } from './http-problem.ts';
import { requestOrigin } from './route-request.ts';
import { routeOfRequest, type NamedRoute } from './route.decorator.ts';

const BEARER = 'Bearer realm="pilothouse"';
const BASIC = 'Basic realm="pilothouse", charset="UTF-8"';

declare module 'fastify' {
  interface FastifyInstance {
    /** Identifies this installation. */
    installation: string;
    /** URL of the API for clients; undefined: the origin of the request. */
    configuredUrl: string | undefined;
  }
}

/** Challenges of a response 401. A client of MCP finds the resource metadata by its challenge (RFC 9728). */
function challengesOf({ request, server }: FastifyReply, route: NamedRoute | undefined): string | string[] {
  if (route?.resourceMetadata) {
    // The host is a client's own text, and the configured URL may have a path.
    const base = server.configuredUrl ?? requestOrigin(request);
    if (!URL.canParse(base)) return BEARER;
    return `${BEARER}, resource_metadata="${base.replaceAll('"', '%22')}${route.resourceMetadata}"`;
  }
  return route?.basic ? [BEARER, BASIC] : BEARER;
}

/** Sends a problem. @param request id of the request */
export function sendProblem(reply: FastifyReply, error: PilothouseError, request: string, route?: NamedRoute): void {
  if (error.code === 'UNAUTHENTICATED') reply.header('www-authenticate', challengesOf(reply, route));
  if (error.retry === 'same-request') reply.header('retry-after', String(error.details?.['retryAfterSeconds'] ?? 1));
  // An unread body would be parsed as the next request.
  if (route?.body === 'stream') reply.header('connection', 'close');
  void reply
    .status(error.http)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(JSON.stringify(toProblem(error, request, reply.server.installation)));
}

/** Sends a problem for every error. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(@Inject(LOG) private readonly log: Log) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const route = routeOfRequest(request);
    const error = !route && exception instanceof NotFoundException ? routeNotFound(request) : toPublicError(exception);
    if (error.http >= 500) this.logFailure(error, request);
    // The response has started. Destroying the connection keeps clients from mistaking it for complete.
    if (reply.sent || reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    sendProblem(reply, error, request.id, route);
  }

  private logFailure(error: PilothouseError, request: FastifyRequest): void {
    const cause = (error.cause ?? error) as Partial<Error>;
    const fields = { request: request.id, method: request.method, route: request.routeOptions.url, code: error.code };
    if (error.code === 'INTERNAL') this.log.error({ ...fields, error: cause.stack ?? cause.message }, error.message);
    else this.log.warn({ ...fields, error: cause.message }, error.message);
  }
}

const routeNotFound = ({ method, url }: FastifyRequest) =>
  new PilothouseError('NOT_FOUND', `Route ${method} ${url.split('?')[0]} not found. /docs lists all routes.`);
