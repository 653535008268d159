import { Inject, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Actor } from '@pilothouse/contract/project/actor.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import { AuditStore } from '@pilothouse/infra-db';
import type { FastifyRequest } from 'fastify';
import { mergeMap, type Observable } from 'rxjs';
import { CLOCK, LOG } from '../common/injection-tokens.ts';
import { newId } from '../common/new-id.ts';
import { HttpResponse } from '../http/http-response.ts';
import { actorFrom, type ValidatedRequest } from '../http/route-request.ts';
import { routeOfHandler, type NamedRoute } from '../http/route.decorator.ts';

/** Maximum length of the details, in characters of JSON. */
const MAX_DETAILS_CHARS = 4000;

/** Records each successful change in the audit log, after its handler and before the response. Rejected requests are in the log only. */
export class AuditInterceptor implements NestInterceptor {
  constructor(
    @Inject(AuditStore) private readonly store: Pick<AuditStore, 'add'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      mergeMap(async (result: unknown) => {
        const route = routeOfHandler(context);
        const { routeRequest } = context.switchToHttp().getRequest<FastifyRequest>();
        if (route && routeRequest) await this.record(route, routeRequest, result);
        return result;
      }),
    );
  }

  /** Never rejects: a change that was made stays made if its entry cannot be written. */
  private async record(route: NamedRoute, { caller, params, body, request }: ValidatedRequest, result: unknown) {
    const actor = actorFrom({
      user: caller?.user ?? request.audit.actor ?? null,
      key: caller && 'key' in caller ? caller.key : null,
    });
    if (!actor || !isAudited(route, actor.kind)) return;
    const response = result instanceof HttpResponse ? result.body : result;
    const entry = {
      project: caller && 'project' in caller ? caller.project.id : null,
      actor,
      action: route.name,
      target: targetOf(params, response),
      details: detailsOf(route, body, response),
      change: changeOf(route, request.audit.previous, body, response),
      address: request.address,
      request: request.id,
    };
    try {
      await this.store.add({ id: newId(), at: this.clock.now(), ...entry });
    } catch (error) {
      this.log.error({ ...entry, error: String(error) }, 'audit entry not written');
    }
  }
}

function isAudited({ method, audit }: NamedRoute, kind: Actor['kind']): boolean {
  if (audit === 'nothing') return false;
  if (audit === undefined) return method !== 'GET' && method !== 'HEAD';
  return kind === 'user' || !audit.usersOnly;
}

/** The resource that the path names, or that the request created. */
function targetOf(params: unknown, response: unknown): string | null {
  const [pathParameter] = Object.values((params ?? {}) as Record<string, unknown>);
  const target = pathParameter ?? valueAtPath(response, 'id');
  return typeof target === 'string' ? target : null;
}

function detailsOf({ audit }: NamedRoute, body: unknown, response: unknown): Record<string, Json> {
  if (typeof audit !== 'object') return {};
  const sources = [
    [audit.body, body],
    [audit.answer, response],
  ] as const;
  const details = Object.fromEntries(
    sources.flatMap(([fields = [], source]) =>
      fields.flatMap((field) => {
        const value = valueAtPath(source, field);
        return value === undefined ? [] : [[field, value as Json]];
      }),
    ),
  );
  return JSON.stringify(details).length <= MAX_DETAILS_CHARS ? details : { fields: Object.keys(details) };
}

/** Changed fields of the body before and after the change. Returns undefined if they are unknown, too long, or none. */
function changeOf({ audit }: NamedRoute, previous: object | undefined, body: unknown, current: unknown) {
  if (typeof audit !== 'object' || !previous) return undefined;
  const changedFields = (audit.body ?? []).filter(
    (field) =>
      valueAtPath(body, field) !== undefined &&
      JSON.stringify(valueAtPath(previous, field)) !== JSON.stringify(valueAtPath(current, field)),
  );
  const pick = (resource: unknown) =>
    Object.fromEntries(changedFields.map((field) => [field, (valueAtPath(resource, field) ?? null) as Json] as const));
  const change = { before: pick(previous), after: pick(current) };
  return changedFields.length > 0 && JSON.stringify(change).length <= 2 * MAX_DETAILS_CHARS ? change : undefined;
}

/** Reads a field by its path, such as `user.email`. */
const valueAtPath = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (part, name) => (typeof part === 'object' && part !== null ? (part as Record<string, unknown>)[name] : undefined),
      value,
    );
