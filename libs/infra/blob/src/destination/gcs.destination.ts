import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { DestinationFile, ExportDestination } from '@pilothouse/core/ports/export-destination.port';
import { retry } from '@pilothouse/core/time/backoff';
import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import type { GoogleAuth } from 'google-auth-library';
import { destinationKey } from './destination-key.ts';

/* Resumable uploads of the JSON API of Cloud Storage: https://cloud.google.com/storage/docs/performing-resumable-uploads. */

const DEFAULT_ENDPOINT = 'https://storage.googleapis.com';
const DEFAULT_TOKEN_URL = 'https://oauth2.googleapis.com/token';
const SCOPE = 'https://www.googleapis.com/auth/devstorage.read_write';

/** Bytes of a request: a multiple of 256 KiB, as the API requires. */
const CHUNK_BYTES = 8 * 1024 * 1024;

/** Attempts to send a chunk. The API tells which bytes it has. */
const MAX_CHUNK_ATTEMPTS = 6;
const CHUNK_BACKOFF = { firstMs: 1_000, maxMs: 30_000, jitter: 0.5 };

const REQUEST_TIMEOUT_MS = 120_000;
const TOKEN_TIMEOUT_MS = 15_000;

/** Maximum length of the part of an answer in a message, in characters. */
const MAX_DETAIL_CHARS = 500;

/** Status of an incomplete upload. */
const RESUME_INCOMPLETE = 308;

export interface GcsConfig {
  readonly bucket: string;
  readonly folder?: string | undefined;
  /** Service account. Undefined: the identity of the machine. */
  readonly keyFile?: string | undefined;
  readonly endpoint?: string | undefined;
}

/** Receives exports in a bucket of Cloud Storage. */
export class GcsDestination implements ExportDestination {
  readonly #config: GcsConfig;
  readonly #auth: () => Promise<GoogleAuth>;
  readonly #timers: Timers;

  constructor(config: GcsConfig, timers: Timers = systemTimers) {
    this.#config = config;
    this.#timers = timers;
    let auth: Promise<GoogleAuth> | undefined;
    this.#auth = () => (auth ??= createAuth(config.keyFile));
  }

  uri(key: string): string {
    return `gs://${this.#config.bucket}/${destinationKey(this.#config.folder, key)}`;
  }

  async put(key: string, body: Readable, { size, contentType }: DestinationFile, signal: AbortSignal): Promise<void> {
    try {
      const upload = await this.#open(destinationKey(this.#config.folder, key), { size, contentType }, signal);
      let start = 0;
      for await (const chunk of chunksOf(body)) {
        await this.#send(upload, chunk, { start, size }, signal);
        start += chunk.length;
      }
      if (start === 0) await this.#send(upload, Buffer.alloc(0), { start, size: 0 }, signal);
      else if (start < size) throw failed(`The file ended after ${start} of ${size} bytes. Start a new job.`);
    } finally {
      body.destroy();
    }
  }

