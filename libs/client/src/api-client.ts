import type { A2uiMessage } from '@pilothouse/contract/a2ui/a2ui.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { Job } from '@pilothouse/contract/job/job.schema';
import type { Transfer, UploadView } from '@pilothouse/contract/run/artifact.schema';
import { isTerminal } from '@pilothouse/contract/run/run-status';
import { submitA2ui, watchA2ui, type A2uiOptions, type SubmitA2uiOptions } from './a2ui-client.ts';
import { networkError, toApiError } from './api-error.ts';
import createFetch from 'openapi-fetch';
import type { RestApi, RunView, SubmitA2uiBody } from './rest-api.ts';
import { jobStates, type JobStatesOptions } from './job-stream.ts';
import { runEvents, type EventsOptions } from './run-event-stream.ts';

/** A file for an input of a run. */
export interface UploadFile {
  /** File name for the site. */
  name: string;
  /** Default: `application/octet-stream`. */
  contentType?: string;
  /** The complete file. `openAsBlob` of `node:fs` returns one that is streamed. */
  content: Blob | Uint8Array<ArrayBuffer>;
}

/**
 * Sends an object to a signed URL.
 * @throws ApiError, PilothouseError UNAVAILABLE
 */
export async function uploadFile(
  fetchUrl: typeof fetch,
  { method, url, headers }: Transfer,
  content: Blob,
  signal?: AbortSignal,
): Promise<void> {
  const response = await fetchUrl(url, {
    method,
    headers,
    body: content,
    ...(signal && { signal }),
  }).catch((thrown: unknown) => {
    if (signal?.aborted) throw thrown;
    throw networkError(new URL(url).origin, thrown);
  });
  if (!response.ok) throw await toApiError(response);
  await response.arrayBuffer();
}

export interface ClientOptions {
  /** Base URL of the API, e.g. `http://127.0.0.1:7100`. */
  url: string;
  /** An API key: `ph_...`. Optional if `headers` authenticate the caller. */
  key?: string;
  /** Headers of every request. */
  headers?: Readonly<Record<string, string>>;
  /** Default: that of the platform. */
  fetch?: typeof fetch;
}

/** The REST API, typed by its route table. */
export interface Client {
  readonly url: string;
  /**
   * Every operation by method and path. Throws ApiError for an error response and PilothouseError UNAVAILABLE
   * without a response, so `data` is always present: see `unwrapData`.
   */
  readonly api: RestApi;
  /** Events of a run until it has ended. Reconnects automatically. */
  events(run: string, options?: EventsOptions): AsyncGenerator<RunEvent, void, undefined>;
  /** States of a background job until it has ended. Reconnects automatically. */
  jobStates(job: string, options?: JobStatesOptions): AsyncGenerator<Job, void, undefined>;
  /** A2UI messages of a run until it has ended. Reconnects automatically. */
  a2ui(run: string, options?: A2uiOptions): AsyncGenerator<A2uiMessage, void, undefined>;
  /** Submits a run and yields its A2UI messages until it has ended. The run continues if the iteration stops. */
  submitA2ui(body: SubmitA2uiBody, options?: SubmitA2uiOptions): AsyncGenerator<A2uiMessage, void, undefined>;
  /**
   * Waits until the run has ended.
   * @param options.seconds maximum wait (default: unlimited)
   * @throws PilothouseError UNAVAILABLE when it has not ended by then; the reason of the signal
   */
  waitForEnd(run: string, options?: { seconds?: number; signal?: AbortSignal }): Promise<RunView>;
  /** Uploads a file. Its `id` is the value of an input of type `file`. */
  upload(file: UploadFile, options?: { signal?: AbortSignal }): Promise<UploadView>;
}

/** Seconds of one long poll: below the idle timeout of common proxies. */
const POLL_SECONDS = 25;

/** Returns the body of a response: `await unwrapData(client.api.GET('/v1/me'))`. */
export async function unwrapData<Data>(answer: Promise<{ data?: Data }>): Promise<NonNullable<Data>> {
  const { data } = await answer;
  if (data === undefined || data === null) throw new PilothouseError('INTERNAL', 'The answer has no body');
  return data;
}

/** Creates a client of the REST API. Sends no request. */
export function createClient({
  url: baseUrl,
  key,
  headers: extraHeaders,
  fetch: fetchUrl = fetch,
}: ClientOptions): Client {
  const url = baseUrl.replace(/\/+$/, '');
  const headers = { ...extraHeaders, ...(key !== undefined && { authorization: `Bearer ${key}` }) };
  const transport = createFetch({ baseUrl: url, headers, fetch: (request) => fetchUrl(request) });
  transport.use({
    async onResponse({ response }) {
      if (!response.ok) throw await toApiError(response);
      return undefined;
    },
    onError({ error, request }) {
      if (request.signal.aborted || error instanceof PilothouseError) return undefined;
      return networkError(url, error);
    },
  });
  const api = transport as unknown as RestApi;
  const source = { url, headers, fetch: fetchUrl };
  return {
    url,
    api,
    events: (run, options) => runEvents(source, run, options),
    jobStates: (job, options) => jobStates(source, job, options),
    a2ui: (run, options) => watchA2ui(source, run, options),
    submitA2ui: (body, options) => submitA2ui(source, body, options),
    waitForEnd: (run, options) => waitForEnd(api, run, options),
    upload: (file, options) => upload(api, fetchUrl, file, options),
  };
}

async function waitForEnd(
  api: RestApi,
  run: string,
  { seconds = Infinity, signal }: { seconds?: number; signal?: AbortSignal } = {},
): Promise<RunView> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const remainingSeconds = Math.max(0, Math.ceil((deadline - performance.now()) / 1000));
    const query = { wait: Math.min(POLL_SECONDS, remainingSeconds) };
    const view = await unwrapData(api.GET('/v1/runs/{run}', { params: { path: { run }, query }, signal }));
    if (isTerminal(view.status)) return view;
    if (performance.now() >= deadline) {
      throw new PilothouseError(
        'UNAVAILABLE',
        `The run ${run} has not ended within ${seconds} s; it is ${view.status}`,
      );
    }
  }
}

async function upload(
  api: RestApi,
  fetchUrl: typeof fetch,
  { name, contentType = 'application/octet-stream', content }: UploadFile,
  { signal }: { signal?: AbortSignal } = {},
): Promise<UploadView> {
  // The blob has no type, so only the content type of the transfer is sent.
  const blob = new Blob([content]);
  const body = { name, contentType, size: blob.size };
  const view = await unwrapData(api.POST('/v1/uploads', { body, signal }));
  await uploadFile(fetchUrl, view.transfer, blob, signal);
  return view;
}
