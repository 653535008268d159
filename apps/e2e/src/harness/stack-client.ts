import { sseMessages, type SseMessage } from '@pilothouse/client';
import { artifactsSchema, runStepsSchema } from '@pilothouse/contract/api/runs.routes';
import { problemSchema } from '@pilothouse/contract/errors/pilothouse-error';
import { runEventSchema, type RunEvent } from '@pilothouse/contract/events/event-log.schema';
import {
  uploadViewSchema,
  type ArtifactView,
  type Transfer,
  type UploadView,
} from '@pilothouse/contract/run/artifact.schema';
import { isTerminal } from '@pilothouse/contract/run/run-status';
import { runViewSchema, type RunStepView, type RunView } from '@pilothouse/contract/run/run.schema';

/** Options of a request except for its body. */
interface RequestOptions {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** REST client with an API key. Shares the response schemas and the SSE parser with the product. */
export class Client {
  readonly url: string;
  readonly key: string;

  constructor(url: string, key: string) {
    this.url = url;
    this.key = key;
  }

  /** Any request, with the key. */
  async request(path: string, { method = 'GET', body, headers = {}, signal }: RequestOptions = {}): Promise<Response> {
    return fetch(this.url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: signal ?? AbortSignal.timeout(90_000),
    });
  }

  /**
   * The JSON of a successful response.
   * @throws Error with the problem otherwise
   */
  async json(path: string, request: RequestOptions = {}): Promise<unknown> {
    const response = await this.request(path, request);
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    const problem = problemSchema.safeParse(JSON.parse(text || 'null'));
    const reason = problem.success ? `${problem.data.code}: ${problem.data.detail ?? problem.data.title}` : text;
    throw new Error(`${request.method ?? 'GET'} ${path} answered ${response.status}: ${reason}`);
  }

  async submit(body: object, headers: Readonly<Record<string, string>> = {}): Promise<RunView> {
    return runViewSchema.parse(await this.json('/v1/runs', { method: 'POST', body, headers }));
  }

  /** Creates the first user, who is an admin. The key of this client must be an admin's. */
  async createFirstUser(user: { name: string; email: string; password: string }): Promise<void> {
    const { name, email, password } = user;
    await this.json('/v1/setup', { method: 'POST', body: { code: this.key, name, email, password } });
  }

  async run(id: string): Promise<RunView> {
    return runViewSchema.parse(await this.json(`/v1/runs/${id}`));
  }

  async cancel(id: string): Promise<RunView> {
    return runViewSchema.parse(await this.json(`/v1/runs/${id}/cancel`, { method: 'POST' }));
  }

  /** The run once it has ended. */
  async waitForEnd(id: string, ms = 120_000): Promise<RunView> {
    const deadline = performance.now() + ms;
    for (;;) {
      const wait = Math.max(0, Math.min(30, Math.floor((deadline - performance.now()) / 1000)));
      const run = runViewSchema.parse(await this.json(`/v1/runs/${id}?wait=${wait}`));
      if (isTerminal(run.status)) return run;
      if (performance.now() > deadline) throw new Error(`The run is still ${run.status} after ${ms / 1000} s`);
    }
  }

  async steps(id: string): Promise<RunStepView[]> {
    return runStepsSchema.parse(await this.json(`/v1/runs/${id}/steps`)).items;
  }

  async artifacts(id: string): Promise<ArtifactView[]> {
    return artifactsSchema.parse(await this.json(`/v1/runs/${id}/artifacts`)).items;
  }

  /** Text of a run's artifact with this name; null: there is none. */
  async artifactText(id: string, name: string): Promise<string | null> {
    const artifact = (await this.artifacts(id)).find((each) => each.name === name);
    return artifact ? (await fetch(artifact.url)).text() : null;
  }

  /** The messages of a run stream, as they arrive, to its end. */
  async *stream(
    id: string,
    { after, signal }: { after?: number; signal?: AbortSignal } = {},
  ): AsyncGenerator<SseMessage> {
    const headers: Record<string, string> = { accept: 'text/event-stream' };
    if (after !== undefined) headers['last-event-id'] = String(after);
    const response = await this.request(`/v1/runs/${id}/events`, { headers, signal });
    if (!response.ok) throw new Error(`The stream answered ${response.status}: ${await response.text()}`);
    if (response.body) yield* sseMessages(response.body);
  }

  /** All events of an ended run, from its stream. */
  async events(id: string): Promise<RunEvent[]> {
    const events: RunEvent[] = [];
    for await (const message of this.stream(id)) {
      if (message.event === 'end') break;
      if (message.event === 'agent-thinking') continue;
      const event = runEventSchema.parse(JSON.parse(message.data));
      if (message.id !== String(event.seq)) throw new Error(`Message ${message.id} has event ${event.seq}`);
      events.push(event);
    }
    return events;
  }

  /** The first matching event of a run, as soon as it arrives. */
  async waitForEvent(id: string, isMatch: (event: RunEvent) => boolean, ms = 90_000): Promise<RunEvent> {
    const stop = AbortSignal.timeout(ms);
    for await (const { event, data } of this.stream(id, { signal: stop })) {
      if (event === 'end') break;
      if (event === 'agent-thinking') continue;
      const streamedEvent = runEventSchema.parse(JSON.parse(data));
      if (isMatch(streamedEvent)) return streamedEvent;
    }
    throw new Error('The run ended without that event');
  }

  /** Uploads a file for an input. */
  async upload(name: string, contentType: string, content: Buffer): Promise<UploadView> {
    const body = { name, contentType, size: content.length };
    const upload = uploadViewSchema.parse(await this.json('/v1/uploads', { method: 'POST', body }));
    const response = await sendTransfer(upload.transfer, content);
    if (!response.ok) throw new Error(`The upload was refused with ${response.status}: ${await response.text()}`);
    return upload;
  }
}

/** Sends a body as a transfer describes. */
export async function sendTransfer({ method, url, headers }: Transfer, content: Buffer): Promise<Response> {
  const bytes = new Uint8Array(content);
  return fetch(url, { method, headers, body: bytes });
}
