import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { PilothouseError, toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { MESSAGE_CHUNK_CHARS } from '@pilothouse/contract/worker/assignment.schema';
import type { FromWorker } from '@pilothouse/contract/worker/from-worker.messages';
import type { ToWorker } from '@pilothouse/contract/worker/to-worker.messages';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { systemTimers } from '@pilothouse/core/time/timers';
import type { GatewayFleet, WorkerCredentialRecord } from '@pilothouse/infra-db';
import { messageSubject, parseWorkerMessage } from './worker-message-parser.ts';

/** A worker with more unsent bytes counts as stalled: its socket ends, and it resumes its runs when it reconnects. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

/** Timeout for sending one chunk. Only a worker that does not read exceeds it. */
const CHUNK_TIMEOUT_MS = 10_000;

/** Reading pauses when more messages are being handled. */
const MAX_MESSAGES_IN_PROGRESS = 256;

/** Sends and receives messages on the socket of one worker: chunks, back-pressure, close. */
export class WorkerSocket {
  readonly credential: WorkerCredentialRecord;
  /** Address of the other side of the connection. */
  readonly address: string;
  private readonly socket: WebSocket;
  private readonly stream: Socket;
  private readonly log: Log;
  private readonly closing = new AbortController();
  private chunkedMessages = 0;
  private messagesInProgress = 0;
  private isCorked = false;
  private workerName = '';

  /** @param stream connection below the WebSocket */
  constructor(socket: WebSocket, stream: Socket, credential: WorkerCredentialRecord, log: Log) {
    this.socket = socket;
    this.stream = stream;
    this.credential = credential;
    // A closed connection has none.
    this.address = stream.remoteAddress ?? '';
    this.log = log;
  }

  get fleet(): GatewayFleet {
    return this.credential.fleet;
  }

  /** Aborts when the socket is closed. */
  get closed(): AbortSignal {
    return this.closing.signal;
  }

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** Names the worker in log lines. */
  identify(workerName: string): void {
    this.workerName = workerName;
  }

  /** @returns whether the message was handed to the socket */
  send(message: ToWorker): boolean {
    return this.sendText(JSON.stringify(message));
  }

  /** @param text JSON of a message @returns whether the message was handed to the socket */
  sendText(text: string): boolean {
    if (!this.isOpen) return false;
    if (this.socket.bufferedAmount > MAX_BUFFERED_BYTES) {
      this.terminateStalled();
      return false;
    }
    this.corkUntilNextTick();
    this.socket.send(text);
    return true;
  }

  /**
   * Sends a long message in chunks. Each chunk waits until the previous one was sent, so that other messages come between them.
   * @param text JSON of a message
   * @returns after each chunk whether it was the last one; ends early when the socket is closed
   */
  async *sendChunks(text: string): AsyncGenerator<{ isLast: boolean }> {
    this.chunkedMessages += 1;
    const message = this.chunkedMessages;
    for (let start = 0; start < text.length && this.isOpen; start += MESSAGE_CHUNK_CHARS) {
      const isLast = start + MESSAGE_CHUNK_CHARS >= text.length;
      const chunk: ToWorker = { type: 'chunk', message, text: text.slice(start, start + MESSAGE_CHUNK_CHARS), isLast };
      const timeout = systemTimers.setTimeout(() => this.terminateStalled(), CHUNK_TIMEOUT_MS);
      const error = await new Promise((resolve) => this.socket.send(JSON.stringify(chunk), resolve));
      systemTimers.clearTimeout(timeout);
      if (error) return;
      yield { isLast };
    }
  }

  /** Calls `handle` with each message. Rejections are sent to the worker; internal errors are logged and sent without detail. */
  listen(handle: (message: FromWorker) => Promise<void> | void, onClosed: () => void): void {
    this.socket.on('message', (data, isBinary) => {
      const text = isBinary ? '' : data.toString();
      void this.handle(text, handle);
    });
    this.socket.on('close', () => {
      this.closing.abort(new PilothouseError('UNAVAILABLE', 'The worker disconnected'));
      onClosed();
    });
    this.socket.on('error', (error) =>
      this.log.debug({ worker: this.workerName, error: error.message }, 'worker socket failed'),
    );
  }

  close(code: number, reason: string): void {
    this.socket.close(code, reason.slice(0, 120));
  }

  terminate(): void {
    this.socket.terminate();
  }

  /** Sends all messages of one turn of the event loop in one write. */
  private corkUntilNextTick(): void {
    if (this.isCorked) return;
    this.isCorked = true;
    this.stream.cork();
    setImmediate(() => {
      this.isCorked = false;
      this.stream.uncork();
    });
  }

  private terminateStalled(): void {
    this.log.warn(
      { worker: this.workerName, bytes: this.socket.bufferedAmount },
      'worker socket closed: worker does not read',
    );
    this.socket.terminate();
  }

  private async handle(text: string, handle: (message: FromWorker) => Promise<void> | void): Promise<void> {
    this.messagesInProgress += 1;
    if (this.messagesInProgress > MAX_MESSAGES_IN_PROGRESS && !this.socket.isPaused) this.socket.pause();
    try {
      await handle(parseWorkerMessage(text));
    } catch (error) {
      this.reject(text, toPilothouseError(error));
    } finally {
      this.messagesInProgress -= 1;
      if (this.socket.isPaused && this.messagesInProgress <= MAX_MESSAGES_IN_PROGRESS / 2) this.socket.resume();
    }
  }

  private reject(text: string, error: PilothouseError): void {
    const isInternal = error.code === 'INTERNAL';
    if (isInternal) this.log.error({ worker: this.workerName, error: error.message }, 'worker message handling failed');
    const publicError = isInternal
      ? new PilothouseError('INTERNAL', 'The gateway could not handle the message')
      : error;
    this.send({ type: 'rejected', ...messageSubject(text), error: publicError.view() });
  }
}
