import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import {
  fieldErrors,
  fromWorkerSchema,
  messageSubjectSchema as subjectSchema,
  MESSAGE_CHUNK_CHARS,
  PilothouseError,
  toPilothouseError,
  type FromWorker,
  type Json,
  type ToWorker,
} from '@pilothouse/contract';
import { toStorable, type Log, systemTimers } from '@pilothouse/core';
import type { GatewayFleet, WorkerFlags } from '@pilothouse/infra-db';
import { HeldAttempts } from '../assignment/held-attempts.ts';
import { ModelImageCache } from './worker-message-parser.ts';

/** Bytes waiting to be sent beyond which a worker counts as stuck: it is cut, and takes its runs up again when it reconnects. */
const MAX_BUFFERED = 16 * 1024 * 1024;

/** Milliseconds in which a piece of a long message is on its way to a worker that reads. */
const PIECE_MS = 10_000;

/** Messages handled at once beyond which no more are read from the socket. */
const MAX_UNDER_WAY = 256;

const knownTypes: ReadonlySet<string> = new Set(fromWorkerSchema.options.map((option) => option.shape.type.value));

/**
 * PostgreSQL keeps neither NUL nor half a surrogate pair; a page may hold both. In the text of a message, which is well-formed UTF-8,
 * they can only stand as escapes. A key `__proto__` would become the prototype of whatever the object is assigned to: it is left out.
 */
const cleaned = (text: string): unknown =>
  text.includes('\\u') || text.includes('__proto__')
    ? toStorable(JSON.parse(text, (key, value: Json) => (key === '__proto__' ? undefined : value)) as Json)
    : JSON.parse(text);

/** Reads a message. @throws PilothouseError PROTOCOL_INVALID or PROTOCOL_UNKNOWN */
function readMessage(data: string): FromWorker {
  let json: unknown;
  try {
    json = cleaned(data);
  } catch {
    throw new PilothouseError('PROTOCOL_INVALID', 'The message is not JSON');
  }
  const type = typeof json === 'object' && json !== null && 'type' in json ? String(json.type) : '';
  if (!knownTypes.has(type))
    throw new PilothouseError('PROTOCOL_UNKNOWN', `No message has the type "${type.slice(0, 50)}"`);
  const parsed = fromWorkerSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const first = fieldErrors(parsed.error)[0];
  throw new PilothouseError('PROTOCOL_INVALID', `${type}${first?.pointer ?? ''}: ${first?.detail ?? 'not valid'}`);
}

/** What a refused message was about: a request, or an attempt; read leniently, because the message may be wrong elsewhere. */
function subjectOf(text: string): { id?: number; run?: string; epoch?: number } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return {};
  }
  const parsed = subjectSchema.safeParse(json);
  return parsed.success ? parsed.data : {};
}

/** One worker on one socket. What it holds lives here; what is true of it lives in PostgreSQL. */
export class WorkerSocket {
  readonly fleet: GatewayFleet;
  readonly held = new HeldAttempts();
  session = '';
  workerName = '';
  slots = 0;
  draining = false;
  /** It takes nothing new for now. */
  cordoned = false;
  /** A second socket of its worker, for requests to models that have images; nothing else comes on it. */
  isBulkChannel = false;
  /** Of a second socket: resolves when its session is known to be of the fleet of its token. */
  admission: Promise<void> = Promise.resolve();
  /** It puts messages together that come in pieces. */
  acceptsChunks = false;
  /** Of what models were asked on this socket. */
  readonly images = new ModelImageCache();
  /** `sentAt` of its last renewal. */
  lastRenewSentAt: number | undefined;
  /** Claims on their way to this worker. */
  reservedSlots = 0;
  private reportedFree = 0;
  /** Assignments on this connection, and how many of them the worker knew of when it last said what is free. */
  private assignments = 0;
  private assignmentsSeen = 0;
  /** Messages that were sent in pieces. */
  private long = 0;
  private underWay = 0;
  private isGathering = false;
  private readonly socket: WebSocket;
  private readonly stream: Duplex;
  private readonly log: Log;
  private readonly ending = new AbortController();

  /** @param stream what the socket writes to */
  constructor(socket: WebSocket, stream: Duplex, fleet: GatewayFleet, log: Log) {
    this.socket = socket;
    this.stream = stream;
    this.fleet = fleet;
    this.log = log;
  }

  /** Aborts when the socket is closed. */
  get closed(): AbortSignal {
    return this.ending.signal;
  }

