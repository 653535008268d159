import {
  PilothouseError,
  problemSchema,
  runEventSchema,
  routes,
  type RouteDefinition,
  type RouteName,
  type RouteOutput,
  type RunEvent,
  type Transfer,
  toPilothouseError,
} from '@pilothouse/contract';
import type { Connection } from '../house/connection.ts';
import { Unreachable } from './problem.ts';

const REQUEST_MS = 90_000;

interface Ask {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export class Http {
  private readonly connection: Connection;
  constructor(connection: Connection) {
    this.connection = connection;
  }

  get url(): string {
    return this.connection.url;
  }

  async call<Name extends RouteName>(
    name: Name,
    ask: Ask = {},
  ): Promise<NonNullable<RouteOutput<(typeof routes)[Name]>>> {
    const response = await this.send(
      name,
      ask,
      'application/json',
      AbortSignal.any([AbortSignal.timeout(REQUEST_MS), ...(ask.signal ? [ask.signal] : [])]),
    );
    return (await response.json()) as NonNullable<RouteOutput<(typeof routes)[Name]>>;
  }

  async *events(run: string, signal?: AbortSignal): AsyncGenerator<RunEvent> {
    const response = await this.send('listRunEvents', { params: { run } }, 'text/event-stream', signal);
    if (response.status === 204 || !response.body) return;
    let text = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const message = text.slice(0, end);
        text = text.slice(end + 2);
        if (/^event: end$/m.test(message)) return;
        const data = /^data: (.*)$/m.exec(message)?.[1];
        if (data) yield runEventSchema.parse(JSON.parse(data));
      }
    }
  }

  private async send(name: RouteName, ask: Ask, accept: string, signal?: AbortSignal): Promise<Response> {
    const { method, path } = routes[name] as RouteDefinition;
    const filled = path.replace(/\{(\w+)\}/g, (_all, param: string) => encodeURIComponent(ask.params?.[param] ?? ''));
    const url = new URL(this.connection.url + filled);
    for (const [key, value] of Object.entries(ask.query ?? {}))
      for (const one of [value ?? []].flat()) url.searchParams.append(key, String(one));
    const response = await fetch(url, {
      method,
      headers: {
        accept,
        authorization: `Bearer ${this.connection.apiKey}`,
        ...(ask.body !== undefined && { 'content-type': 'application/json' }),
        ...ask.headers,
      },
      ...(ask.body !== undefined && { body: JSON.stringify(ask.body) }),
      signal,
    }).catch((thrown: unknown) => {
      ask.signal?.throwIfAborted();
      throw new Unreachable(this.connection.url, thrown);
    });
    if (response.ok) return response;
    const problem = problemSchema.safeParse(await response.json().catch(() => null));
    if (!problem.success) throw toPilothouseError(new Error(`The API answered ${response.status}`));
    const { code, detail, title, errors } = problem.data;
    throw new PilothouseError(code, detail ?? title, { fields: errors });
  }
}

export async function sendFile({ method, url, headers, fields }: Transfer, base: string, content: Blob): Promise<void> {
  let body: FormData | Blob = content;
  if (fields) {
    body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    body.append('file', content);
  }
  const response = await fetch(new URL(url, base), { method, headers, body, signal: AbortSignal.timeout(600_000) });
  if (!response.ok) throw new PilothouseError('UPLOAD_FAILED', `The store refused the file with ${response.status}`);
}
