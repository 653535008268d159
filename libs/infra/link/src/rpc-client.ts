import { PilothouseError, type ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import type { FromWorker, FromWorkerOf } from '@pilothouse/contract/worker/from-worker.messages';
import type { ToWorker, ToWorkerOf } from '@pilothouse/contract/worker/to-worker.messages';
import type { Clock, Context } from '@pilothouse/core/ports/runtime.port';
import { systemTimers } from '@pilothouse/core/time/timers';

/** Type of the response to each request. */
const responseTypes = {
  'upload.request': 'upload.grant',
  'upload.done': 'upload.stored',
  'file.request': 'file.grant',
  'secret.request': 'secret.value',
  'site_limit.request': 'site_limit.permit',
  'profile.request': 'profile.value',
  'profile.save': 'profile.saved',
  'model.request': 'model.response',
  'screen_parse.request': 'screen_parse.response',
  'locators.request': 'locators.value',
  'action_cache.get': 'action_cache.value',
  'action_cache.put': 'action_cache.stored',
} as const satisfies Partial<Record<FromWorker['type'], ToWorker['type']>>;

export type ResponseTypeOf = typeof responseTypes;
export type RpcType = keyof ResponseTypeOf;
export type RpcRequest = FromWorkerOf<RpcType>;
export type RpcResponse = ToWorkerOf<ResponseTypeOf[RpcType]>;

/** A request before it has an id. */
export type RpcBody<Type extends RpcType> = Omit<FromWorkerOf<Type>, 'id'>;

interface PendingRequest {
  readonly message: RpcRequest;
  resolve(response: RpcResponse): void;
  reject(reason: unknown): void;
  readonly onText: ((text: string) => void) | undefined;
}

/** Requests to the gateway, matched to responses by id. They survive a lost connection. */
export class RpcClient {
  private readonly clock: Clock;
  private readonly send: (message: RpcRequest) => void;
  private readonly nextId: () => number;
  private readonly pending = new Map<number, PendingRequest>();

  /** @param nextId returns ids that are unique within the worker */
  constructor(clock: Clock, send: (message: RpcRequest) => void, nextId: () => number) {
    this.clock = clock;
    this.send = send;
    this.nextId = nextId;
  }

  /** Number of pending requests. */
  get size(): number {
    return this.pending.size;
  }

  /**
   * Sends a request and waits for its response.
   * @param onText called with the partial response
   * @throws PilothouseError of the gateway if it refused the request, UNAVAILABLE when it did not answer in time, the reason of the signal
   */
  call<Type extends RpcType>(
    body: RpcBody<Type>,
    { signal, deadline }: Pick<Context, 'signal' | 'deadline'>,
    onText?: (text: string) => void,
  ): Promise<ToWorkerOf<ResponseTypeOf[Type]>> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const id = this.nextId();
    const message = { id, ...body } as unknown as RpcRequest;
    return new Promise((resolve, reject) => {
      const settle = () => {
        systemTimers.clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.pending.delete(id);
      };
      const fail = (reason: unknown) => {
        settle();
        reject(reason);
      };
      const onAbort = () => fail(signal.reason);
      const timer = systemTimers.setTimeout(
        () => fail(new PilothouseError('UNAVAILABLE', `The gateway did not answer ${message.type} in time`)),
        Math.max(0, this.msUntil(deadline)),
      );
      signal.addEventListener('abort', onAbort, { once: true });
      this.pending.set(id, {
        message,
        resolve: (response) => {
          settle();
          resolve(response as ToWorkerOf<ResponseTypeOf[Type]>);
        },
        reject: fail,
        onText,
      });
      this.send(message);
    });
  }

  /** Milliseconds until a deadline. */
  msUntil(deadline: number): number {
    return deadline - this.clock.monotonic();
  }

  /** The earlier of the deadline and `ms` from now. */
  earlierDeadline(deadline: number, ms: number): number {
    return Math.min(deadline, this.clock.monotonic() + ms);
  }

  /** Handles a response. @returns false: no such request is pending */
  onResponse(response: RpcResponse): boolean {
    const pendingRequest = this.pending.get(response.id);
    if (!pendingRequest) return false;
    if (response.type === responseTypes[pendingRequest.message.type]) pendingRequest.resolve(response);
    else
      pendingRequest.reject(
        new PilothouseError('PROTOCOL_INVALID', `${response.type} does not answer ${pendingRequest.message.type}`),
      );
    return true;
  }

  /** Handles a partial response; ignored without a pending request. */
  onPartial({ id, text }: ToWorkerOf<'model.partial'>): void {
    this.pending.get(id)?.onText?.(text);
  }

  /** Handles a rejected request. @returns false: no such request is pending */
  onRejected(id: number, error: ErrorView): boolean {
    const pending = this.pending.get(id);
    pending?.reject(new PilothouseError(error.code, error.message, { details: error.details }));
    return pending !== undefined;
  }

  /** Rejects all pending requests. */
  fail(reason: PilothouseError): void {
    for (const { reject } of [...this.pending.values()]) reject(reason);
  }

  /** Sends all pending requests again, on a new connection. */
  resend(): void {
    for (const { message } of this.pending.values()) this.send(message);
  }
}
