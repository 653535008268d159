import type { Duplex } from 'node:stream';

/** Descriptor of the channel in the session process. */
export const CHANNEL_FD = 3;

/** Bytes of a frame: a PNG of the largest screen fits. */
const MAX_BINARY_BYTES = 64 * 1_048_576;
const MAX_JSON_BYTES = 16 * 1_048_576;

/** Bytes that wait for a slow reader. Above them nothing is sent. */
const MAX_WAITING_BYTES = MAX_BINARY_BYTES + MAX_JSON_BYTES;

/** Two lengths of 32 bits: of the JSON, and of the binary part behind it. */
const PREFIX_BYTES = 8;

/** A message with at most one binary part: a property of `args` or `result`. */
interface Frame {
  readonly message: unknown;
  /** Place of the binary part in the message; null: none. */
  readonly binary: readonly [string, string] | null;
}

export interface FrameChannelOptions {
  /** Name of the other side in messages, for example `desktop session`. */
  readonly peer: string;
  /** Maximum bytes of a frame until `acceptLongFrames`. Default: the limits of all frames. */
  readonly maxBytes?: number;
}

export interface FrameListener {
  /** Receives a message of unknown shape. */
  onMessage(message: unknown): void;
  /** Called once. @param error undefined: the other side closed the stream */
  onClose(error?: Error): void;
}

/**
 * Sends and receives messages over a stream, as JSON with one binary part. The other side is not trusted: a frame that is too long or
 * malformed closes the channel, and at most one frame is buffered.
 */
export class FrameChannel {
  readonly #stream: Duplex;
  readonly #listener: FrameListener;
  readonly #peer: string;
  #maxBytes: number;
  #chunks: Buffer[] = [];
  #buffered = 0;
  #isClosed = false;

  constructor(stream: Duplex, listener: FrameListener, { peer, maxBytes = Infinity }: FrameChannelOptions) {
    this.#stream = stream;
    this.#listener = listener;
    this.#peer = peer;
    this.#maxBytes = maxBytes;
    stream.on('data', (chunk: Buffer) => this.#receive(chunk));
    stream.on('error', (error) => this.#close(error));
    stream.on('close', () => this.#close());
    stream.on('end', () => this.#close());
  }

  /** @param onSent called when the message is written, or with the reason why it cannot be sent */
  send(message: object, onSent: (error?: Error) => void = () => undefined): void {
    if (this.#isClosed) return onSent(new Error(`The channel to the ${this.#peer} is closed`));
    if (this.#stream.writableLength > MAX_WAITING_BYTES)
      return onSent(new Error(`The ${this.#peer} does not read its messages`));
    const frame = encodeFrame(message, this.#peer);
    this.#stream.write(frame, (error) => {
      // It may contain a secret.
      frame.fill(0);
      onSent(error ?? undefined);
    });
  }

  /** Ends the limit of the options: the other side has proven who it is. */
  acceptLongFrames(): void {
    this.#maxBytes = Infinity;
  }

  close(): void {
    this.#isClosed = true;
    this.#stream.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    try {
      for (let frame = this.#next(); frame !== null && !this.#isClosed; frame = this.#next())
        this.#listener.onMessage(decodeFrame(frame.json, frame.binary, this.#peer));
    } catch (error) {
      this.#close(error as Error);
    }
  }

  /** The next complete frame; null: more bytes are needed. @throws Error above the limits */
  #next(): { json: Buffer; binary: Buffer } | null {
    if (this.#buffered < PREFIX_BYTES) return null;
    const first = this.#chunks[0];
    const prefix = first && first.length >= PREFIX_BYTES ? first : this.#join();
    const jsonBytes = prefix.readUInt32BE(0);
    const binaryBytes = prefix.readUInt32BE(4);
    const total = PREFIX_BYTES + jsonBytes + binaryBytes;
    if (jsonBytes > MAX_JSON_BYTES || binaryBytes > MAX_BINARY_BYTES || total > this.#maxBytes)
      throw new Error(`The ${this.#peer} sent a frame above the limit`);
    if (this.#buffered < total) return null;
    const buffer = this.#join();
    const rest = buffer.subarray(total);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#buffered = rest.length;
    const end = PREFIX_BYTES + jsonBytes;
    return { json: buffer.subarray(PREFIX_BYTES, end), binary: buffer.subarray(end, total) };
  }

  #join(): Buffer {
    const [only] = this.#chunks;
    if (this.#chunks.length === 1 && only) return only;
    const joined = Buffer.concat(this.#chunks);
    this.#wipe();
    this.#chunks = [joined];
    return joined;
  }

  /** Forgets received bytes, which may contain a secret. */
  #wipe(): void {
    for (const chunk of this.#chunks) chunk.fill(0);
    this.#chunks = [];
  }

  #close(error?: Error): void {
    if (this.#isClosed) return;
    this.close();
    this.#wipe();
    this.#listener.onClose(error);
  }
}

/** @param peer name of the receiver in errors. @throws Error for a message above the limits */
export function encodeFrame(message: object, peer: string): Buffer {
  let frame: Frame = { message, binary: null };
  let data: Uint8Array = Buffer.alloc(0);
  for (const [part, value] of Object.entries(message)) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    const found = Object.entries(value as object).find(([, entry]) => entry instanceof Uint8Array);
    if (!found) continue;
    data = found[1] as Uint8Array;
    frame = { message: { ...message, [part]: { ...value, [found[0]]: null } }, binary: [part, found[0]] };
  }
  const json = Buffer.from(JSON.stringify(frame));
  if (json.length > MAX_JSON_BYTES || data.length > MAX_BINARY_BYTES)
    throw new Error(`The message to the ${peer} is above the limit`);
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(json.length, 0);
  prefix.writeUInt32BE(data.length, 4);
  const encoded = Buffer.concat([prefix, json, data]);
  json.fill(0);
  return encoded;
}

/** Wipes the bytes of the frame. @throws Error for a malformed frame */
function decodeFrame(json: Buffer, data: Buffer, peer: string): unknown {
  try {
    const { message, binary } = JSON.parse(json.toString('utf8')) as Partial<Frame>;
    if (typeof message !== 'object' || message === null) throw new Error(`The ${peer} sent no message`);
    if (binary === null || binary === undefined) return message;
    const [part, name] = Array.isArray(binary) ? (binary as unknown[]) : [];
    const parent: unknown = ownProperty(message, part);
    if (typeof name !== 'string' || ownProperty(parent, name) !== null)
      throw new Error(`The ${peer} sent a binary part without a place`);
    // A copy of its own: a view would keep the whole frame.
    Object.defineProperty(parent, name, { value: Buffer.from(data), enumerable: true });
    return message;
  } finally {
    json.fill(0);
    data.fill(0);
  }
}

const ownProperty = (value: unknown, name: unknown): unknown =>
  typeof value === 'object' && value !== null && typeof name === 'string' && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
