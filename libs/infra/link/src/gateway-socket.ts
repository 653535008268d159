import { fieldErrors, parseOrThrow } from '@pilothouse/contract/errors/field-errors';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { MAX_ASSIGNMENT_CHARS, MAX_MESSAGE_BYTES } from '@pilothouse/contract/worker/assignment.schema';
import { type FromWorker, fromWorkerSchema } from '@pilothouse/contract/worker/from-worker.messages';
import { type ToWorker, type ToWorkerOf, toWorkerSchema } from '@pilothouse/contract/worker/to-worker.messages';
import type { Socket } from 'node:net';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import { systemTimers, type Timer } from '@pilothouse/core/time/timers';
import { WebSocket, type RawData } from 'ws';

/** Maximum length of a reassembled message in characters: an assignment and its envelope. */
const MAX_MESSAGE_CHARS = MAX_ASSIGNMENT_CHARS + 1_000;

/** Reassembles chunked messages of one connection. */
export class ChunkAssembler {
  private readonly partialTexts = new Map<number, string>();

  /** @returns the complete text with its last chunk; a text that is too long is dropped */
  add({ message, text, isLast }: ToWorkerOf<'chunk'>): string | undefined {
    const combined = (this.partialTexts.get(message) ?? '') + text;
    if (isLast || combined.length > MAX_MESSAGE_CHARS) this.partialTexts.delete(message);
    else this.partialTexts.set(message, combined);
    return isLast && combined.length <= MAX_MESSAGE_CHARS ? combined : undefined;
  }
}

/** Delays between connection attempts. They have full jitter: workers that lost the same gateway reconnect at different instants. */
export const RECONNECT_BACKOFF = { firstMs: 50, maxMs: 2_000, jitter: 1 };

/** Maximum buffered bytes of the socket. Nothing more is sent beyond this. */
const HIGH_WATER_BYTES = 1024 * 1024;

export interface GatewaySocketOptions {
  readonly url: URL;
  readonly token: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Milliseconds to open the socket. */
  readonly handshakeTimeoutMs: number;
  /** Validates outgoing messages as well: for tests. */
  readonly validateOutgoing: boolean;
  onMessage(message: ToWorker): void;
  /** Called when the socket accepts data again. */
  onWritable(): void;
}

/** One open connection to a gateway. */
export class GatewaySocket {
  /** Resolves when the connection has ended, for any reason. */
  readonly closed: Promise<void>;
  private readonly ws: WebSocket;
  private readonly options: GatewaySocketOptions;
  private readonly chunks = new ChunkAssembler();
  private lastReceivedAt: number;
  private stream: Socket | undefined;
  private isCorked = false;
  private pingTimer: Timer | undefined;
  private silenceTimer: Timer | undefined;

  private constructor(ws: WebSocket, options: GatewaySocketOptions) {
    this.ws = ws;
    this.options = options;
    this.lastReceivedAt = options.clock.monotonic();
    this.closed = new Promise((resolve) => ws.once('close', () => resolve(this.stopKeepAlive())));
    ws.once('upgrade', ({ socket }) => (this.stream = socket));
    ws.on('message', (data, isBinary) => this.receive(data, isBinary));
    ws.on('pong', () => this.onReceived());
    ws.on('ping', () => this.onReceived());
    // `close` follows every error. Without a listener the error would end the process.
    ws.on('error', (error) => options.log.debug({ error: error.message }, 'gateway socket failed'));
  }

  /**
   * Opens a connection.
   * @throws PilothouseError FLEET_TOKEN_INVALID or PROTOCOL_VERSION when the gateway reports it, UNAVAILABLE otherwise
   */
  static open(options: GatewaySocketOptions, signal: AbortSignal): Promise<GatewaySocket> {
    signal.throwIfAborted();
    const { url, token, handshakeTimeoutMs } = options;
    const ws = new WebSocket(url, {
      headers: { authorization: `Bearer ${token}` },
      handshakeTimeout: handshakeTimeoutMs,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
    });
    const socket = new GatewaySocket(ws, options);
    const abort = () => ws.terminate();
    signal.addEventListener('abort', abort, { once: true });
    void socket.closed.then(() => signal.removeEventListener('abort', abort));
    return new Promise((resolve, reject) => {
      ws.once('open', () => resolve(socket));
      ws.once('error', (error) => reject(unavailable(url, error.message)));
      ws.once('close', () => reject(unavailable(url, 'the connection was closed')));
      ws.once('unexpected-response', (_request, response) => {
        reject(refusal(url, response.statusCode ?? 0));
        ws.terminate();
      });
    });
  }

  /** True if the socket accepts data now; `onWritable` is called when it does again. */
  get isWritable(): boolean {
    return this.ws.readyState === WebSocket.OPEN && this.ws.bufferedAmount < HIGH_WATER_BYTES;
  }

