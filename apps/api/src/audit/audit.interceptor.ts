import { Inject } from '@nestjs/common';
import type { Actor, Json } from '@pilothouse/contract';
import type { Clock, Log } from '@pilothouse/core';
import { AuditStore } from '@pilothouse/infra-db';
import { HttpResponse } from '../http/http-response.ts';
import {
  actorFrom,
  getActor,
  beforeOf,
  type Caller,
  type HttpRequest,
  type SignedInUser,
} from '../http/route-request.ts';
import type { NamedRoute } from '../http/route.decorator.ts';
import { newId } from '../common/new-id.ts';
import { CLOCK, LOG } from '../common/injection-tokens.ts';

/** Most characters of what is kept of a body and an answer. */
const MAX_DETAILS = 4000;

/** A request that was carried out. */
export interface AuditedRequest {
  readonly caller: Caller | SignedInUser | undefined;
  readonly params: unknown;
  readonly body: unknown;
  readonly request: HttpRequest;
  readonly result: unknown;
}

/** Keeps who changed what. Only what was carried out is kept; what was refused is in the log. */
export class AuditInterceptor {
  constructor(
    @Inject(AuditStore) private readonly store: Pick<AuditStore, 'add'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Written before the answer goes out. It was done: that it cannot be written down does not make it undone, so the log is told. */
  async record(route: NamedRoute, done: AuditedRequest): Promise<void> {
    const by = actorOfRequest(done);
    if (!by || !isAudited(route, by.kind)) return;
    const project = done.caller && 'project' in done.caller ? done.caller.project.id : null;
    const answer = done.result instanceof HttpResponse ? done.result.body : done.result;
    const target = targetOf(done.params, answer);
    const details = detailsOf(route, done.body, answer);
    const { address, id: request } = done.request;
    const change = changeOf(route, beforeOf(done.request), done.body, answer);
    const entry = { project, by, action: route.name, target, details, change, address, request };
    try {
      await this.store.add({ id: newId(), at: this.clock.now(), ...entry });
    } catch (error) {
      this.log.error({ ...entry, error: String(error) }, 'What was done could not be written into the audit log');
    }
  }
}

function actorOfRequest({ caller, request }: AuditedRequest): Actor | null {
  const user = caller?.user ?? getActor(request) ?? null;
  return actorFrom({ user, key: caller && 'key' in caller ? caller.key : null });
}

function isAudited({ method, audit }: NamedRoute, kind: 'key' | 'user'): boolean {
  if (audit === 'nothing') return false;
  if (audit === undefined) return method !== 'GET' && method !== 'HEAD';
  return kind === 'user' || !audit.usersOnly;
}

/** The thing that the path names, or that came of the request. */
function targetOf(params: unknown, answer: unknown): string | null {
  const [named] = Object.values((params ?? {}) as Record<string, unknown>);
  const target = named ?? valueAtPath(answer, 'id');
  return typeof target === 'string' ? target : null;
}

function detailsOf({ audit }: NamedRoute, body: unknown, answer: unknown): Record<string, Json> {
  if (typeof audit !== 'object') return {};
  const parts = [
    [audit.body, body],
    [audit.answer, answer],
  ] as const;
  const details = Object.fromEntries(
    parts.flatMap(([fields = [], from]) =>
      fields.flatMap((field) => {
        const value = valueAtPath(from, field);
        return value === undefined ? [] : [[field, value as Json]];
      }),
    ),
  );
  return JSON.stringify(details).length <= MAX_DETAILS ? details : { fields: Object.keys(details) };
}

/** Values of the fields that the body names and that differ, before and after; undefined: not known, too long, or none. */
function changeOf({ audit }: NamedRoute, before: object | undefined, body: unknown, after: unknown) {
  if (typeof audit !== 'object' || !before) return undefined;
  const changed = (audit.body ?? []).filter(
    (field) =>
      valueAtPath(body, field) !== undefined &&
      JSON.stringify(valueAtPath(before, field)) !== JSON.stringify(valueAtPath(after, field)),
  );
  const pick = (from: unknown) =>
    Object.fromEntries(changed.map((field) => [field, (valueAtPath(from, field) ?? null) as Json] as const));
  const change = { before: pick(before), after: pick(after) };
  return changed.length > 0 && JSON.stringify(change).length <= 2 * MAX_DETAILS ? change : undefined;
}

/** A field of a value by its path, e.g. `user.email`. */
const valueAtPath = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (part, name) => (typeof part === 'object' && part !== null ? (part as Record<string, unknown>)[name] : undefined),
      value,
    );
