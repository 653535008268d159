import type { Log } from '@pilothouse/core/ports/runtime.port';
import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import { createHash, timingSafeEqual } from 'node:crypto';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { Duplex } from 'node:stream';
import { FrameChannel } from '../session/frame-channel.ts';
import { checkReport, type SlotRequest } from './slot-protocol.ts';

/** Milliseconds for a supervisor to send its key. */
const HELLO_TIMEOUT_MS = 2_000;

/** Connections that may send a key at a time. Programs of a slot that restarts can connect, too. */
const MAX_CONNECTIONS = 8;

/** Bytes of the first frame, which has only the key. Programs can send it, too. */
const MAX_HELLO_BYTES = 4_096;

/** Bytes that the supervisor stores for a session that does not read. */
const MAX_PIECE_BYTES = 1_048_576;

const WRONG_KEY =
  'A slot was refused, because its key is not that of the worker. If `slot-key` of the Secret changed, delete the pod: all containers of the next one have the same key';

/** Milliseconds after an error of the socket. */
const LISTEN_INTERVAL_MS = 1_000;

/**
 * `offline`: no supervisor is connected. `ready`: nothing of an earlier session is left. `used`: it has a session.
 * `resetting`: the last session is being removed.
 */
export type SlotState = 'offline' | 'ready' | 'used' | 'resetting';

export interface SlotConnectionOptions {
  /** Path of the socket. Only the worker can write to its folder. */
  readonly socket: string;
  readonly key: string;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly timers?: Timers | undefined;
  /** Called after each change of the state. */
  onChange(): void;
}

/** The worker's end of one slot. Listens while no supervisor is connected. */
export class SlotConnection {
  readonly #options: SlotConnectionOptions;
  readonly #timers: Timers;
  readonly #keyHash: Buffer;
  #state: SlotState = 'offline';
  #server: Server | null = null;
  #channel: FrameChannel | null = null;
  #stream: SlotStream | null = null;
  #refusal: string | null = null;
  #isClosed = false;

  constructor(options: SlotConnectionOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#keyHash = hashOf(options.key);
    void this.#listen();
  }

  get state(): SlotState {
    return this.#state;
  }

  /** Why a supervisor was refused, and what to do. null: the last one was accepted. */
  get refusal(): string | null {
    return this.#refusal;
  }

