import { systemTimers, type Timer, type Timers } from '@pilothouse/core/time/timers';
import type { Readable, Writable } from 'node:stream';

/** Bytes of one message above which the connection ends. */
const MAX_MESSAGE_BYTES = 64 * 1_048_576;

/** The browser answered a command with an error, for example because the document was replaced. */
export class DevToolsProtocolError extends Error {}

/** An event of the browser, or of one page. */
export interface DevToolsEvent {
  readonly method: string;
  readonly params: unknown;
  /** Null: the browser itself. */
  readonly sessionId: string | null;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
  readonly sessionId?: string;
}

interface PendingCommand {
  resolve(result: unknown): void;
  reject(error: Error): void;
  readonly timer: Timer;
}

/**
 * Connection to a Chromium that was started with `--remote-debugging-pipe`. Only this process and the browser hold its ends: it has no
 * address that another program could connect to. Each message is JSON, and ends with a zero byte.
 */
export class DevToolsPipe {
  readonly timers: Timers;
  readonly #input: Writable;
  readonly #pending = new Map<number, PendingCommand>();
  readonly #onEvent: (event: DevToolsEvent) => void;
  #chunks: Buffer[] = [];
  #byteCount = 0;
  #nextId = 1;
  #isClosed = false;

  /**
   * @param input descriptor 3 of the browser
   * @param output descriptor 4 of the browser
   */
  constructor(
    input: Writable,
    output: Readable,
    onEvent: (event: DevToolsEvent) => void,
    timers: Timers = systemTimers,
  ) {
    this.#input = input;
    this.timers = timers;
    this.#onEvent = onEvent;
    for (const stream of [input, output]) {
      stream.on('error', () => this.#close());
      stream.on('close', () => this.#close());
    }
    output.on('data', (chunk: Buffer) => this.#receive(chunk));
  }

  /** True after the browser exited, or sent an invalid or oversized message. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * @param sessionId null: the browser itself
   * @throws DevToolsProtocolError if the browser answers with an error; Error after the timeout
   */
  send(method: string, params: object, sessionId: string | null, timeoutMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new Error('The debugging connection is closed'));
      const id = this.#nextId;
      this.#nextId += 1;
      const timer = this.timers.setTimeout(() => {
        this.#pending.delete(id);
        reject(new Error(`The browser did not answer ${method} within ${Math.round(timeoutMs)} ms`));
      }, timeoutMs);
      this.#pending.set(id, { resolve, reject, timer });
      this.#input.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`);
    });
  }

  #receive(chunk: Buffer): void {
    // Discards the data. A full pipe would block the browser.
    if (this.#isClosed) return;
    let start = 0;
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, start)) {
      const message = Buffer.concat([...this.#chunks, chunk.subarray(start, end)]).toString('utf8');
      this.#chunks = [];
      this.#byteCount = 0;
      start = end + 1;
      const parsed = parseMessage(message);
      if (!parsed) return this.#close();
      this.#handle(parsed);
    }
    const rest = chunk.subarray(start);
    this.#chunks.push(rest);
    this.#byteCount += rest.length;
    if (this.#byteCount > MAX_MESSAGE_BYTES) this.#close();
  }

  #handle({ id, method, params, result, error, sessionId }: Message): void {
    if (id === undefined) {
      if (method !== undefined) this.#onEvent({ method, params, sessionId: sessionId ?? null });
      return;
    }
    const pending = this.#pending.get(id);
    if (!pending) return;
    this.#pending.delete(id);
    this.timers.clearTimeout(pending.timer);
    if (error) pending.reject(new DevToolsProtocolError(error.message));
    else pending.resolve(result);
  }

  /** Leaves the streams open: Chromium exits when its pipe closes. */
  #close(): void {
    this.#isClosed = true;
    this.#chunks = [];
    for (const { timer, reject } of this.#pending.values()) {
      this.timers.clearTimeout(timer);
      reject(new Error('The debugging connection is closed'));
    }
    this.#pending.clear();
  }
}

/** @returns null if the text is not a protocol message */
function parseMessage(text: string): Message | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' ? (parsed as Message | null) : null;
  } catch {
    return null;
  }
}
