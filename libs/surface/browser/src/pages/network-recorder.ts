import type { ConsoleLine, HarEntry } from '@pilothouse/contract';
import type { NetworkSink } from '@pilothouse/core';
import type { Page, Request, Response } from 'playwright-core';

interface Pair {
  readonly name: string;
  readonly value: string;
}

type Content = HarEntry['response']['content'];

/** What is text, by its type. */
const TEXT = /^text\/|[/+](?:json|xml|javascript|ecmascript|x-www-form-urlencoded)\b|^image\/svg/i;

/** Tells what a page asks for and gets, as entries of an archive. Sockets and what a service worker asks for are not among them. */
export function recordNetwork(page: Page, { over, bodies }: NetworkSink): void {
  /* A page that is gone meanwhile tells nothing more. */
  page.on('requestfinished', (request) => over(entryOf(request, bodies).catch(() => null)));
  page.on('requestfailed', (request) => over(entryOf(request, bodies).catch(() => null)));
}

async function entryOf(request: Request, bodies: number): Promise<HarEntry> {
  const [headers, response] = await Promise.all([request.headersArray(), request.response()]);
  const { startTime, responseEnd } = request.timing();
  const httpVersion = response ? await response.httpVersion() : '';
  const sizes = await request.sizes().catch(() => null);
  const url = new URL(request.url());
  const address = await response?.serverAddr().catch(() => null);
  return {
    startedDateTime: new Date(startTime > 0 ? startTime : Date.now()).toISOString(),
    time: Math.max(0, responseEnd),
    request: {
      method: request.method(),
      url: url.href.slice(0, url.href.length - url.hash.length),
      httpVersion,
      cookies: named(headers, 'cookie').flatMap((line) => line.split(';').map((part) => pairOf(part.trim()))),
      headers: pairs(headers),
      queryString: pairs([...url.searchParams].map(([name, value]) => ({ name, value }))),
      ...postOf(request, headers, bodies),
      headersSize: sizes?.requestHeadersSize ?? -1,
      bodySize: sizes?.requestBodySize ?? -1,
    },
    response: response ? await answerOf(response, httpVersion, sizes, bodies) : noAnswer(request),
    cache: {},
    timings: timingsOf(request),
    ...(address && { serverIPAddress: address.ipAddress }),
  };
}

const pairs = (given: readonly Pair[]) => given.map(({ name, value }) => ({ name, value }));
const named = (headers: readonly Pair[], wanted: string) =>
  headers.filter(({ name }) => name.toLowerCase() === wanted).map(({ value }) => value);

function pairOf(text: string): { name: string; value: string } {
  const at = text.indexOf('=');
  return at < 0 ? { name: '', value: text } : { name: text.slice(0, at), value: text.slice(at + 1) };
}

function postOf(
  request: Request,
  headers: readonly Pair[],
  bodies: number,
): { postData?: HarEntry['request']['postData'] } {
  const bytes = request.postDataBuffer();
  if (!bytes) return {};
  const mimeType = named(headers, 'content-type')[0] ?? '';
  const left = leftOut(mimeType, bytes.length, bodies);
  if (left !== null) return { postData: { mimeType, params: [], text: '', comment: left } };
  const text = bytes.toString('utf8');
  const isForm = /x-www-form-urlencoded/i.test(mimeType);
  const params = isForm ? [...new URLSearchParams(text)].map(([name, value]) => ({ name, value })) : [];
  return { postData: { mimeType, params, text } };
}

/** Why a body is not kept; null when it is. A part of one is never kept: it may end in the middle of a secret, which nobody would know then. */
function leftOut(mimeType: string, bytes: number, most: number): string | null {
  if (most === 0) return 'Bodies are not kept';
  if (!TEXT.test(mimeType)) return 'Only texts are kept';
  return bytes > most ? `Only texts of up to ${most} bytes are kept` : null;
}

async function answerOf(
  response: Response,
  httpVersion: string,
  sizes: { responseBodySize: number; responseHeadersSize: number } | null,
  bodies: number,
): Promise<HarEntry['response']> {
  const headers = await response.headersArray();
  const size = sizes?.responseBodySize ?? -1;
  const status = response.status();
  return {
    status,
    statusText: response.statusText(),
    httpVersion,
    cookies: named(headers, 'set-cookie').flatMap((lines) => lines.split('\n').map(cookieOf)),
    headers: pairs(headers),
    content: await contentOf(response, named(headers, 'content-type')[0] ?? '', size, bodies),
    redirectURL: named(headers, 'location')[0] ?? '',
    headersSize: sizes?.responseHeadersSize ?? -1,
    bodySize: size,
  };
}

function cookieOf(line: string): HarEntry['response']['cookies'][number] {
  const [first = '', ...rest] = line.split(';').map((part) => part.trim());
  const told = new Map(
    rest
      .map((part) => pairOf(part.includes('=') ? part : `${part}=`))
      .map(({ name, value }) => [name.toLowerCase(), value]),
  );
  const path = told.get('path');
  const domain = told.get('domain');
  return {
    ...pairOf(first),
    ...(path !== undefined && { path }),
    ...(domain !== undefined && { domain }),
    httpOnly: told.has('httponly'),
    secure: told.has('secure'),
  };
}

async function contentOf(response: Response, mimeType: string, sent: number, bodies: number): Promise<Content> {
  const left = leftOut(mimeType, sent, bodies);
  if (left !== null) return { size: sent, mimeType, comment: left };
  /* A redirection has no body, and of a document that is gone Chromium has none any more. */
  const body = await response.body().catch(() => null);
  if (!body) return { size: sent, mimeType, comment: 'There is no body any more' };
  /* It may have come compressed. */
  const unpacked = leftOut(mimeType, body.length, bodies);
  if (unpacked !== null) return { size: body.length, mimeType, comment: unpacked };
  return { size: body.length, mimeType, text: body.toString('utf8') };
}

const noAnswer = (request: Request): HarEntry['response'] => ({
  status: 0,
  statusText: request.failure()?.errorText ?? '',
  httpVersion: '',
  cookies: [],
  headers: [],
  content: { size: 0, mimeType: 'x-unknown' },
  redirectURL: '',
  headersSize: -1,
  bodySize: -1,
});

function timingsOf(request: Request): HarEntry['timings'] {
  const timing = request.timing();
  const between = (from: number, to: number) => (from < 0 || to < 0 ? -1 : Math.max(0, to - from));
  return {
    blocked: -1,
    dns: between(timing.domainLookupStart, timing.domainLookupEnd),
    connect: between(timing.connectStart, timing.connectEnd),
    ssl: between(timing.secureConnectionStart, timing.connectEnd),
    send: 0,
    wait: Math.max(0, between(timing.requestStart, timing.responseStart)),
    receive: Math.max(0, between(timing.responseStart, timing.responseEnd)),
  };
}

/** Tells what a page writes to its console, and the errors that no script caught. */
export function recordConsole(page: Page, tell: (line: ConsoleLine) => void): void {
  page.on('console', (message) => {
    const { url, line, column } = message.location();
    const at = new Date(message.timestamp()).toISOString();
    tell({ at, type: message.type(), text: message.text(), page: page.url(), location: `${url}:${line}:${column}` });
  });
  page.on('pageerror', (error) => {
    const at = new Date().toISOString();
    tell({ at, type: 'uncaught', text: error.stack ?? error.message, page: page.url(), location: null });
  });
}
