import type { Timers } from '@pilothouse/core/time/timers';
import { systemTimers } from '@pilothouse/core/time/timers';
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { listeningSockets, removeSharedFiles } from '../files/shared-folder-files.ts';
import { removeIpcObjects } from '../process/ipc-objects.ts';
import { isolate, type Command, type SessionIsolation } from '../process/session-isolation.ts';
import { SessionNamespace } from '../process/session-namespace.ts';
import type { SessionOptions } from '../process/session-options.ts';
import { killSession, PROGRAM_PATH, sessionPids, type SessionIdentity } from '../process/session-processes.ts';
import { authorityFile } from '../process/x-authority.ts';
import { removeDisplayFiles, reserveDisplay, unusedDisplay } from '../process/x-display-files.ts';
import { CHANNEL_FD, FrameChannel } from './frame-channel.ts';
import { SessionClient, type StartLimits } from './session-client.ts';
import type { SessionRequest } from './session-protocol.ts';
import type { SessionTransport, TransportListener } from './session-transport.ts';

/** Milliseconds for killed processes to disappear. */
const KILL_TIMEOUT_MS = 8_000;

/** Milliseconds from the end of the channel to the exit of the process. */
const EXIT_TIMEOUT_MS = 1_000;

/** Options for starting the process of a session. */
export interface SessionLauncher {
  /** Entry file of the session process. */
  readonly entry: string;
  /** Options of Node. */
  readonly execArgv?: readonly string[];
}

/**
 * Starts a session in a process of this machine.
 * @throws Error with the program that did not start; nothing stays behind
 */
export async function startMachineSession(
  launcher: SessionLauncher,
  options: SessionOptions,
  isolation: SessionIsolation,
  limits: StartLimits = {},
): Promise<SessionClient> {
  const display = await (isolation.hasOwnView ? reserveDisplay() : unusedDisplay());
  const node = { program: process.execPath, args: [...(launcher.execArgv ?? []), launcher.entry] };
  const { child, uid } = await startProcess(node, launcher.entry, options, display, isolation).catch(
    async (error: unknown) => {
      await removeDisplayFiles(display).catch(() => undefined);
      throw error;
    },
  );
  const id = randomUUID();
  const namespace = isolation.hasOwnView ? new SessionNamespace(child, limits.timers) : null;
  const transport = new MachineTransport(child, { id, folder: options.folder }, display, uid, namespace, limits.timers);
  const client = await SessionClient.start(transport, { ...options, id, display, uid }, limits);
  try {
    await namespace?.findFirstProcess();
    return client;
  } catch (error) {
    await client.stop();
    throw error;
  }
}

/** Starts the session process. @throws Error of the program that prepares its namespaces, or of `spawn` */
async function startProcess(
  node: Command,
  entry: string,
  options: SessionOptions,
  display: string,
  isolation: SessionIsolation,
): Promise<{ child: ChildProcess; uid: number | null }> {
  const { program, args, uid } = await isolate(node, entry, options, display, isolation);
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    env: {
      PATH: PROGRAM_PATH,
      ...options.environment,
      HOME: options.folder,
      DISPLAY: display,
      XAUTHORITY: authorityFile(options.folder),
    },
  });
  return { child, uid };
}

/** A session process that is a child of this process. */
class MachineTransport implements SessionTransport {
  readonly #child: ChildProcess;
  readonly #identity: SessionIdentity;
  readonly #display: string;
  /** User of the session; null: that of this process. */
  readonly #uid: number | null;
  /** Null: the session shares the PID namespace of this process. */
  readonly #namespace: SessionNamespace | null;
  readonly #timers: Timers;
  #channel: FrameChannel | null = null;

  constructor(
    child: ChildProcess,
    identity: SessionIdentity,
    display: string,
    uid: number | null,
    namespace: SessionNamespace | null,
    timers: Timers = systemTimers,
  ) {
    this.#child = child;
    this.#namespace = namespace;
    this.#identity = identity;
    this.#display = display;
    this.#uid = uid;
    this.#timers = timers;
  }

  get home(): string {
    return join(this.#identity.folder, 'home');
  }

  listen({ onMessage, onLoss }: TransportListener): void {
    let exitTimer: ReturnType<Timers['setTimeout']> | undefined;
    this.#channel = new FrameChannel(
      this.#child.stdio[CHANNEL_FD] as Duplex,
      {
        onMessage,
        onClose: (error) => {
          if (error) return onLoss(error);
          // The exit of the process has the better reason.
          exitTimer = this.#timers.setTimeout(
            () => onLoss(new Error('The desktop session closed its channel')),
            EXIT_TIMEOUT_MS,
          );
        },
      },
      { peer: 'desktop session' },
    );
    this.#child.on('exit', (code, signal) => {
      this.#timers.clearTimeout(exitTimer);
      onLoss(new Error(`The process of the desktop session exited with ${signal ?? code}`));
    });
    this.#child.on('error', onLoss);
  }

  send(request: SessionRequest, onError: (error: Error) => void): void {
    this.#channel?.send(request, (error) => error && onError(error));
  }

  close(): void {
    this.#channel?.close();
  }

  async end(requestStop: () => Promise<void>): Promise<readonly number[]> {
    if (this.#namespace) {
      const remaining = await this.#namespace.end(KILL_TIMEOUT_MS);
      await removeDisplayFiles(this.#display).catch(() => undefined);
      return remaining;
    }
    const pids = await sessionPids(this.#identity).catch((): number[] => []);
    const sockets = await listeningSockets(pids);
    const exited = this.#child.exitCode !== null || this.#child.signalCode !== null;
    if (!exited) {
      await requestStop();
      this.#child.kill('SIGKILL');
      this.#channel?.close();
    }
    const remaining = await killSession(this.#identity, KILL_TIMEOUT_MS, this.#timers).catch((): number[] => []);
    await removeDisplayFiles(this.#display).catch(() => undefined);
    await removeSharedFiles(sockets, this.#uid);
    await removeIpcObjects(this.#uid, pids);
    return remaining;
  }
}
