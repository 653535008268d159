import { MAX_RESPONSE_BYTES, PilothouseError, type HttpRequestStep, type Json } from '@pilothouse/contract';
import type { ActionServices, ActionOutcome } from '@pilothouse/core';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { getCACertificates } from 'node:tls';

/** Maximum redirects. Only safe methods follow them. */
const MOST_REDIRECTS = 10;
/** Maximum response headers that are stored. */
const MOST_HEADERS = 100;

type Context = Pick<ActionServices, 'signal' | 'guard' | 'reveal'>;

/** A request with resolved secrets. */
interface Ready {
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
  { proxy: proxyOf, trustedAuthorities, userAgent = 'Pilothouse' }: RequestRoute,
  context: Context,
): Promise<ActionOutcome> {
  const url = urlOf(step.url);
  const proxy = await proxyOf();
  // One connection per request: each destination is authorized once.
  const agents = {
    'http:': new HttpAgent({ proxyEnv: { HTTP_PROXY: proxy } }),
    'https:': new HttpsAgent({ proxyEnv: { HTTPS_PROXY: proxy }, ...trusting(trustedAuthorities) }),
  };
  try {
    const response = await follow(url, await readied(step, url.origin, context), { agents, userAgent }, context);
    const body = await bytesOf(response, step.maxBytes ?? MAX_RESPONSE_BYTES, url);
    context.signal.throwIfAborted();
    const value = valueOf(response, body);
    mustBeExpected(step, url, value);
    return { located: null, value };
  } catch (thrown) {
    context.signal.throwIfAborted();
    if (thrown instanceof PilothouseError) throw thrown;
    throw failed(url, `it was not answered: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  } finally {
    for (const agent of Object.values(agents)) agent.destroy();
  }
}

/** A custom list replaces the default one, so it includes Node's certificates. Reading these takes milliseconds and happens only if needed. */
const trusting = (trustedAuthorities: readonly string[]) =>
  trustedAuthorities.length > 0 && { ca: [...getCACertificates(), ...trustedAuthorities] };

const failed = (url: URL, why: string, details: Record<string, Json> = {}) =>
  new PilothouseError('REQUEST_FAILED', `${url.origin}${url.pathname}: ${why}`, { details });

function urlOf(text: string): URL {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url;
  throw new PilothouseError(
    'REQUEST_FAILED',
    `${text.slice(0, 200)} is no absolute http or https URL without a name and a password`,
  );
}

/** Resolves the secrets of the request, each for the origin that receives it. */
async function readied(
  { method = 'GET', headers = {}, body, json }: HttpRequestStep,
  origin: string,
  context: Context,
): Promise<Ready> {
  const reveal = (text: string) => context.reveal(text, origin);
  const own: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) own[name.toLowerCase()] = await reveal(value);
  if (json === undefined) return { method, headers: own, body: body === undefined ? undefined : await reveal(body) };
  return {
    method,
    headers: { 'content-type': 'application/json', ...own },
    body: JSON.stringify(await revealDeep(json, reveal)),
  };
}

async function revealDeep(value: Json, reveal: (text: string) => Promise<string>): Promise<Json> {
  if (typeof value === 'string') return reveal(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Promise.all(value.map((one) => revealDeep(one, reveal)));
  const entries = Object.entries(value).map(async ([name, one]) => [name, await revealDeep(one, reveal)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

interface Sending {
  readonly agents: { readonly 'http:': HttpAgent; readonly 'https:': HttpsAgent };
  readonly userAgent: string;
}

/** Sends the request and follows redirects of safe methods. Credentials are not sent to another origin. */
async function follow(first: URL, ready: Ready, sending: Sending, context: Context): Promise<IncomingMessage> {
  const mayFollow = ready.method === 'GET' || ready.method === 'HEAD';
  let url = first;
  for (let hop = 0; ; hop += 1) {
    const own = url.origin === first.origin ? ready : { method: ready.method, headers: {}, body: undefined };
    const response = await ask(url, own, sending, context);
    const { statusCode = 0, headers } = response;
    const next = headers.location === undefined ? null : URL.parse(headers.location, url);
    if (!mayFollow || !redirects.has(statusCode) || !next) return response;
    response.destroy();
    if (hop >= MOST_REDIRECTS) throw failed(first, `it redirects more than ${MOST_REDIRECTS} times`);
    url = urlOf(next.href);
  }
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Sends one request. Nothing is awaited between guard and write, so an aborted request sends nothing. */
function ask(
  url: URL,
  { method, headers, body }: Ready,
  { agents, userAgent }: Sending,
  { signal, guard }: Context,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options = { method, headers: { accept: '*/*', 'user-agent': userAgent, ...headers, ...length }, signal };
    const asked =
      url.protocol === 'https:'
        ? httpsRequest(url, { ...options, agent: agents['https:'] })
        : httpRequest(url, { ...options, agent: agents['http:'] });
    asked.once('response', resolve);
    asked.on('error', reject);
    const send = () => {
      try {
        guard();
        asked.end(body);
      } catch (refused) {
        reject(refused as Error);
        asked.destroy();
      }
    };
    asked.once('socket', (socket) => (socket.connecting ? socket.once('connect', send) : send()));
  });
}

async function bytesOf(response: IncomingMessage, most: number, url: URL): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > most) {
      response.destroy();
      throw failed(url, `the answer is larger than ${most} bytes (maxBytes)`, { limit: most });
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}

interface Answer extends Record<string, Json> {
  status: number;
  headers: Record<string, Json>;
  body: Json;
}

function valueOf({ statusCode = 0, headers }: IncomingMessage, bytes: Buffer): Answer {
  const kept = Object.entries(headers)
    .filter(([name]) => name !== 'set-cookie')
    .slice(0, MOST_HEADERS)
    .map(([name, value]) => [name, String(value)] as const);
  const text = bytes.toString('utf8');
  const isJson = /[/+]json\b/i.test(headers['content-type'] ?? '');
  return { status: statusCode, headers: Object.fromEntries(kept), body: isJson ? (parsed(text) ?? text) : text };
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function mustBeExpected({ status }: HttpRequestStep, url: URL, { status: came, body }: Answer): void {
  const wanted = status === undefined ? undefined : [status].flat();
  if (wanted ? wanted.includes(came) : came >= 200 && came < 300) return;
  const said = (typeof body === 'string' ? body : JSON.stringify(body)).slice(0, 300);
  throw failed(url, `it answered ${came}, where ${wanted?.join(' or ') ?? '200 to 299'} is expected: ${said}`, {
    status: came,
  });
}
