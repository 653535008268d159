import type { Log } from '@pilothouse/core/ports/runtime.port';
import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import { access, constants, lstat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { makeSocketFolder } from '../process/x-display-files.ts';
import { FrameChannel } from '../session/frame-channel.ts';
import type { SessionLauncher } from '../session/machine-session.ts';
import { readAttributes, restoreAttributes, type ProcessAttributes } from './process-attributes.ts';
import type { SlotReport, SlotRequest } from './slot-protocol.ts';
import { resetSlot } from './slot-reset.ts';
import { INIT_PROGRAM, SlotSessionProcess } from './slot-session-process.ts';

/** Milliseconds between two attempts to reach the worker, which listens while no supervisor is connected. */
const CONNECT_INTERVAL_MS = 100;

export interface SlotSupervisorOptions {
  /** Socket of the worker. Programs can write neither the socket nor its folder. */
  readonly socket: string;
  /** Secret that proves to the worker that no program connected. Only the environment of process 1 has it. */
  readonly key: string;
  /** Writable mounts of the slot. A reset removes all that programs wrote there. */
  readonly folders: readonly string[];
  readonly launcher: SessionLauncher;
  readonly log: Pick<Log, 'info'>;
  readonly timers?: Timers;
}

/**
 * Runs sessions one after another in the container of a slot, as its process 1. Programs have the same user, but cannot read or stop this
 * process: its executable is not readable, and the kernel keeps signals of its own namespace from process 1.
 * @returns when the worker has closed the connection. The caller exits, so that the container restarts without programs
 * @throws Error if programs could read this process, or a session left something
 */
export async function runSlotSupervisor(options: SlotSupervisorOptions): Promise<void> {
  const { socket, folders, timers } = options;
  await assertProtected();
  await prepareSlot(folders, null, timers);
  const attributes = await readAttributes(process.pid);
  await new SlotSupervisor(options, attributes).serve(await connectToWorker(socket, timers));
}

/** Removes the last session, and makes the folder that the displays of the next one need. @throws Error if something is left */
async function prepareSlot(
  folders: readonly string[],
  session: SlotSessionProcess | null,
  timers?: Timers,
): Promise<void> {
  await resetSlot(folders, session, timers);
  await makeSocketFolder();
}

/** @throws Error with the fix */
async function assertProtected(): Promise<void> {
  const { uid } = await lstat('/proc/self/environ');
  if (process.getuid?.() === 0) throw new Error('The supervisor of a slot must not run as root: set runAsUser');
  // The kernel gives the files of a process that cannot be dumped to root.
  if (uid === process.getuid?.())
    throw new Error(
      'Programs could read the supervisor: remove the permission to read from its Node executable (mode 0711)',
    );
  // The init process of a session has its channel open.
  if (await canRead(INIT_PROGRAM))
    throw new Error(`Programs could take the channel of a session: set the mode of ${INIT_PROGRAM} to 0711`);
  // SIGUSR1 opens a debugger, which programs could connect to.
  if (!process.execArgv.includes('--disable-sigusr1'))
    throw new Error('Start the supervisor of a slot with the Node option --disable-sigusr1');
}

const canRead = (path: string): Promise<boolean> =>
  access(path, constants.R_OK).then(
    () => true,
    () => false,
  );

async function connectToWorker(path: string, timers: Timers = systemTimers): Promise<Socket> {
  for (;;) {
    const socket = connect(path);
    const isConnected = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    if (isConnected) return socket;
    await timers.delay(CONNECT_INTERVAL_MS);
  }
}

/** A worker that restarts may cut the connection. */
const isDisconnect = (error: NodeJS.ErrnoException): boolean => error.code === 'ECONNRESET' || error.code === 'EPIPE';

class SlotSupervisor {
  readonly #options: SlotSupervisorOptions;
  readonly #end = Promise.withResolvers<undefined>();
  #attributes: ProcessAttributes;
  #channel: FrameChannel | null = null;
  #session: SlotSessionProcess | null = null;

  /** @param attributes those of this process before the first session */
  constructor(options: SlotSupervisorOptions, attributes: ProcessAttributes) {
    this.#options = options;
    this.#attributes = attributes;
  }

  async serve(socket: Socket): Promise<void> {
    this.#channel = new FrameChannel(
      socket,
      {
        onMessage: (request) => this.#receive(request as SlotRequest),
        onClose: (error) => (error && !isDisconnect(error) ? this.#end.reject(error) : this.#end.resolve(undefined)),
      },
      { peer: 'worker' },
    );
    this.#send({ type: 'hello', key: this.#options.key });
    this.#send({ type: 'ready' });
    await this.#end.promise;
  }

  #receive(request: SlotRequest): void {
    if (request.type === 'start') this.#start(request.environment);
    else if (request.type === 'end') this.#reset().catch(this.#end.reject);
    else if (request.type === 'refuse') this.#end.reject(new Error(request.reason));
    else {
      const session = this.#session;
      const { bytes } = request.chunk;
      // They may contain a secret.
      if (!session) return void bytes.fill(0);
      session.write(bytes, () => {
        bytes.fill(0);
        if (this.#session === session) this.#send({ type: 'written' });
      });
    }
  }

  #start(environment: Readonly<Record<string, string>>): void {
    const session: SlotSessionProcess = new SlotSessionProcess(this.#options.launcher, environment, {
      onData: (bytes, onTaken) => {
        if (this.#session === session) this.#send({ type: 'data', chunk: { bytes } }, onTaken);
      },
      onEnd: (reason) => {
        if (this.#session === session) this.#send({ type: 'ended', reason });
      },
    });
    this.#session = session;
  }

  /** @throws Error if something of the session is left */
  async #reset(): Promise<void> {
    const session = this.#session;
    this.#session = null;
    const { folders, log, timers } = this.#options;
    const startedAt = performance.now();
    await prepareSlot(folders, session, timers);
    this.#attributes = await restoreAttributes(process.pid, this.#attributes);
    log.info({ ms: Math.round(performance.now() - startedAt) }, 'slot reset');
    this.#send({ type: 'ready' });
  }

  #send(report: SlotReport, onSent?: () => void): void {
    this.#channel?.send(report, onSent);
  }
}
