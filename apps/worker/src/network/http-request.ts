import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { HttpRequestStep } from '@pilothouse/contract/workflow/parallel.schema';
import { MAX_RESPONSE_BYTES } from '@pilothouse/contract/workflow/simple-steps.schema';
import type { ActionServices } from '@pilothouse/core/ports/surface-action.port';
import type { CompletedOutcome } from '../actions/run-action.ts';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { getCACertificates } from 'node:tls';

/** Maximum redirects. Only safe methods follow them. */
const MAX_REDIRECTS = 10;
/** Maximum response headers that are stored. */
const MAX_HEADERS = 100;

type Context = Pick<ActionServices, 'signal' | 'guard' | 'reveal'>;

/** A request with resolved secrets. */
interface ResolvedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Transport options of a request. */
export interface RequestRoute {
  /** Address of the egress proxy of the run. */
  proxy(): Promise<string>;
  /** Certificates (PEM) of authorities that are trusted in addition to those of Node. */
  readonly trustedAuthorities: readonly string[];
  /** User-Agent of the run, unless the step sets another one (default: Pilothouse). */
  readonly userAgent: string | undefined;
}

/**
 * Sends the request of a step through the egress proxy of the run.
 * @returns value: status, headers, and the body as JSON or text
 * @throws PilothouseError REQUEST_FAILED for an invalid URL, an unexpected response or none; errors of the guard; the reason of the signal
 */
