import { Inject, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { defaultStatus, PilothouseError } from '@pilothouse/contract';
import { systemTimers, type Timer, withTimeout } from '@pilothouse/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { AuditInterceptor } from '../audit/audit.interceptor.ts';
import { Callers } from '../auth/caller.ts';
import { SHUTDOWN_SIGNAL } from '../common/injection-tokens.ts';
import { HttpResponse } from './http-response.ts';
import { getCaller, requestOrigin, setRouteRequest } from './route-request.ts';
import { validateRequest } from './request-validation.ts';
import { decodeParams, routeOfHandler, type NamedRoute } from './route.decorator.ts';

/** Seconds a handler may take when its route does not say. */
const SECONDS = 30;

/** Milliseconds between two looks at whether a request that is still answered may be made: a stream ends soon after the right to it. */
const RIGHT_MS = 2_000;

/** Carries a request through its route: checks it, gives the handler its time, sends what it answers. */
export class RouteInterceptor implements NestInterceptor {
  constructor(
    @Inject(SHUTDOWN_SIGNAL) private readonly stopping: AbortSignal,
    @Inject(AuditInterceptor) private readonly audit: Pick<AuditInterceptor, 'record'>,
    @Inject(Callers) private readonly callers: Pick<Callers, 'refusalOf'>,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return from(this.carry(context, next));
  }

  private async carry(context: ExecutionContext, next: CallHandler): Promise<void> {
    const route = routeOfHandler(context);
    if (!route) throw new PilothouseError('INTERNAL', 'This handler is not of the table of routes');
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const { method, url, headers, raw: stream, ip: address } = request;
    const life = this.lifeOf(reply);
    if (route.role !== 'public') this.watchRight(request, reply, route, life);
    const call = {
      ...(await validateRequest(route, {
        params: decodeParams(route, request.params),
        query: request.query,
        headers,
        body: request.body,
      })),
      caller: getCaller(request),
      signal: life.signal,
      request: { id: request.id, method, url, headers, stream, address, origin: requestOrigin(request) },
    };
    setRouteRequest(request, call);
    const result: unknown = await inTime(lastValueFrom(next.handle()), route, life);
    await this.audit.record(route, { ...call, result });
    send(reply, route, result);
  }

  /** Ends a request whose caller loses the right to it: key, session, membership or role. */
  private watchRight(request: FastifyRequest, reply: FastifyReply, route: NamedRoute, life: AbortController): void {
    const caller = getCaller(request);
    const project = caller && 'project' in caller ? caller.project.id : null;
    let timer: Timer | undefined;
    const look = async () => {
      const refusal = await this.callers.refusalOf(request, route, project);
      if (life.signal.aborted) return;
      if (!refusal) return later();
      life.abort(refusal);
      // What was already handed to the connection ends too, also where its reader has stopped.
      reply.raw.destroy();
    };
    const later = () => {
      timer = systemTimers.setTimeout(() => void look(), RIGHT_MS).unref();
    };
    later();
    life.signal.addEventListener('abort', () => systemTimers.clearTimeout(timer), { once: true });
  }

  /** Ends when the connection does, or the process is to. */
  private lifeOf(reply: FastifyReply): AbortController {
    const life = new AbortController();
    const stop = () => life.abort(new PilothouseError('UNAVAILABLE', 'This server stops; ask again'));
    if (this.stopping.aborted) stop();
    this.stopping.addEventListener('abort', stop, { once: true });
    reply.raw.once('close', () => {
      this.stopping.removeEventListener('abort', stop);
      life.abort(new PilothouseError('UNAVAILABLE', 'The connection was closed'));
    });
    return life;
  }
}

/** The result, unless it takes longer than the route allows. */
async function inTime<Result>(work: Promise<Result>, route: NamedRoute, life: AbortController): Promise<Result> {
  const seconds = route.seconds === undefined ? SECONDS : route.seconds;
  if (seconds === null) return work;
  return withTimeout(work, seconds * 1000, {
    error: () => {
      const error = new PilothouseError('UNAVAILABLE', `There was no answer within ${seconds} s; try again`);
      life.abort(error);
      return error;
    },
  });
}

function send(reply: FastifyReply, route: NamedRoute, result: unknown): void {
  const { status, body, headers } =
    result instanceof HttpResponse ? result : new HttpResponse(defaultStatus(route), result ?? null);
  void reply.status(status).headers(headers);
  // What a key may see is not for the caches of others.
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  if (body === null) void reply.send();
  else if (typeof body === 'string' || Buffer.isBuffer(body) || isStream(body)) void reply.send(body);
  else {
    if (!reply.hasHeader('content-type')) reply.header('content-type', 'application/json; charset=utf-8');
    void reply.send(JSON.stringify(body));
  }
}

const isStream = (body: unknown) => typeof body === 'object' && body !== null && 'pipe' in body;
