import type { RunOrigin, RunOriginKind } from '@pilothouse/contract/run/run-origin.schema';
import { actorFrom, type Caller } from '../http/route-request.ts';

/** Actor and idempotency key of a request that starts a run. */
export const startedBy = (caller: Pick<Caller, 'user' | 'key'>, idempotencyKey?: string) => ({
  actor: actorFrom(caller),
  idempotencyKey: idempotencyKey ?? null,
});

/** Origin of a run that a request submits. Users have sessions of the console; all other clients have API keys. */
export const originOf = (caller: Pick<Caller, 'user' | 'key'>, idempotencyKey: string | undefined): RunOrigin => ({
  kind: caller.user ? 'console' : 'api',
  ...startedBy(caller, idempotencyKey),
});

/** Origin of the retry of a run. */
export const retryOriginOf = (
  caller: Pick<Caller, 'user' | 'key'>,
  run: string,
  idempotencyKey?: string,
): RunOrigin => ({ kind: 'retry', run, ...startedBy(caller, idempotencyKey) });

/** Namespace of the idempotency keys of each kind of origin. Only requests share theirs. */
const keyNamespaces: Readonly<Record<RunOriginKind, string>> = {
  api: 'request',
  console: 'request',
  retry: 'request',
  schedule: 'schedule',
  webhook: 'webhook',
  batch: 'batch',
  parent: 'parent',
  replay: 'replay',
};

/** Idempotency key of an origin as it is stored. A request cannot take a key of Pilothouse, or get its run. */
export const storedKeyOf = ({
  kind,
  idempotencyKey: key,
}: Pick<RunOrigin, 'kind' | 'idempotencyKey'>): string | null =>
  key === null ? null : `${keyNamespaces[kind]}:${key}`;
