import { Inject, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { defaultStatus } from '@pilothouse/contract/api/route-definition';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { withTimeout } from '@pilothouse/core/time/deadlines';
import { systemTimers, type Timer } from '@pilothouse/core/time/timers';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { ACCESS_CHECK, SHUTDOWN_SIGNAL } from '../common/injection-tokens.ts';
import { HttpResponse } from './http-response.ts';
import { requestOrigin, type AccessCheck } from './route-request.ts';
import { validateRequest } from './request-validation.ts';
import { decodeParams, routeOfHandler, type NamedRoute } from './route.decorator.ts';

/** Seconds for a handler whose route sets no separate limit. */
const DEFAULT_LIMIT_SECONDS = 30;

/** Milliseconds between two access checks of a request that is still being answered. A stream ends soon after its caller loses access. */
const ACCESS_CHECK_INTERVAL_MS = 2_000;

/** Validates a request, applies the deadline of its route and sends the response. */
export class RouteInterceptor implements NestInterceptor {
  constructor(
    @Inject(SHUTDOWN_SIGNAL) private readonly shutdown: AbortSignal,
    @Inject(ACCESS_CHECK) private readonly access: AccessCheck,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return from(this.handle(context, next));
  }

  private async handle(context: ExecutionContext, next: CallHandler): Promise<void> {
    const route = routeOfHandler(context);
    if (!route) throw new PilothouseError('INTERNAL', 'This handler is not in the route table');
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const { id, method, url, headers, raw: stream, ip: address } = request;
    const abort = this.abortOnClose(reply);
    if (route.role !== 'public') this.watchAccess(request, reply, route, abort);
    const validated = await validateRequest(route, {
      params: decodeParams(route, request.params),
      query: request.query,
      headers,
      body: request.body,
    });
    request.routeRequest = {
      ...validated,
      caller: request.caller ?? undefined,
      signal: abort.signal,
      request: { id, method, url, headers, stream, address, origin: requestOrigin(request), audit: {} },
    };
    send(reply, route, await withinLimit(lastValueFrom(next.handle()), route, abort));
  }

  /** Ends a request whose caller loses access: key, session, membership or role. */
  private watchAccess(request: FastifyRequest, reply: FastifyReply, route: NamedRoute, abort: AbortController): void {
    const { caller } = request;
    const project = caller && 'project' in caller ? caller.project.id : null;
    let timer: Timer | undefined;
    const check = async () => {
      const error = await this.access.accessError(request, route, project);
      if (abort.signal.aborted) return;
      if (!error) return schedule();
      abort.abort(error);
      // Discards buffered data of the connection, even if its reader has stalled.
      reply.raw.destroy();
    };
    const schedule = () => {
      timer = systemTimers.setTimeout(() => void check(), ACCESS_CHECK_INTERVAL_MS).unref();
    };
    schedule();
    abort.signal.addEventListener('abort', () => systemTimers.clearTimeout(timer), { once: true });
  }

  /** Aborts when the connection closes or the process stops. */
  private abortOnClose(reply: FastifyReply): AbortController {
    const abort = new AbortController();
    const stop = () => abort.abort(new PilothouseError('UNAVAILABLE', 'The server is shutting down. Try again.'));
    if (this.shutdown.aborted) stop();
    this.shutdown.addEventListener('abort', stop, { once: true });
    reply.raw.once('close', () => {
      this.shutdown.removeEventListener('abort', stop);
      abort.abort(new PilothouseError('UNAVAILABLE', 'The connection was closed'));
    });
    return abort;
  }
}

/** @throws PilothouseError UNAVAILABLE after the time limit of the route, which also aborts the request */
async function withinLimit<Result>(work: Promise<Result>, route: NamedRoute, abort: AbortController): Promise<Result> {
  const seconds = route.seconds === undefined ? DEFAULT_LIMIT_SECONDS : route.seconds;
  if (seconds === null) return work;
  return withTimeout(work, seconds * 1000, {
    error: () => {
      const error = new PilothouseError('UNAVAILABLE', `No response within ${seconds} s. Try again.`);
      abort.abort(error);
      return error;
    },
  });
}

function send(reply: FastifyReply, route: NamedRoute, result: unknown): void {
  const { status, body, headers } =
    result instanceof HttpResponse ? result : new HttpResponse(defaultStatus(route), result ?? null);
  void reply.status(status).headers(headers);
  // Responses depend on the caller: shared caches must not store them.
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  if (body === null) void reply.send();
  else if (typeof body === 'string' || Buffer.isBuffer(body) || isStream(body)) void reply.send(body);
  else {
    if (!reply.hasHeader('content-type')) reply.header('content-type', 'application/json; charset=utf-8');
    void reply.send(JSON.stringify(body));
  }
}

const isStream = (body: unknown) => typeof body === 'object' && body !== null && 'pipe' in body;
