import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { ProcedureName, SessionMessage, SessionProcedures } from './session-protocol.ts';
import type { SessionOptions } from '../process/session-options.ts';
import { authorityFile } from '../process/x-authority.ts';
import { inNamespaces, sessionUid, writeAccounts, type SessionIsolation } from '../process/session-isolation.ts';
import { killSession, PROGRAM_PATH, sessionPids, type SessionIdentity } from '../process/session-processes.ts';
import { listeningSockets, removeSharedFiles } from '../files/shared-folder-files.ts';
import { removeDisplayFiles, unusedDisplay } from '../process/x-display-files.ts';

/** Milliseconds for one call unless it says otherwise. */
const CALL_TIMEOUT_MS = 10_000;

/** Milliseconds for a session to start on a busy machine. */
const START_TIMEOUT_MS = 30_000;

const STOP_TIMEOUT_MS = 8_000;

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** Bounds the start of a session. */
interface StartLimits {
  readonly signal?: AbortSignal | undefined;
  /** Timers of the client. Default: the timers of the machine. */
  readonly timers?: Timers | undefined;
}

/** Options for starting the process of a session. */
export interface SessionLauncher {
  /** Entry file of the session process. */
  readonly entry: string;
  /** Options of Node. */
  readonly execArgv?: readonly string[];
}

interface PendingCall {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** A desktop session in a separate process: a crash of X or nut-js ends that process, never the worker. */
export class SessionClient {
  readonly #child: ChildProcess;
  readonly #identity: SessionIdentity;
  readonly #display: string;
  /** User of the session; null: that of this process. */
  readonly #uid: number | null;
  readonly #timers: Timers;
  readonly #pending = new Map<number, PendingCall>();
  readonly #lost = new AbortController();
  #nextId = 1;
  #isStopping = false;

  private constructor(
    child: ChildProcess,
    identity: SessionIdentity,
    display: string,
    uid: number | null,
    timers: Timers,
  ) {
    this.#child = child;
    this.#timers = timers;
    this.#identity = identity;
    this.#display = display;
    this.#uid = uid;
    child.on('message', (message: SessionMessage) => this.#receive(message));
    child.on('exit', (code, signal) => {
      if (!this.#isStopping) this.#lose(new Error(`The process of the desktop session exited with ${signal ?? code}`));
    });
    child.on('error', (error) => this.#lose(error));
  }

  /** @throws Error with the program that did not start; nothing stays behind */
  static async start(
    launcher: SessionLauncher,
    options: SessionOptions,
    isolation: SessionIsolation,
    { signal, timers = systemTimers }: StartLimits = {},
  ): Promise<SessionClient> {
    const display = await unusedDisplay();
    const uid = isolation.hasOwnUser ? sessionUid(display) : null;
    const node = { program: process.execPath, args: [...(launcher.execArgv ?? []), launcher.entry] };
    const accounts = uid === null ? null : await writeAccounts(options.folder, uid);
    const hasOwnNetwork = options.egress !== null && options.egress.socket !== null;
    const { program, args } = inNamespaces(node, { hasOwnNetwork, accounts });
    const child = spawn(program, args, {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: {
        PATH: PROGRAM_PATH,
        ...options.environment,
        HOME: options.folder,
        DISPLAY: display,
        XAUTHORITY: authorityFile(options.folder),
      },
    });
    const id = randomUUID();
    const client = new SessionClient(child, { id, folder: options.folder }, display, uid, timers);
    try {
      await client.call('start', { ...options, id, display, uid }, { signal, timeoutMs: START_TIMEOUT_MS });
      return client;
    } catch (error) {
      await client.stop();
      throw error;
    }
  }

  /** Home folder of the programs. */
  get home(): string {
    return join(this.#identity.folder, 'home');
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
      const onAbort = () => fail(signal?.reason as Error);
      const timer = this.#timers.setTimeout(
        () => fail(new Error(`The desktop session did not answer ${procedure} within ${timeoutMs} ms`)),
        timeoutMs,
      );
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#pending.set(id, {
        resolve: (result) => {
          end();
          resolve(result as SessionProcedures[Name]['result']);
        },
        reject: fail,
      });
      this.#child.send({ id, procedure, args }, (error) => {
        if (error) fail(error);
      });
    });
  }

  /** Ends the session and everything it started. Never throws. @returns ids of processes that could not be ended */
  async stop(): Promise<readonly number[]> {
    if (this.#isStopping) return [];
    this.#isStopping = true;
    const pids = await sessionPids(this.#identity).catch((): number[] => []);
    const sockets = await listeningSockets(pids);
    const exited = this.#child.exitCode !== null || this.#child.signalCode !== null;
    if (!exited) {
      await this.call('stop', null, { timeoutMs: STOP_TIMEOUT_MS }).catch(() => undefined);
      this.#child.kill('SIGKILL');
    }
    this.#lose(new Error('The desktop session was stopped'));
    const remaining = await killSession(this.#identity, STOP_TIMEOUT_MS, this.#timers).catch((): number[] => []);
    await removeDisplayFiles(this.#display).catch(() => undefined);
    await removeSharedFiles(sockets, this.#uid);
    return remaining;
  }

  #receive(message: SessionMessage): void {
    if (message.type === 'lost') return this.#lose(new Error(message.message));
    const pending = this.#pending.get(message.id);
    if (message.type === 'response') pending?.resolve(message.result);
    else pending?.reject(new Error(message.message));
  }

  #lose(error: Error): void {
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#lost.abort(error);
  }
}