  get open(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** Runs it can take now: never more than it last said, nor than its slots. */
  get available(): number {
    if (this.isUnschedulable || !this.open || !this.session) return 0;
    return (
      Math.min(this.slots - this.held.size, this.reportedFree - (this.assignments - this.assignmentsSeen)) -
      this.reservedSlots
    );
  }

  get isUnschedulable(): boolean {
    return this.draining || this.cordoned;
  }

  /** Takes over what the database says of it. */
  applyFlags({ drain, cordoned }: WorkerFlags): void {
    this.draining ||= drain;
    this.cordoned = cordoned;
  }

  /** @param assigned assignments that the worker knew of when it said so; an older worker does not say */
  ready(free: number, assigned = this.assignments): void {
    this.reportedFree = free;
    this.assignmentsSeen = assigned;
  }

  assigned(): void {
    this.assignments += 1;
  }

  /** @returns whether it is on its way */
  send(message: ToWorker): boolean {
    return this.sendText(JSON.stringify(message));
  }

  /** @param text JSON of a message @returns whether it is on its way */
  sendText(text: string): boolean {
    if (!this.open) return false;
    if (this.socket.bufferedAmount > MAX_BUFFERED) {
      this.terminateStalled();
      return false;
    }
    this.corkUntilNextTick();
    this.socket.send(text);
    return true;
  }

  /**
   * Sends a message that is too long for one in pieces, each when the one before is on its way, so that others come between them.
   * @param text JSON of a message
   * @returns after each piece whether it was the last; ends early when the socket is closed
   */
  async *sendPieces(text: string): AsyncGenerator<{ isLast: boolean }> {
    this.long += 1;
    const message = this.long;
    for (let from = 0; from < text.length && this.open; from += MESSAGE_CHUNK_CHARS) {
      const isLast = from + MESSAGE_CHUNK_CHARS >= text.length;
      const piece: ToWorker = { type: 'chunk', message, text: text.slice(from, from + MESSAGE_CHUNK_CHARS), isLast };
      const late = systemTimers.setTimeout(() => this.terminateStalled(), PIECE_MS);
      const error = await new Promise((resolve) => this.socket.send(JSON.stringify(piece), resolve));
      systemTimers.clearTimeout(late);
      if (error) return;
      yield { isLast };
    }
  }

  /** Hands every message to `handle`; a refusal is answered, anything else thrown is logged and answered without detail. */
  listen(handle: (message: FromWorker) => Promise<void> | void, closed: () => void): void {
    this.socket.on('message', (data, isBinary) => {
      const text = isBinary ? '' : data.toString();
      void this.handle(text, handle);
    });
    this.socket.on('close', () => {
      this.ending.abort(new PilothouseError('UNAVAILABLE', 'The worker disconnected'));
      closed();
    });
    this.socket.on('error', (error) =>
      this.log.debug({ worker: this.workerName, error: error.message }, 'A worker socket broke'),
    );
  }

  /** What is sent within one turn of the event loop goes out as one write. */
  private corkUntilNextTick(): void {
    if (this.isGathering) return;
    this.isGathering = true;
    this.stream.cork();
    setImmediate(() => {
      this.isGathering = false;
      this.stream.uncork();
    });
  }

  private terminateStalled(): void {
    this.log.warn(
      { worker: this.workerName, bytes: this.socket.bufferedAmount },
      'A worker does not read; its socket is cut',
    );
    this.socket.terminate();
  }

  close(code: number, reason: string): void {
    this.socket.close(code, reason.slice(0, 120));
  }

  terminate(): void {
    this.socket.terminate();
  }

  private async handle(text: string, handle: (message: FromWorker) => Promise<void> | void): Promise<void> {
    this.underWay += 1;
    if (this.underWay > MAX_UNDER_WAY && !this.socket.isPaused) this.socket.pause();
    try {
      await handle(readMessage(text));
    } catch (thrown) {
      const error = toPilothouseError(thrown);
      if (error.code === 'INTERNAL') {
        this.log.error({ worker: this.workerName, error: error.message }, 'A worker message could not be handled');
      }
      const said =
        error.code === 'INTERNAL' ? new PilothouseError('INTERNAL', 'The gateway could not handle this') : error;
      this.send({ type: 'refused', ...subjectOf(text), error: said.view() });
    } finally {
      this.underWay -= 1;
      if (this.socket.isPaused && this.underWay <= MAX_UNDER_WAY / 2) this.socket.resume();
    }
  }
}
