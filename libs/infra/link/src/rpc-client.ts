import { PilothouseError, type ErrorView, type FromWorkerOf, type ToWorkerOf } from '@pilothouse/contract';
import { type Clock, type Context, systemTimers } from '@pilothouse/core';

/** Which message answers which. */
export interface Answers {
  'upload.request': 'upload.grant';
  'upload.done': 'upload.stored';
  'file.request': 'file.grant';
  'secret.request': 'secret.value';
  'site_limit.request': 'site_limit.permit';
  'profile.request': 'profile.value';
  'profile.save': 'profile.saved';
  'model.request': 'model.response';
  'locators.request': 'locators.value';
  'action_cache.get': 'action_cache.value';
  'action_cache.put': 'action_cache.stored';
}
export type RpcType = keyof Answers;
export type RpcRequest = FromWorkerOf<RpcType>;
export type RpcResponse = ToWorkerOf<Answers[RpcType]>;

/** A request before it has an id. */
export type RpcBody<Type extends RpcType> = Omit<FromWorkerOf<Type>, 'id'>;

const answers: Readonly<Record<RpcType, RpcResponse['type']>> = {
  'upload.request': 'upload.grant',
  'upload.done': 'upload.stored',
  'file.request': 'file.grant',
  'secret.request': 'secret.value',
  'site_limit.request': 'site_limit.permit',
  'profile.request': 'profile.value',
  'profile.save': 'profile.saved',
  'model.request': 'model.response',
  'locators.request': 'locators.value',
  'action_cache.get': 'action_cache.value',
  'action_cache.put': 'action_cache.stored',
};

interface Pending {
  readonly message: RpcRequest;
  resolve(answer: RpcResponse): void;
  reject(reason: unknown): void;
  readonly said: ((text: string) => void) | undefined;
}

/** Questions to the gateway, each with a number by which its answer finds it. They outlive a lost connection. */
export class RpcClient {
  private readonly clock: Clock;
  private readonly send: (message: RpcRequest) => void;
  private readonly nextId: () => number;
  private readonly pending = new Map<number, Pending>();

  /** @param nextId numbers that no other questions of the worker have */
  constructor(clock: Clock, send: (message: RpcRequest) => void, nextId: () => number) {
    this.clock = clock;
    this.send = send;
    this.nextId = nextId;
  }

  /** How many are not answered. */
  get size(): number {
    return this.pending.size;
  }

  /**
   * Asks, and waits for the answer.
   * @param said called with what of the answer there is, meanwhile
   * @throws PilothouseError what the gateway refused with, UNAVAILABLE when it did not answer in time, the reason of the signal
   */
  call<Type extends RpcType>(
    body: RpcBody<Type>,
    { signal, deadline }: Pick<Context, 'signal' | 'deadline'>,
    said?: (text: string) => void,
  ): Promise<ToWorkerOf<Answers[Type]>> {
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
        resolve: (answer) => {
          settle();
          resolve(answer as ToWorkerOf<Answers[Type]>);
        },
        reject: fail,
        said,
      });
      this.send(message);
    });
  }

  /** Milliseconds until a deadline. */
  msUntil(deadline: number): number {
    return deadline - this.clock.monotonic();
  }

  /** The deadline, or the instant in so many milliseconds, whichever is sooner. */
  earlierDeadline(deadline: number, ms: number): number {
    return Math.min(deadline, this.clock.monotonic() + ms);
  }

  /** Takes an answer. @returns whether somebody had asked */
  onResponse(answer: RpcResponse): boolean {
    const pending = this.pending.get(answer.id);
    if (!pending) return false;
    if (answer.type === answers[pending.message.type]) pending.resolve(answer);
    else
      pending.reject(new PilothouseError('PROTOCOL_INVALID', `${answer.type} does not answer ${pending.message.type}`));
    return true;
  }

  /** Takes what of an answer there is. That nobody waits for it any more is no matter. */
  onPartial({ id, text }: ToWorkerOf<'model.partial'>): void {
    this.pending.get(id)?.said?.(text);
  }

  /** Takes a refusal. @returns whether somebody had asked */
  refused(id: number, error: ErrorView): boolean {
    const pending = this.pending.get(id);
    pending?.reject(new PilothouseError(error.code, error.message, { details: error.details }));
    return pending !== undefined;
  }

  /** Gives up everything that is not answered. */
  fail(reason: PilothouseError): void {
    for (const { reject } of [...this.pending.values()]) reject(reason);
  }

  /** Sends everything that is not answered again: the connection is a new one. */
  resend(): void {
    for (const { message } of this.pending.values()) this.send(message);
  }
}
