import { PilothouseError, type ErrorView, type FromWorkerOf, type ToWorkerOf } from '@pilothouse/contract';
import type { Clock, Context } from '@pilothouse/core';

/** Which message answers which. */
export interface Answers {
  'upload.request': 'upload.grant';
  'upload.done': 'upload.stored';
  'file.request': 'file.grant';
  'secret.request': 'secret.value';
  'site.request': 'site.answer';
  'profile.request': 'profile.value';
  'profile.save': 'profile.saved';
  'model.request': 'model.answer';
  'element.request': 'element.known';
  'memory.request': 'memory.value';
  'memory.keep': 'memory.kept';
}
export type RequestType = keyof Answers;
export type Request = FromWorkerOf<RequestType>;
export type Answer = ToWorkerOf<Answers[RequestType]>;

/** A request before it has an id. */
export type RequestBody<Type extends RequestType> = Omit<FromWorkerOf<Type>, 'id'>;

const answers: Readonly<Record<RequestType, Answer['type']>> = {
  'upload.request': 'upload.grant',
  'upload.done': 'upload.stored',
  'file.request': 'file.grant',
  'secret.request': 'secret.value',
  'site.request': 'site.answer',
  'profile.request': 'profile.value',
  'profile.save': 'profile.saved',
  'model.request': 'model.answer',
  'element.request': 'element.known',
  'memory.request': 'memory.value',
  'memory.keep': 'memory.kept',
};

interface Pending {
  readonly message: Request;
  resolve(answer: Answer): void;
  reject(reason: unknown): void;
  readonly said: ((text: string) => void) | undefined;
}

/** Questions to the gateway, each with a number by which its answer finds it. They outlive a lost connection. */
export class Requests {
  private readonly clock: Clock;
  private readonly send: (message: Request) => void;
  private readonly nextId: () => number;
  private readonly pending = new Map<number, Pending>();

  /** @param nextId numbers that no other questions of the worker have */
  constructor(clock: Clock, send: (message: Request) => void, nextId: () => number) {
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
  ask<Type extends RequestType>(
    body: RequestBody<Type>,
    { signal, deadline }: Pick<Context, 'signal' | 'deadline'>,
    said?: (text: string) => void,
  ): Promise<ToWorkerOf<Answers[Type]>> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const id = this.nextId();
    const message = { id, ...body } as unknown as Request;
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.pending.delete(id);
      };
      const fail = (reason: unknown) => {
        settle();
        reject(reason);
      };
      const onAbort = () => fail(signal.reason);
      const timer = setTimeout(
        () => fail(new PilothouseError('UNAVAILABLE', `The gateway did not answer ${message.type} in time`)),
        Math.max(0, this.until(deadline)),
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
  until(deadline: number): number {
    return deadline - this.clock.monotonic();
  }

  /** The deadline, or the instant in so many milliseconds, whichever is sooner. */
  sooner(deadline: number, ms: number): number {
    return Math.min(deadline, this.clock.monotonic() + ms);
  }

  /** Takes an answer. @returns whether somebody had asked */
  answered(answer: Answer): boolean {
    const pending = this.pending.get(answer.id);
    if (!pending) return false;
    if (answer.type === answers[pending.message.type]) pending.resolve(answer);
    else
      pending.reject(new PilothouseError('PROTOCOL_INVALID', `${answer.type} does not answer ${pending.message.type}`));
    return true;
  }

  /** Takes what of an answer there is. That nobody waits for it any more is no matter. */
  said({ id, text }: ToWorkerOf<'model.said'>): void {
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
