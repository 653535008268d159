import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ModelRequest } from '@pilothouse/contract/model/model.schema';
import { WORKER_PROTOCOL, type Attempt } from '@pilothouse/contract/worker/assignment.schema';
import { MAX_FRAME_BYTES, type FromWorkerOf } from '@pilothouse/contract/worker/from-worker.messages';
import type { ToWorker } from '@pilothouse/contract/worker/to-worker.messages';
import { imagesOf, dedupeImages } from '@pilothouse/core/model/request-images';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import { backoffMs } from '@pilothouse/core/time/backoff';
import { sleep, systemTimers, type Timer } from '@pilothouse/core/time/timers';
import { RpcClient, type RpcRequest } from './rpc-client.ts';
import { RECONNECT_BACKOFF, type GatewaySocket } from './gateway-socket.ts';

/** Milliseconds without a request after which the bulk channel is closed. */
const IDLE_TIMEOUT_MS = 30_000;
/** Milliseconds for the gateway to close the connection. */
const CLOSE_TIMEOUT_MS = 1_000;
/** Milliseconds between two pings, and of silence after which the connection counts as broken. */
const PING_INTERVAL_MS = 5_000;
const MAX_SILENCE_MS = 15_000;

export interface BulkChannelOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly random: () => number;
  readonly idleMs?: number;
  /** Session of the main socket; undefined before it was accepted. */
  session(): string | undefined;
  /** Opens a bulk channel to any gateway. @throws as `GatewaySocket.open` */
  open(onMessage: (message: ToWorker) => void): Promise<GatewaySocket>;
  nextId(): number;
}

type ModelMessage = FromWorkerOf<'model.request'>;

const keyOf = ({ run, epoch }: Attempt) => `${run}/${epoch}`;

/**
 * Carries large messages apart from the main socket, where cancellations arrive: model requests with images, and frames for viewers. Opened
 * on demand and closed when idle. A frame waits for the socket only until the next frame. An image is sent once per connection: the gateway
 * keeps those of the last request of each attempt.
 */
export class BulkChannel {
  readonly requests: RpcClient;
  private readonly options: BulkChannelOptions;
  /** Images of the last request of each attempt, as sent on the current connection. */
  private readonly sentImages = new Map<string, readonly string[]>();
  /** Frames that wait for the socket: the last one of each attempt. */
  private readonly pendingFrames = new Map<string, FromWorkerOf<'screencast.frame'>>();
  private socket: GatewaySocket | undefined;
  /** The session that the open socket belongs to. */
  private session: string | undefined;
  private isConnecting = false;
  private idleTimer: Timer | undefined;

  constructor(options: BulkChannelOptions) {
    this.options = options;
    this.requests = new RpcClient(options.clock, (message) => this.send(message), options.nextId);
  }

  /** Called when the main socket was accepted. Closes a bulk channel of an ended session. */
  onWelcome(): void {
    if (this.session !== this.options.session()) this.socket?.terminate();
  }

  /** Sends a frame. Resolves when it is sent. Without a socket it waits for one, unless a newer frame replaces it. */
  async sendFrame(attempt: Attempt, jpeg: Buffer): Promise<void> {
    if (jpeg.length > MAX_FRAME_BYTES) return;
    const message = { type: 'screencast.frame', ...attempt, jpeg: jpeg.toString('base64') } as const;
    const { socket } = this;
    if (socket) {
      await socket.sendAndWait(message);
      return this.closeWhenIdle();
    }
    this.pendingFrames.set(attempt.run, message);
    void this.connect();
  }

  private get hasPendingMessages(): boolean {
    return this.requests.size > 0 || this.pendingFrames.size > 0;
  }

  private send(message: RpcRequest): void {
    systemTimers.clearTimeout(this.idleTimer);
    // Without a socket, unanswered requests are sent when one opens.
    if (this.socket) this.sendOn(this.socket, message);
    else void this.connect();
  }

  private sendOn(socket: GatewaySocket, message: RpcRequest): void {
    if (message.type !== 'model.request') return socket.send(message);
    const key = keyOf(message);
    // Requests carry complete images up to here.
    const request = message.request as ModelRequest;
    const dedupedMessage: ModelMessage = { ...message, request: dedupeImages(request, this.sentImages.get(key) ?? []) };
    this.sentImages.set(key, imagesOf(request));
    socket.send(dedupedMessage);
  }

  private async connect(): Promise<void> {
    if (this.isConnecting) return;
    this.isConnecting = true;
    const { signal, random, log } = this.options;
    let failures = 0;
    while (!signal.aborted && this.hasPendingMessages) {
      try {
        await this.serve(await this.options.open((message) => this.receive(message)));
        failures = 0;
      } catch (cause) {
        failures += 1;
        const error = cause instanceof Error ? cause.message : String(cause);
        log.debug({ failures, error }, 'bulk channel connection failed');
      }
      if (signal.aborted || !this.hasPendingMessages) break;
      await sleep(backoffMs(RECONNECT_BACKOFF, failures + 1, random), signal);
    }
    this.isConnecting = false;
  }

  /** Serves one connection until it ends. */
  private async serve(socket: GatewaySocket): Promise<void> {
    const session = this.options.session();
    if (session === undefined) return socket.terminate();
    this.session = session;
    this.sentImages.clear();
    socket.keepAlive(PING_INTERVAL_MS, MAX_SILENCE_MS);
    socket.send({ type: 'bulk.hello', protocol: WORKER_PROTOCOL, session });
    this.socket = socket;
    this.requests.resend();
    for (const frame of this.pendingFrames.values()) void socket.sendAndWait(frame);
    this.pendingFrames.clear();
    this.closeWhenIdle();
    await socket.closed;
    systemTimers.clearTimeout(this.idleTimer);
    this.socket = undefined;
    this.sentImages.clear();
  }

  private receive(message: ToWorker): void {
    switch (message.type) {
      case 'model.response':
      case 'screen_parse.response':
        this.requests.onResponse(message);
        break;
      case 'model.partial':
        this.requests.onPartial(message);
        break;
      case 'rejected': {
        const { id, run, error } = message;
        if (id !== undefined) this.requests.onRejected(id, error);
        else if (run !== undefined) this.options.log.debug({ run, code: error.code }, 'screencast frame rejected');
        else {
          // The gateway refuses the bulk channel: its requests fail.
          this.requests.fail(new PilothouseError(error.code, error.message));
          this.socket?.terminate();
        }
        break;
      }
      case 'gateway.closing':
        this.socket?.terminate();
        break;
      default:
        this.options.log.debug({ type: message.type }, 'unexpected bulk channel message ignored');
    }
    this.closeWhenIdle();
  }

  /** Closes an idle socket. */
  private closeWhenIdle(): void {
    systemTimers.clearTimeout(this.idleTimer);
    if (this.requests.size > 0) return;
    this.idleTimer = systemTimers
      .setTimeout(() => void this.socket?.close(CLOSE_TIMEOUT_MS), this.options.idleMs ?? IDLE_TIMEOUT_MS)
      .unref();
  }
}