  /** Sends a message. A broken socket drops it. */
  send(message: FromWorker): void {
    if (this.options.validateOutgoing) parseOrThrow(fromWorkerSchema, message, `message ${message.type}`);
    if (this.ws.readyState !== WebSocket.OPEN) return;
    this.corkUntilNextTurn();
    let wasFull = false;
    this.ws.send(JSON.stringify(message), () => {
      if (wasFull && this.isWritable) this.options.onWritable();
    });
    wasFull = !this.isWritable;
  }

  /** Sends a message that may be large. Resolves when it is sent, or the socket has ended. */
  async sendAndWait(message: FromWorker): Promise<void> {
    if (this.options.validateOutgoing) parseOrThrow(fromWorkerSchema, message, `message ${message.type}`);
    if (this.ws.readyState !== WebSocket.OPEN) return;
    await new Promise<void>((resolve) => this.ws.send(JSON.stringify(message), () => resolve()));
  }

  /**
   * Pings a silent gateway, and breaks the connection after the maximum silence. Acknowledged renewals replace pings: a thousand workers
   * would cause a thousand pongs a second.
   */
  keepAlive(everyMs: number, silentMs: number): void {
    this.stopKeepAlive();
    this.pingTimer = systemTimers.setInterval(() => {
      const isSilent = this.options.clock.monotonic() - this.lastReceivedAt >= everyMs;
      if (isSilent && this.ws.readyState === WebSocket.OPEN) this.ws.ping();
    }, everyMs);
    this.startSilenceTimer(silentMs, silentMs, false);
  }

  /** Closes the connection and waits for the other side, up to the timeout. */
  async close(timeoutMs: number): Promise<void> {
    const closeTimer = systemTimers.setTimeout(() => this.ws.terminate(), timeoutMs);
    this.ws.close(1000);
    await this.closed;
    systemTimers.clearTimeout(closeTimer);
  }

  /** Breaks the connection at once. */
  terminate(): void {
    this.ws.terminate();
  }

  private startSilenceTimer(silentMs: number, waitMs: number, isRecheck: boolean): void {
    const dueAt = this.options.clock.monotonic() + waitMs;
    this.silenceTimer = systemTimers.setTimeout(() => {
      const now = this.options.clock.monotonic();
      const silentForMs = now - this.lastReceivedAt;
      if (silentForMs < silentMs) return this.startSilenceTimer(silentMs, silentMs - silentForMs, false);
      // A late timer means that this process was suspended, not the gateway: received data still waits to be read.
      if (!isRecheck && now - dueAt > 250) return this.startSilenceTimer(silentMs, 250, true);
      this.options.log.warn({ silentMs: Math.round(silentForMs) }, 'gateway silent, reconnecting');
      this.ws.terminate();
    }, waitMs);
  }

  private stopKeepAlive(): void {
    systemTimers.clearInterval(this.pingTimer);
    systemTimers.clearTimeout(this.silenceTimer);
  }

  /** Joins messages of one turn of the event loop into one write. */
  private corkUntilNextTurn(): void {
    const { stream } = this;
    if (!stream || this.isCorked) return;
    this.isCorked = true;
    stream.cork();
    setImmediate(() => {
      this.isCorked = false;
      stream.uncork();
    });
  }

  private onReceived(): void {
    this.lastReceivedAt = this.options.clock.monotonic();
  }

  private receive(data: RawData, isBinary: boolean): void {
    this.onReceived();
    const message = isBinary ? undefined : this.parse(data.toString());
    // It may contain a secret.
    if (Buffer.isBuffer(data)) data.fill(0);
    if (message?.type !== 'chunk') return message && this.options.onMessage(message);
    const text = this.chunks.add(message);
    const reassembled = text === undefined ? undefined : this.parse(text);
    if (reassembled) this.options.onMessage(reassembled);
  }

  private parse(text: string): ToWorker | undefined {
    const { log } = this.options;
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      log.warn({ bytes: text.length }, 'message that is not JSON ignored');
      return undefined;
    }
    const parsed = toWorkerSchema.safeParse(json);
    if (parsed.success) return parsed.data;
    const type = typeof json === 'object' && json !== null && 'type' in json ? String(json.type) : 'without a type';
    log.warn({ type, problems: fieldErrors(parsed.error).slice(0, 5) }, 'unknown gateway message ignored');
    return undefined;
  }
}

const unavailable = (url: URL, reason: string) =>
  new PilothouseError('UNAVAILABLE', `The gateway at ${url.origin}${url.pathname} is not reachable: ${reason}`);

function refusal(url: URL, status: number): PilothouseError {
  if (status === 401 || status === 403) {
    return new PilothouseError(
      'FLEET_TOKEN_INVALID',
      `The gateway at ${url.origin}${url.pathname} rejected the token (HTTP ${status}). Write the token of a fleet to the file in PILOTHOUSE_FLEET_TOKEN_FILE. A worker of the controller ends: it was stopped.`,
    );
  }
  if (status === 426) {
    return new PilothouseError(
      'PROTOCOL_VERSION',
      `The gateway at ${url.origin}${url.pathname} uses another version of the worker protocol. Use a worker of the same version.`,
    );
  }
  return unavailable(url, `it answered HTTP ${status}`);
}