  /** Starts the process of a session. The slot must be ready. @returns its channel, which ends when the process or the slot is lost */
  start(environment: Readonly<Record<string, string>>): Duplex {
    if (this.#state !== 'ready') throw new Error(`The slot is ${this.#state}`);
    this.#send({ type: 'start', environment });
    this.#stream = new SlotStream((bytes) => this.#send({ type: 'data', chunk: { bytes } }));
    this.#change('used');
    return this.#stream;
  }

  /** Ends the session, if it has one. The slot is ready later. */
  reset(): void {
    this.#endStream(new Error('The desktop session was stopped'));
    if (this.#state !== 'used') return;
    this.#change('resetting');
    this.#send({ type: 'end' });
  }

  /** Cuts off a supervisor that does not answer. Its container restarts, or the slot stays offline. */
  disconnect(reason: string): void {
    this.#options.log.warn({ socket: this.#options.socket, reason }, 'slot of a desktop disconnected');
    this.#channel?.close();
    this.#lose(new Error(reason));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#channel?.close();
    this.#endStream(new Error('The worker is closing'));
    this.#stopListening();
    await rm(this.#options.socket, { force: true }).catch(() => undefined);
  }

  async #listen(): Promise<void> {
    if (this.#isClosed || this.#server) return;
    const { socket: path } = this.#options;
    const server = createServer((socket) => this.#greet(socket));
    this.#server = server;
    server.maxConnections = MAX_CONNECTIONS;
    try {
      await mkdir(dirname(path), { recursive: true });
      await rm(path, { force: true });
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(path, resolve);
      });
      // The slot has another user.
      await chmod(path, 0o666);
    } catch (error) {
      this.#options.log.warn({ socket: path, error: (error as Error).message }, 'slot of a desktop not listening');
      this.#stopListening();
      await this.#timers.delay(LISTEN_INTERVAL_MS);
      await this.#listen();
    }
  }

  /** Node removes the socket, so that programs cannot connect. */
  #stopListening(): void {
    this.#server?.close();
    this.#server = null;
  }

  /** Takes the first connection that has the key. */
  #greet(socket: Socket): void {
    const timer = this.#timers.setTimeout(() => channel.close(), HELLO_TIMEOUT_MS);
    const channel: FrameChannel = new FrameChannel(
      socket,
      {
        onMessage: (message) => {
          try {
            this.#receive(channel, message);
            this.#timers.clearTimeout(timer);
          } catch (error) {
            if (channel === this.#channel)
              this.disconnect(`The supervisor broke the protocol: ${(error as Error).message}`);
            else channel.close();
          }
        },
        onClose: () => {
          this.#timers.clearTimeout(timer);
          if (channel === this.#channel) this.#lose(new Error('The container of the desktop session ended'));
        },
      },
      { peer: 'supervisor of the slot', maxBytes: MAX_HELLO_BYTES },
    );
  }

  #receive(channel: FrameChannel, message: unknown): void {
    const report = checkReport(message);
    if (report.type === 'hello') {
      if (this.#channel) return channel.close();
      if (!timingSafeEqual(hashOf(report.key), this.#keyHash)) return this.#refuse(channel);
      channel.acceptLongFrames();
      this.#channel = channel;
      this.#refusal = null;
      this.#stopListening();
      return;
    }
    if (channel !== this.#channel) return channel.close();
    if (report.type === 'data') this.#stream?.push(report.chunk.bytes);
    else if (report.type === 'written') this.#stream?.continue();
    else if (report.type === 'ended')
      this.#endStream(new Error(`The process of the desktop session ended: ${report.reason}`));
    else if (this.#state !== 'used') {
      this.#options.log.info({ socket: this.#options.socket }, 'slot of a desktop ready');
      this.#change('ready');
    }
  }

  /** The supervisor logs the reason, too. The worker logs it once: the container restarts, and programs can connect. */
  #refuse(channel: FrameChannel): void {
    if (!this.#refusal) this.#options.log.warn({ socket: this.#options.socket }, WRONG_KEY);
    this.#refusal = WRONG_KEY;
    const request: SlotRequest = { type: 'refuse', reason: WRONG_KEY };
    channel.send(request, () => channel.close());
  }

  #lose(error: Error): void {
    this.#channel = null;
    this.#endStream(error);
    this.#change('offline');
    if (!this.#isClosed) void this.#listen();
  }

  #endStream(error: Error): void {
    const stream = this.#stream;
    this.#stream = null;
    stream?.destroy(error);
  }

  #send(request: SlotRequest): void {
    this.#channel?.send(request);
  }

  #change(state: SlotState): void {
    this.#state = state;
    this.#options.onChange();
  }
}

const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest();

/** Bytes to and from the process of a session. */
class SlotStream extends Duplex {
  readonly #send: (bytes: Uint8Array) => void;
  /** Sends the next piece. null: none waits. */
  #next: (() => void) | null = null;
  /** Ends the write in flight. null: none. */
  #written: ((error?: Error) => void) | null = null;

  constructor(send: (bytes: Uint8Array) => void) {
    super();
    this.#send = send;
  }

  /** The session has the last piece. */
  continue(): void {
    const next = this.#next;
    this.#next = null;
    next?.();
  }

  override _read(): void {
    // Bytes are pushed when they arrive; the frames of a session limit how many wait.
  }

  override _write(chunk: Buffer, _encoding: string, callback: (error?: Error) => void): void {
    this.#written = chunk.length === 0 ? null : callback;
    if (chunk.length === 0) return callback();
    this.#next = () => this._write(chunk.subarray(MAX_PIECE_BYTES), '', callback);
    this.#send(chunk.subarray(0, MAX_PIECE_BYTES));
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#next = null;
    // The writer waits for it, to wipe what it has written.
    this.#written?.(error ?? new Error('The channel of the desktop session was closed'));
    this.#written = null;
    callback(error);
  }
}
