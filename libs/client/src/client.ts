import createFetch, { type Client as FetchClient, type Middleware } from 'openapi-fetch';
import type { RunEvent, RunView, UploadView } from '@pilothouse/contract';
import type { paths } from './api.gen.ts';
import { errorOf, unreachable } from './error.ts';
import { followEvents } from './events.ts';
import { sendFile } from './transfer.ts';

/** Milliseconds that a request may take: a long poll is 60 s at most. */
const REQUEST_MS = 90_000;
const UPLOAD_MS = 600_000;

export interface ClientOptions {
  /** Where the API is, e.g. `http://127.0.0.1:7100`. */
  readonly url: string;
  /** API key. */
  readonly key: string;
  readonly fetch?: typeof fetch;
}

/** The REST API, typed by its OpenAPI document. */
export interface Client {
  readonly url: string;
  /** Every route of the document: `client.api.GET('/v1/runs', {params})`. Throws ApiError; `data` is always there on success. */
  readonly api: FetchClient<paths>;
  /** Events of a run, past and future, each once and in order; ends with the run. */
  events(run: string, options?: { after?: number; signal?: AbortSignal }): AsyncGenerator<RunEvent>;
  /** Waits until the run has ended. @throws the reason of the signal */
  waitForEnd(run: string, signal?: AbortSignal): Promise<RunView>;
  /** Sends a file; the answer's `id` is the value of a file input. */
  upload(file: { name: string; contentType: string; content: Blob }, signal?: AbortSignal): Promise<UploadView>;
}

/** Makes a client. Nothing is sent yet. */
export function createClient({ url: given, key, fetch = globalThis.fetch }: ClientOptions): Client {
  const url = given.replace(/\/+$/, '');
  const bounded: typeof globalThis.fetch = (input, init) => {
    const asked = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    const signal = AbortSignal.any([AbortSignal.timeout(REQUEST_MS), ...(asked ? [asked] : [])]);
    return fetch(input, { ...init, signal }).catch((thrown: unknown) => {
      asked?.throwIfAborted();
      throw unreachable(url, thrown);
    });
  };
  const api = createFetch<paths>({
    baseUrl: url,
    fetch: bounded,
    headers: { authorization: `Bearer ${key}`, accept: 'application/json' },
  });
  const refuse: Middleware = {
    async onResponse({ response }) {
      if (response.ok) return undefined;
      throw errorOf(response.status, await response.json().catch(() => null));
    },
  };
  api.use(refuse);
  return {
    url,
    api,
    events: (run, options = {}) => followEvents({ url, key, run, fetch, ...options }),
    async waitForEnd(run, signal) {
      for (;;) {
        const { data } = await api.GET('/v1/runs/{run}', { params: { path: { run }, query: { wait: 30 } }, signal });
        const view = data as unknown as RunView;
        if (view.finishedAt !== null) return view;
      }
    },
    async upload({ name, contentType, content }, signal) {
      const within = AbortSignal.any([AbortSignal.timeout(UPLOAD_MS), ...(signal ? [signal] : [])]);
      const { data } = await api.POST('/v1/uploads', {
        body: { name, contentType, size: content.size },
        signal: within,
      });
      const upload = data as unknown as UploadView;
      await sendFile(upload.transfer, url, content, within);
      return upload;
    },
  };
}
