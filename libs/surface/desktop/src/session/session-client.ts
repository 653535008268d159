import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { remainingMs, type Deadline } from '@pilothouse/core/time/deadlines';
import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import type { StartOptions } from '../process/start-session.ts';
import { checkMessage, checkResult } from './session-results.ts';
import { ShapeError } from './shape-checks.ts';
import type { ProcedureName, SessionMessage, SessionProcedures } from './session-protocol.ts';
import type { SessionTransport } from './session-transport.ts';

/** Milliseconds for one call unless it says otherwise. */
const CALL_TIMEOUT_MS = 10_000;

/** Milliseconds for a session to start on a busy machine. */
const START_TIMEOUT_MS = 30_000;

/** Milliseconds for a session to end its programs. */
const STOP_TIMEOUT_MS = 8_000;

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** Limits of a session call: the step's remaining time, at least one second. */
export const optionsOf = (context: Deadline): CallOptions => ({
  signal: context.signal,
  timeoutMs: Math.max(1_000, remainingMs(context)),
});

/** Bounds the start of a session. */
export interface StartLimits {
  readonly signal?: AbortSignal | undefined;
  /** Timers of the client. Default: the timers of the machine. */
  readonly timers?: Timers | undefined;
}

/** The session did not answer a call in time. */
export class SessionTimeoutError extends Error {}

interface PendingCall {
  /** @throws ShapeError */
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** A desktop session in a separate process: a crash of X or nut-js ends that process, never the worker. */
export class SessionClient {
  readonly #transport: SessionTransport;
  readonly #timers: Timers;
  readonly #pending = new Map<number, PendingCall>();
  /** Ids of calls that ended without an answer. It may still arrive. */
  readonly #abandoned = new Set<number>();
  readonly #lost = new AbortController();
  #nextId = 1;
  #isStopping = false;

  private constructor(transport: SessionTransport, timers: Timers) {
    this.#transport = transport;
    this.#timers = timers;
    transport.listen({
      onMessage: (message) => this.#receive(message),
      onLoss: (error) => {
        if (!this.#isStopping) this.#lose(error);
      },
    });
  }

  /**
   * Starts the servers of a session.
   * @throws Error with the program that did not start; the transport is ended
   */
  static async start(
    transport: SessionTransport,
    options: StartOptions,
    { signal, timers = systemTimers }: StartLimits = {},
  ): Promise<SessionClient> {
    const client = new SessionClient(transport, timers);
    try {
      await client.call('start', options, { signal, timeoutMs: START_TIMEOUT_MS });
      return client;
    } catch (error) {
      await client.stop();
      throw error;
    }
  }

  /** Home folder of the programs. */
  get home(): string {
    return this.#transport.home;
  }

  /** Aborts with the reason when the session ends by itself. */
  get lossSignal(): AbortSignal {
    return this.#lost.signal;
  }

  /** @throws Error of the session; after the timeout; the reason of the signal */
  call<Name extends ProcedureName>(
    procedure: Name,
    args: SessionProcedures[Name]['args'],
    { signal, timeoutMs = CALL_TIMEOUT_MS }: CallOptions = {},
  ): Promise<SessionProcedures[Name]['result']> {
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve, reject) => {
      if (this.lossSignal.aborted) return reject(this.lossSignal.reason as Error);
      if (signal?.aborted) return reject(signal.reason as Error);
      const end = () => {
        this.#timers.clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        this.#pending.delete(id);
      };
      const fail = (error: Error) => {
        end();
        reject(error);
      };
      const abandon = (error: Error) => {
        if (this.#pending.has(id)) this.#abandoned.add(id);
        fail(error);
      };
      const onAbort = () => abandon(signal?.reason as Error);
      const timer = this.#timers.setTimeout(
        () =>
          abandon(new SessionTimeoutError(`The desktop session did not answer ${procedure} within ${timeoutMs} ms`)),
        timeoutMs,
      );
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#pending.set(id, {
        resolve: (result) => {
          const checked = checkResult(procedure, result);
          end();
          resolve(checked);
        },
        reject: fail,
      });
      this.#transport.send({ id, procedure, args }, fail);
    });
  }

  /** Ends the session and everything it started. Never throws. @returns ids of processes that could not be ended */
  async stop(): Promise<readonly number[]> {
    if (this.#isStopping) return [];
    this.#isStopping = true;
    const remaining = await this.#transport.end(async () => {
      await this.call('stop', null, { timeoutMs: STOP_TIMEOUT_MS }).catch(() => undefined);
    });
    this.#lose(new Error('The desktop session was stopped'));
    return remaining;
  }

  /** A session that breaks the protocol is lost: it may be a program of the run. */
  #receive(received: unknown): void {
    try {
      this.#settle(checkMessage(received));
    } catch (error) {
      this.#transport.close();
      this.#lose(new Error(`The desktop session sent an invalid message: ${(error as Error).message}`));
    }
  }

  /** @throws ShapeError */
  #settle(message: SessionMessage): void {
    if (message.type === 'lost') return this.#lose(new Error(message.message));
    const pending = this.#pending.get(message.id);
    if (!pending) {
      if (!this.#abandoned.delete(message.id)) throw new ShapeError(`no call has the id ${message.id}`);
    } else if (message.type === 'response') pending.resolve(message.result);
    else
      pending.reject(
        message.isInvalidPath ? new PilothouseError('VALIDATION_FAILED', message.message) : new Error(message.message),
      );
  }

  #lose(error: Error): void {
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#lost.abort(error);
  }
}
