import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { CHANNEL_FD } from '../session/frame-channel.ts';
import type { SessionLauncher } from '../session/machine-session.ts';

/**
 * Executable of the init process of a session. It collects ended processes whose own parent has ended, which Node does not. It keeps the
 * channel of the session open. Programs must therefore not be able to read its executable (mode 0711): the kernel refuses `ptrace` and
 * `pidfd_getfd` on such a process.
 */
export const INIT_PROGRAM = '/usr/bin/tini';

export interface SlotSessionListener {
  /** Receives bytes of the session. No more arrive until `onTaken` is called. */
  onData(bytes: Uint8Array, onTaken: () => void): void;
  /** Called when the process ends by itself. */
  onEnd(reason: string): void;
}

/** The process of a session in the container of a slot. Its bytes pass through unread, and only as fast as each side reads them. */
export class SlotSessionProcess {
  readonly #init: ChildProcess;
  readonly #pipe: Duplex;

  constructor(
    { entry, execArgv = [] }: SessionLauncher,
    environment: Readonly<Record<string, string>>,
    { onData, onEnd }: SlotSessionListener,
  ) {
    const init = spawn(INIT_PROGRAM, ['-s', '--', process.execPath, '--disable-sigusr1', ...execArgv, entry], {
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
      env: environment,
      cwd: '/',
    });
    this.#init = init;
    this.#pipe = init.stdio[CHANNEL_FD] as Duplex;
    this.#pipe.on('data', (bytes: Buffer) => {
      this.#pipe.pause();
      onData(bytes, () => this.#pipe.resume());
    });
    this.#pipe.on('error', () => undefined);
    init.once('error', (error) => onEnd(error.message.slice(0, 500)));
    init.once('exit', (code, signal) => onEnd(`It exited with ${signal ?? code}`));
  }

  /** Process that collects the processes of the session; null: it has ended. */
  get initPid(): number | null {
    const { pid, exitCode, signalCode } = this.#init;
    return pid !== undefined && exitCode === null && signalCode === null ? pid : null;
  }

  /** Waits until the init process has ended and is collected. */
  async ended(): Promise<void> {
    if (this.initPid !== null) await once(this.#init, 'exit');
  }

  /** @param onWritten called when the session has the bytes, or will never have them */
  write(bytes: Uint8Array, onWritten: () => void): void {
    this.#pipe.write(bytes, () => onWritten());
  }
}
