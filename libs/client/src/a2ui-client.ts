import type { A2uiVersion } from '@pilothouse/contract/a2ui/a2ui-versions';
import type { A2uiMessage } from '@pilothouse/contract/a2ui/a2ui.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { SubmitA2uiBody } from './rest-api.ts';
import {
  FIRST_DELAY_MS,
  MAX_DELAY_MS,
  sleep,
  sseConnection,
  type SseRequest,
  type SseSource,
} from './sse-connection.ts';

export interface A2uiOptions {
  /** Default: `0.9`. */
  version?: A2uiVersion;
  /** Ends the iteration, without an error. The run continues. */
  signal?: AbortSignal;
}

export interface SubmitA2uiOptions {
  /** Default: a random key, so that a repeated request does not start a second run. */
  idempotencyKey?: string;
  /** Receives the id of the run before its first message. */
  onRun?: (run: string) => void;
  /** Ends the iteration, without an error. The run continues. */
  signal?: AbortSignal;
}

/** Yields the A2UI messages of a run until it has ended. @throws ApiError when a retry cannot succeed */
export const watchA2ui = (source: SseSource, run: string, { version = '0.9', signal }: A2uiOptions = {}) =>
  streamMessages(source, { path: `/v1/runs/${encodeURIComponent(run)}/a2ui?a2ui=${version}` }, signal);

/**
 * Submits a run and yields its A2UI messages until it has ended. A broken connection resumes at the stream of the run.
 * @throws ApiError when a retry cannot succeed
 */
export const submitA2ui = (
  source: SseSource,
  body: SubmitA2uiBody,
  { idempotencyKey = crypto.randomUUID(), onRun, signal }: SubmitA2uiOptions = {},
) =>
  streamMessages(
    source,
    { path: '/v1/a2ui/runs', body, headers: { 'idempotency-key': idempotencyKey } },
    signal,
    (path) => {
      const run = /^\/v1\/runs\/([^/]+)\/a2ui/.exec(path)?.[1];
      if (run !== undefined) onRun?.(decodeURIComponent(run));
    },
  );

/**
 * Yields the messages of a stream across connections. Only the last message of an event has an id. After a broken
 * connection, the messages of an incomplete event are repeated. Without any id, the stream restarts with a new surface.
 * @param onLocation receives the path at which the stream resumes
 */
async function* streamMessages(
  source: SseSource,
  first: SseRequest,
  signal: AbortSignal | undefined,
  onLocation?: (path: string) => void,
): AsyncGenerator<A2uiMessage, void, undefined> {
  let request: SseRequest = first;
  let lastId: string | null = null;
  let delayMs = FIRST_DELAY_MS;
  const isStopped = () => signal?.aborted === true;
  const onResponse = ({ headers }: Response) => {
    const location = headers.get('location');
    if (location === null || request.path === location) return;
    request = { path: location };
    onLocation?.(location);
  };
  while (!isStopped()) {
    try {
      const requestHeaders: SseRequest['headers'] =
        lastId === null ? request.headers : { ...request.headers, 'last-event-id': lastId };
      for await (const message of sseConnection(source, { ...request, headers: requestHeaders, onResponse }, signal)) {
        if (message === 'end') return;
        delayMs = FIRST_DELAY_MS;
        lastId = message.id ?? lastId;
        yield JSON.parse(message.data) as A2uiMessage;
      }
    } catch (error) {
      if (isStopped()) return;
      if (error instanceof SyntaxError || (error instanceof PilothouseError && error.retry !== 'same-request'))
        throw error;
    }
    if (isStopped()) return;
    // Jitter: clients of the same server do not reconnect at the same time.
    await sleep(delayMs * (0.5 + Math.random() / 2), signal);
    delayMs = Math.min(delayMs * 2, MAX_DELAY_MS);
  }
}
