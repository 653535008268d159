import { defaultStatus, type RouteDefinition } from '@pilothouse/contract/api/route-definition';
import { routeList, routes, type RouteName } from '@pilothouse/contract/api/route-table';
import { errorDefinition } from '@pilothouse/contract/errors/error-codes';
import { fieldErrors } from '@pilothouse/contract/errors/field-errors';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { Job } from '@pilothouse/contract/job/job.schema';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parse } from 'yaml';
import type { z } from 'zod';

/** A request validated by the contract. */
export interface ReceivedRequest {
  readonly route: RouteName;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** The raw body. */
  readonly text: string;
  readonly headers: IncomingMessage['headers'];
}

/** Events of a run for SSE. `open`: the stream stays open after the last event. */
export interface EventStream {
  readonly events: readonly RunEvent[];
  readonly open?: boolean;
}

type Handler = (request: ReceivedRequest) => unknown;

export const KEY = 'ph_spec_0123456789abcdef';

/**
 * A server that follows the contract. It validates requests and its own responses, which specs provide. apps/e2e tests
 * the real installation.
 */
export class ApiFixture {
  readonly requests: ReceivedRequest[] = [];
  readonly handlers: Partial<Record<RouteName, Handler>> = {};
  private readonly server: Server = createServer((request, response) => void this.answer(request, response));

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this.url;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  /** The requests of one route. */
  of(route: RouteName): ReceivedRequest[] {
    return this.requests.filter((request) => request.route === route);
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = new URL(request.url ?? '/', this.url);
      const { name, params, definition } = find(request.method ?? 'GET', url.pathname);
      if (definition.role !== 'public' && request.headers.authorization !== `Bearer ${KEY}`)
        throw new PilothouseError('UNAUTHENTICATED', 'Give a valid API key');
      const bytes = await bytesOf(request);
      const received: ReceivedRequest = {
        route: name,
        params,
        query: parseOrThrow(definition.query, queryOf(url), 'query/'),
        body: bodyOf(bytes, definition),
        text: bytes.toString(),
        headers: request.headers,
      };
      this.requests.push(received);
      const handler = this.handlers[name];
      if (!handler) throw new PilothouseError('NOT_FOUND', `The spec does not answer ${name}`);
      send(response, definition, name, handler(received), received);
    } catch (thrown) {
      problem(response, thrown);
    }
  }
}

function find(method: string, path: string) {
  for (const { name, ...definition } of routeList) {
    const names: string[] = [];
    const pattern = definition.path.replace(/\{(\w+)(\*?)\}/g, (_all, param: string, rest: string) => {
      names.push(param);
      return rest ? '(.+)' : '([^/]+)';
    });
    const match = definition.method === method ? new RegExp(`^${pattern}$`).exec(path) : null;
    if (!match) continue;
    const params = Object.fromEntries(names.map((param, index) => [param, decodeURIComponent(match[index + 1] ?? '')]));
    return { name: name as RouteName, params, definition: routes[name as RouteName] as RouteDefinition };
  }
  throw new PilothouseError('NOT_FOUND', `There is no ${method} ${path}`);
}

const queryOf = ({ searchParams }: URL) =>
  Object.fromEntries(
    [...new Set(searchParams.keys())].map((name) => {
      const paramValues = searchParams.getAll(name);
      return [name, paramValues.length > 1 ? paramValues : paramValues[0]];
    }),
  );

function parseOrThrow(schema: z.ZodType | undefined, value: unknown, base = ''): Record<string, unknown> {
  const parsed = schema?.safeParse(value);
  if (!parsed) return {};
  if (parsed.success) return parsed.data as Record<string, unknown>;
  const fields = fieldErrors(parsed.error).map((field) => ({ ...field, pointer: base + field.pointer }));
  throw new PilothouseError('VALIDATION_FAILED', 'The request is invalid', { fields });
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function bodyOf(bytes: Buffer, { body: schema, yaml }: RouteDefinition): unknown {
  if (schema === 'stream') return bytes;
  if (schema === undefined) return undefined;
  const text = bytes.toString();
  const value = text === '' ? undefined : yaml ? parse(text) : JSON.parse(text);
  return value === undefined ? value : parseOrThrow(schema, value);
}

function send(
  response: ServerResponse,
  definition: RouteDefinition,
  name: RouteName,
  answer: unknown,
  received: ReceivedRequest,
): void {
  if (answer instanceof PilothouseError) throw answer;
  if (name === 'listRunEvents') return sendEvents(response, answer as EventStream, received);
  if (name === 'streamJob') return sendJobs(response, answer as readonly Job[]);
  if (Buffer.isBuffer(answer)) {
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(answer);
    return;
  }
  const status = defaultStatus(definition);
  const body = definition.responses[status]?.schema?.parse(answer);
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(body === undefined ? '' : JSON.stringify(body));
}

function sendEvents(
  response: ServerResponse,
  { events, open }: EventStream,
  { query, headers }: ReceivedRequest,
): void {
  const lastSeq = Number(headers['last-event-id'] ?? query.after ?? 0);
  const rest = events.filter(({ seq }) => seq > lastSeq);
  if (query.format === 'json' || headers.accept === 'application/json') {
    const last = rest.at(-1)?.seq ?? lastSeq;
    const body = { items: rest, after: last, end: !open };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of rest) response.write(`id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`);
  if (open) response.write(': here\n\n');
  else response.end('event: end\ndata: {}\n\n');
}

/** Sends the states of a job. Without a last state that has ended, the connection breaks. */
function sendJobs(response: ServerResponse, states: readonly Job[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const [index, job] of states.entries()) response.write(`id: ${index}\ndata: ${JSON.stringify(job)}\n\n`);
  const status = states.at(-1)?.status;
  response.end(status === 'queued' || status === 'running' ? '' : 'event: end\ndata: {}\n\n');
}

function problem(response: ServerResponse, thrown: unknown): void {
  const error = thrown instanceof PilothouseError ? thrown : new PilothouseError('INTERNAL', String(thrown));
  const { title, http, retry } = errorDefinition(error.code);
  const body = {
    type: `urn:${error.code}`,
    title,
    status: http,
    detail: error.message,
    code: error.code,
    retry,
    errors: error.fields,
  };
  response.writeHead(http, { 'content-type': 'application/problem+json' }).end(JSON.stringify(body));
}