  /** Starts an upload. @returns its URL */
  async #open(name: string, { size, contentType }: DestinationFile, signal: AbortSignal): Promise<string> {
    const { bucket, endpoint = DEFAULT_ENDPOINT } = this.#config;
    const query = new URLSearchParams({ uploadType: 'resumable', name });
    const url = `${endpoint.replace(/\/$/, '')}/upload/storage/v1/b/${encodeURIComponent(bucket)}/o?${query}`;
    const headers = {
      authorization: `Bearer ${await this.#token()}`,
      'x-upload-content-type': contentType,
      'x-upload-content-length': String(size),
    };
    const response = await send(url, { method: 'POST', headers }, signal);
    const location = response.headers.get('location');
    if (!response.ok || location === null) throw await this.#refusal(response);
    await consume(response);
    return location;
  }

  /** Sends a chunk. After an outage it continues with the first byte that the bucket lacks. */
  async #send(
    upload: string,
    chunk: Buffer,
    { start, size }: { readonly start: number; readonly size: number },
    signal: AbortSignal,
  ): Promise<void> {
    /** @returns bytes of the chunk that the bucket has; null: not known */
    const request = async (range: string, body?: Buffer): Promise<number | null> => {
      const headers = { 'content-range': `bytes ${range}/${size}` };
      const response = await send(
        upload,
        { method: 'PUT', headers, ...(body && { body: new Uint8Array(body) }) },
        signal,
      );
      if (!response.ok && response.status !== RESUME_INCOMPLETE) throw await this.#refusal(response, true);
      await consume(response);
      if (response.ok) return chunk.length;
      const next = nextByte(response);
      return next < start || next > start + chunk.length || next === size ? null : next - start;
    };
    let stored = chunk.length === 0 ? null : 0;
    await retry(
      async () => {
        const offset = stored ?? (await request('*'));
        // Not known if the request fails.
        stored = null;
        if (offset !== null && offset < chunk.length)
          stored = await request(`${start + offset}-${start + chunk.length - 1}`, chunk.subarray(offset));
        else stored = offset;
        if (stored !== chunk.length)
          throw unavailable('The upload to Cloud Storage stalled. If this persists, start a new job.');
      },
      {
        ...{ backoff: CHUNK_BACKOFF, signal, timers: this.#timers },
        isRetryable: (error, { failures }) =>
          error instanceof PilothouseError && error.code === 'UNAVAILABLE' && failures < MAX_CHUNK_ATTEMPTS,
      },
    );
  }

  async #refusal(response: Response, isSession = false): Promise<PilothouseError> {
    const { bucket } = this.#config;
    const { status } = response;
    const text = detailOf(await response.text());
    if (status === 401 || status === 403)
      return failed(
        `The service account has no permission to write to the bucket ${bucket}${text}. Grant it the role Storage Object User.`,
      );
    if (isSession && (status === 404 || status === 410))
      return failed('The upload to Cloud Storage expired. Start a new job.');
    if (status === 404) return failed(`The bucket ${bucket} does not exist. Create it, or correct the destination.`);
    return failed(`Cloud Storage returned ${status}${text}. Check bucket, folder and endpoint of the destination.`);
  }

  async #token(): Promise<string> {
    try {
      const token = await (await this.#auth()).getAccessToken();
      if (token) return token;
      throw new Error('no token');
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw unavailable(`Google Cloud gave no access token: ${reason}. Check the service account.`, cause);
    }
  }
}

/** The key file may name a token endpoint, which the library ignores. */
async function createAuth(keyFile: string | undefined): Promise<GoogleAuth> {
  const { token_uri: tokenUrl = DEFAULT_TOKEN_URL } =
    keyFile === undefined ? {} : (JSON.parse(await readFile(keyFile, 'utf8')) as { token_uri?: string });
  const fetchImplementation: typeof fetch = (url, init) =>
    fetch(String(url) === DEFAULT_TOKEN_URL ? tokenUrl : url, {
      ...init,
      signal: AbortSignal.timeout(TOKEN_TIMEOUT_MS),
    });
  // Loaded on demand: most processes have no such destination.
  const { GoogleAuth: Auth } = await import('google-auth-library');
  return new Auth({
    scopes: [SCOPE],
    ...(keyFile !== undefined && { keyFilename: keyFile }),
    clientOptions: { transporterOptions: { fetchImplementation } },
  });
}

/** @throws PilothouseError UNAVAILABLE if no answer came or the server failed; the reason of the signal */
async function send(url: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.any([signal, timeout]) });
  } catch (cause) {
    signal.throwIfAborted();
    const reason = cause instanceof Error ? String(cause.cause ?? cause.message) : String(cause);
    throw unavailable(
      `Cloud Storage is not reachable: ${reason}. Check network and endpoint of the destination.`,
      cause,
    );
  }
  if (response.status < 500 && response.status !== 408 && response.status !== 429) return response;
  const text = detailOf(await response.text());
  throw unavailable(`Cloud Storage returned ${response.status}${text}. If this persists, start a new job later.`);
}

/** Reads the rest of an answer, so that its connection is free for the next request. A failure affects only the connection. */
const consume = (response: Response): Promise<unknown> => response.arrayBuffer().catch(() => undefined);

/** First byte that the bucket lacks. */
const nextByte = ({ headers }: Response): number => Number(headers.get('range')?.split('-')[1] ?? -1) + 1;

async function* chunksOf(body: Readable): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    parts.push(part);
    length += part.length;
    while (length >= CHUNK_BYTES) {
      const buffered = Buffer.concat(parts);
      yield buffered.subarray(0, CHUNK_BYTES);
      parts = [buffered.subarray(CHUNK_BYTES)];
      length -= CHUNK_BYTES;
    }
  }
  if (length > 0) yield Buffer.concat(parts);
}

/** Start of an answer, for a message. */
function detailOf(text: string): string {
  const detail = text.trim().slice(0, MAX_DETAIL_CHARS);
  return detail === '' ? '' : `: ${detail}`;
}

const failed = (message: string): PilothouseError => new PilothouseError('UPLOAD_FAILED', message);

const unavailable = (message: string, cause?: unknown): PilothouseError =>
  new PilothouseError('UNAVAILABLE', message, { cause });