export async function sendHttpRequest(
  step: HttpRequestStep,
  { proxy: openProxy, trustedAuthorities, userAgent = 'Pilothouse' }: RequestRoute,
  context: Context,
): Promise<CompletedOutcome> {
  const url = parseUrl(step.url);
  const proxy = await openProxy();
  // One connection per request: each destination is authorized once.
  const agents = {
    'http:': new HttpAgent({ proxyEnv: { HTTP_PROXY: proxy } }),
    'https:': new HttpsAgent({ proxyEnv: { HTTPS_PROXY: proxy }, ...trustOptions(trustedAuthorities) }),
  };
  try {
    const response = await sendFollowingRedirects(
      url,
      await resolveRequest(step, url.origin, context),
      { agents, userAgent },
      context,
    );
    const body = await readBody(response, step.maxBytes ?? MAX_RESPONSE_BYTES, url);
    context.signal.throwIfAborted();
    const value = toResponse(response, body);
    assertExpectedStatus(step, url, value);
    const isSafe = step.method === undefined || step.method === 'GET' || step.method === 'HEAD';
    // The server answered with an accepted status.
    return { located: null, value, effect: isSafe ? 'none' : 'confirmed' };
  } catch (thrown) {
    context.signal.throwIfAborted();
    if (thrown instanceof PilothouseError) throw thrown;
    throw requestFailed(url, `no response: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  } finally {
    for (const agent of Object.values(agents)) agent.destroy();
  }
}

/** A custom list replaces the default one, so it includes Node's certificates. Reading these takes milliseconds and happens only if needed. */
const trustOptions = (trustedAuthorities: readonly string[]) =>
  trustedAuthorities.length > 0 && { ca: [...getCACertificates(), ...trustedAuthorities] };

const requestFailed = (url: URL, reason: string, details: Record<string, Json> = {}) =>
  new PilothouseError('REQUEST_FAILED', `${url.origin}${url.pathname}: ${reason}`, { details });

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url;
  throw new PilothouseError(
    'REQUEST_FAILED',
    `${text.slice(0, 200)} must be an absolute http or https URL without user and password`,
  );
}

/** Resolves the secrets of the request, each for the origin that receives it. */
async function resolveRequest(
  { method = 'GET', headers = {}, body, json }: HttpRequestStep,
  origin: string,
  context: Context,
): Promise<ResolvedRequest> {
  const reveal = (text: string) => context.reveal(text, origin);
  const resolvedHeaders: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) resolvedHeaders[name.toLowerCase()] = await reveal(value);
  if (json === undefined)
    return { method, headers: resolvedHeaders, body: body === undefined ? undefined : await reveal(body) };
  return {
    method,
    headers: { 'content-type': 'application/json', ...resolvedHeaders },
    body: JSON.stringify(await revealDeep(json, reveal)),
  };
}

async function revealDeep(value: Json, reveal: (text: string) => Promise<string>): Promise<Json> {
  if (typeof value === 'string') return reveal(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Promise.all(value.map((item) => revealDeep(item, reveal)));
  const entries = Object.entries(value).map(async ([name, item]) => [name, await revealDeep(item, reveal)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

interface Transport {
  readonly agents: { readonly 'http:': HttpAgent; readonly 'https:': HttpsAgent };
  readonly userAgent: string;
}

/** Sends the request and follows redirects of safe methods. Credentials are not sent to another origin. */
async function sendFollowingRedirects(
  first: URL,
  resolved: ResolvedRequest,
  transport: Transport,
  context: Context,
): Promise<IncomingMessage> {
  const mayFollow = resolved.method === 'GET' || resolved.method === 'HEAD';
  let url = first;
  for (let hop = 0; ; hop += 1) {
    const hopRequest =
      url.origin === first.origin ? resolved : { method: resolved.method, headers: {}, body: undefined };
    const response = await sendRequest(url, hopRequest, transport, context);
    const { statusCode = 0, headers } = response;
    const next = headers.location === undefined ? null : URL.parse(headers.location, url);
    if (!mayFollow || !REDIRECT_STATUSES.has(statusCode) || !next) return response;
    response.destroy();
    if (hop >= MAX_REDIRECTS) throw requestFailed(first, `more than ${MAX_REDIRECTS} redirects`);
    url = parseUrl(next.href);
  }
}

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Sends one request. Nothing is awaited between guard and write, so an aborted request sends nothing. */
function sendRequest(
  url: URL,
  { method, headers, body }: ResolvedRequest,
  { agents, userAgent }: Transport,
  { signal, guard }: Context,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options = { method, headers: { accept: '*/*', 'user-agent': userAgent, ...headers, ...length }, signal };
    const request =
      url.protocol === 'https:'
        ? httpsRequest(url, { ...options, agent: agents['https:'] })
        : httpRequest(url, { ...options, agent: agents['http:'] });
    request.once('response', resolve);
    request.on('error', reject);
    const send = () => {
      try {
        guard();
        request.end(body);
      } catch (thrown) {
        reject(thrown as Error);
        request.destroy();
      }
    };
    request.once('socket', (socket) => (socket.connecting ? socket.once('connect', send) : send()));
  });
}

async function readBody(response: IncomingMessage, maxBytes: number, url: URL): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      response.destroy();
      throw requestFailed(url, `the response is larger than ${maxBytes} bytes (maxBytes)`, { limit: maxBytes });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

interface HttpResponse extends Record<string, Json> {
  status: number;
  headers: Record<string, Json>;
  body: Json;
}

function toResponse({ statusCode = 0, headers }: IncomingMessage, bytes: Buffer): HttpResponse {
  const storedHeaders = Object.entries(headers)
    .filter(([name]) => name !== 'set-cookie')
    .slice(0, MAX_HEADERS)
    .map(([name, value]) => [name, String(value)] as const);
  const text = bytes.toString('utf8');
  const isJson = /[/+]json\b/i.test(headers['content-type'] ?? '');
  return {
    status: statusCode,
    headers: Object.fromEntries(storedHeaders),
    body: isJson ? (tryParseJson(text) ?? text) : text,
  };
}

function tryParseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function assertExpectedStatus(
  { status }: HttpRequestStep,
  url: URL,
  { status: actualStatus, body }: HttpResponse,
): void {
  const expectedStatuses = status === undefined ? undefined : [status].flat();
  if (expectedStatuses ? expectedStatuses.includes(actualStatus) : actualStatus >= 200 && actualStatus < 300) return;
  const excerpt = (typeof body === 'string' ? body : JSON.stringify(body)).slice(0, 300);
  throw requestFailed(
    url,
    `status ${actualStatus}, expected ${expectedStatuses?.join(' or ') ?? '200 to 299'}: ${excerpt}`,
    {
      status: actualStatus,
    },
  );
}
