import { openAsBlob } from 'node:fs';
import type { TuningMessage } from '@pilothouse/contract/learning/tuning-progress.schema';
import type { Context } from '@pilothouse/core/ports/runtime.port';
import type { TuningFile } from '@pilothouse/core/ports/tuner.port';
import { callSignal } from '@pilothouse/core/time/deadlines';
import type { Endpoint } from '../model-endpoint.ts';
import { ModelCallError } from '../provider-errors.ts';

/** JSON answer of a tuner. */
export type TunerJson = { readonly [name: string]: unknown };

/** Timeout of a request without files, in milliseconds. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Timeout of an upload, in milliseconds. */
const UPLOAD_TIMEOUT_MS = 1_800_000;

/** Largest answer, in bytes. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** Requests to a tuner. */
export class TunerHttp {
  readonly #name: string;
  readonly #endpoint: Endpoint;
  readonly #baseUrl: string;

  /** @param name of the endpoint, for messages */
  constructor(name: string, endpoint: Endpoint, baseUrl: string) {
    this.#name = name;
    this.#endpoint = endpoint;
    this.#baseUrl = baseUrl.replace(/\/$/, '');
  }

  /** @throws ModelCallError */
  get(path: string, context: Context): Promise<TunerJson> {
    return this.#send('GET', path, undefined, context, REQUEST_TIMEOUT_MS);
  }

  /** @returns null if the tuner answers 404 @throws ModelCallError */
  async find(path: string, context: Context): Promise<TunerJson | null> {
    try {
      return await this.get(path, context);
    } catch (error) {
      if (error instanceof ModelCallError && error.status === 404) return null;
      throw error;
    }
  }

  /** @throws ModelCallError */
  post(path: string, body: object, context: Context): Promise<TunerJson> {
    return this.#send('POST', path, JSON.stringify(body), context, REQUEST_TIMEOUT_MS);
  }

  /** Sends a file as a form. The file is not read into memory. @throws ModelCallError; errors of the file system */
  async upload(
    path: string,
    { path: file, name }: TuningFile,
    fields: Readonly<Record<string, string>>,
    context: Context,
  ) {
    const form = new FormData();
    for (const [field, value] of Object.entries(fields)) form.set(field, value);
    form.set('file', await openAsBlob(file, { type: 'application/jsonl' }), name);
    return this.#send('POST', path, form, context, UPLOAD_TIMEOUT_MS);
  }

  /** Content of a text file. @throws ModelCallError */
  async text(path: string, context: Context): Promise<string> {
    const request = { method: 'GET', headers: this.#headers() };
    return (await this.#request(`${this.#baseUrl}${path}`, request, context)).body.toString('utf8');
  }

  /**
   * Part of a file at a signed URL, which receives no key. A service without ranges sends the whole file.
   * @param start first byte
   * @returns at most `maxBytes` of a service with ranges; empty: the file ends before `start`
   * @throws ModelCallError; also for an address that is neither HTTPS nor of the service
   */
  async signedPart(url: string, start: number, maxBytes: number, context: Context): Promise<Buffer> {
    const { protocol, origin } = URL.parse(url) ?? { protocol: '', origin: '' };
    if (protocol !== 'https:' && origin !== new URL(this.#baseUrl).origin)
      throw this.#failure(502, 'The address of a file is not HTTPS');
    const request = { method: 'GET', headers: { range: `bytes=${start}-${start + maxBytes - 1}` } };
    try {
      const { status, body } = await this.#request(url, request, context);
      return status === 206 ? body : body.subarray(start);
    } catch (error) {
      if (error instanceof ModelCallError && error.status === 416) return Buffer.alloc(0);
      throw error;
    }
  }

  /** Id of a created job or file. @throws ModelCallError, so that a further attempt finds the job */
  requireId({ id }: TunerJson): string {
    const text = textOf(id);
    if (text === null) throw this.#failure(502, 'The answer has no id');
    return text;
  }

  #headers(): Record<string, string> {
    const { apiKey, headers = {} } = this.#endpoint;
    return { authorization: `Bearer ${apiKey}`, ...headers };
  }

  async #send(
    method: string,
    path: string,
    body: string | FormData | undefined,
    context: Context,
    timeoutMs: number,
  ): Promise<TunerJson> {
    const request = {
      method,
      headers: { ...(typeof body === 'string' && { 'content-type': 'application/json' }), ...this.#headers() },
      ...(body !== undefined && { body }),
    };
    const { body: answer } = await this.#request(`${this.#baseUrl}${path}`, request, context, timeoutMs);
    const value = parse(answer.toString('utf8'));
    if (value === null) throw this.#failure(502, `${path} answered no JSON object`);
    return value;
  }

  async #request(
    url: string,
    request: RequestInit,
    context: Context,
    timeoutMs = REQUEST_TIMEOUT_MS,
  ): Promise<{ readonly status: number; readonly body: Buffer }> {
    let response: Response;
    let content: Buffer;
    try {
      response = await fetch(url, {
        ...request,
        redirect: 'error',
        signal: callSignal(context, timeoutMs),
      });
      content = await limitedBody(response);
    } catch (cause) {
      context.signal.throwIfAborted();
      throw this.#failure(null, cause instanceof Error ? String(cause.cause ?? cause.message) : String(cause));
    }
    if (!response.ok) throw this.#failure(response.status, messageOf(content.toString('utf8')), response.headers);
    return { status: response.status, body: content };
  }

  #failure(status: number | null, message: string, headers?: Headers): ModelCallError {
    return new ModelCallError(this.#name, { status, message, headers });
  }
}

async function limitedBody(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error(`The answer has more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parse(text: string): TunerJson | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Error message of a tuner: `error.message`, `message`, or the text. */
function messageOf(text: string): string {
  const body = parse(text) ?? {};
  const error = isObject(body.error) ? body.error : body;
  return textOf(error.message) ?? text;
}

export const isObject = (value: unknown): value is TunerJson =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** Objects of a list; other items are left out. */
export const objectsOf = (value: unknown): readonly TunerJson[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Suffix of the tuned model, by which a job is found again: 15 characters. */
export const suffixOf = (key: string): string => `ph-${key.replaceAll('-', '').slice(-12)}`;

/** Maximum length of a message of a tuner, in characters. */
const MAX_MESSAGE_CHARS = 500;

/** Log lines of events, oldest first. `created_at` is in Unix seconds or in ISO format. */
export const messagesOf = (events: readonly TunerJson[]): TuningMessage[] =>
  events.flatMap(({ message, created_at: createdAt }) => {
    const text = textOf(message)?.slice(0, MAX_MESSAGE_CHARS);
    return text === undefined ? [] : [{ at: isoTime(createdAt), text }];
  });

/** ISO time of Unix seconds or of a text; null: no time. */
function isoTime(value: unknown): string | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  const time = new Date(typeof value === 'number' ? value * 1000 : value);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
