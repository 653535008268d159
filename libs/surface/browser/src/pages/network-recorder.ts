import type { ConsoleLine, HarEntry } from '@pilothouse/contract/run/capture.schema';
import { systemClock, type Clock } from '@pilothouse/core/ports/runtime.port';
import type { NetworkSink } from '@pilothouse/core/ports/surface-recorders.port';
import type { Page, Request, Response } from 'playwright-core';

interface NameValue {
  readonly name: string;
  readonly value: string;
}

type Content = HarEntry['response']['content'];

/** Content types of text. */
const TEXT_TYPES = /^text\/|[/+](?:json|xml|javascript|ecmascript|x-www-form-urlencoded)\b|^image\/svg/i;

/** Records the network traffic of a page as HAR entries, without sockets and requests of service workers. */
export function recordNetwork(
  page: Page,
  { onExchange: over, maxBodyBytes: bodies }: NetworkSink,
  clock = systemClock,
): void {
  // A page that is closed meanwhile reports nothing more.
  page.on('requestfinished', (request) => over(toHarEntry(request, bodies, clock).catch(() => null)));
  page.on('requestfailed', (request) => over(toHarEntry(request, bodies, clock).catch(() => null)));
}

async function toHarEntry(request: Request, bodies: number, clock: Clock): Promise<HarEntry> {
  const [headers, response] = await Promise.all([request.headersArray(), request.response()]);
  const { startTime, responseEnd } = request.timing();
  const httpVersion = response ? await response.httpVersion() : '';
  const sizes = await request.sizes().catch(() => null);
  const url = new URL(request.url());
  const address = await response?.serverAddr().catch(() => null);
  return {
    startedDateTime: (startTime > 0 ? new Date(startTime) : clock.now()).toISOString(),
    time: Math.max(0, responseEnd),
    request: {
      method: request.method(),
      url: url.href.slice(0, url.href.length - url.hash.length),
      httpVersion,
      cookies: headerValues(headers, 'cookie').flatMap((line) => line.split(';').map((part) => parsePair(part.trim()))),
      headers: toNameValues(headers),
      queryString: toNameValues([...url.searchParams].map(([name, value]) => ({ name, value }))),
      ...toPostData(request, headers, bodies),
      headersSize: sizes?.requestHeadersSize ?? -1,
      bodySize: sizes?.requestBodySize ?? -1,
    },
    response: response ? await toHarResponse(response, httpVersion, sizes, bodies) : emptyResponse(request),
    cache: {},
    timings: toTimings(request),
    ...(address && { serverIPAddress: address.ipAddress }),
  };
}

const toNameValues = (headers: readonly NameValue[]) => headers.map(({ name, value }) => ({ name, value }));
const headerValues = (headers: readonly NameValue[], headerName: string) =>
  headers.filter(({ name }) => name.toLowerCase() === headerName).map(({ value }) => value);

function parsePair(text: string): { name: string; value: string } {
  const separator = text.indexOf('=');
  return separator < 0
    ? { name: '', value: text }
    : { name: text.slice(0, separator), value: text.slice(separator + 1) };
}

function toPostData(
  request: Request,
  headers: readonly NameValue[],
  bodies: number,
): { postData?: HarEntry['request']['postData'] } {
  const bytes = request.postDataBuffer();
  if (!bytes) return {};
  const mimeType = headerValues(headers, 'content-type')[0] ?? '';
  const omission = omissionReason(mimeType, bytes.length, bodies);
  if (omission !== null) return { postData: { mimeType, params: [], text: '', comment: omission } };
  const text = bytes.toString('utf8');
  const isForm = /x-www-form-urlencoded/i.test(mimeType);
  const params = isForm ? [...new URLSearchParams(text)].map(([name, value]) => ({ name, value })) : [];
  return { postData: { mimeType, params, text } };
}

/**
 * Returns why a body is omitted; null if it is recorded. A body is never truncated: it could end within a secret,
 * which the masker would then miss.
 */
function omissionReason(mimeType: string, bytes: number, maxBytes: number): string | null {
  if (maxBytes === 0) return 'Bodies are not recorded';
  if (!TEXT_TYPES.test(mimeType)) return 'Only text bodies are recorded';
  return bytes > maxBytes ? `Only text bodies of up to ${maxBytes} bytes are recorded` : null;
}

async function toHarResponse(
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
    cookies: headerValues(headers, 'set-cookie').flatMap((lines) => lines.split('\n').map(parseCookie)),
    headers: toNameValues(headers),
    content: await readContent(response, headerValues(headers, 'content-type')[0] ?? '', size, bodies),
    redirectURL: headerValues(headers, 'location')[0] ?? '',
    headersSize: sizes?.responseHeadersSize ?? -1,
    bodySize: size,
  };
}

function parseCookie(line: string): HarEntry['response']['cookies'][number] {
  const [first = '', ...rest] = line.split(';').map((part) => part.trim());
  const attributes = new Map(
    rest
      .map((part) => parsePair(part.includes('=') ? part : `${part}=`))
      .map(({ name, value }) => [name.toLowerCase(), value]),
  );
  const path = attributes.get('path');
  const domain = attributes.get('domain');
  return {
    ...parsePair(first),
    ...(path !== undefined && { path }),
    ...(domain !== undefined && { domain }),
    httpOnly: attributes.has('httponly'),
    secure: attributes.has('secure'),
  };
}

async function readContent(
  response: Response,
  mimeType: string,
  transferSize: number,
  bodies: number,
): Promise<Content> {
  const omission = omissionReason(mimeType, transferSize, bodies);
  if (omission !== null) return { size: transferSize, mimeType, comment: omission };
  // A redirect has no body, and Chromium drops the bodies of a replaced document.
  const body = await response.body().catch(() => null);
  if (!body) return { size: transferSize, mimeType, comment: 'The body is no longer available' };
  // It may have been compressed.
  const bodyOmission = omissionReason(mimeType, body.length, bodies);
  if (bodyOmission !== null) return { size: body.length, mimeType, comment: bodyOmission };
  return { size: body.length, mimeType, text: body.toString('utf8') };
}

const emptyResponse = (request: Request): HarEntry['response'] => ({
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

function toTimings(request: Request): HarEntry['timings'] {
  const timing = request.timing();
  const duration = (start: number, end: number) => (start < 0 || end < 0 ? -1 : Math.max(0, end - start));
  return {
    blocked: -1,
    dns: duration(timing.domainLookupStart, timing.domainLookupEnd),
    connect: duration(timing.connectStart, timing.connectEnd),
    ssl: duration(timing.secureConnectionStart, timing.connectEnd),
    send: 0,
    wait: Math.max(0, duration(timing.requestStart, timing.responseStart)),
    receive: Math.max(0, duration(timing.responseStart, timing.responseEnd)),
  };
}

/** Records the console of a page and its uncaught errors. */
export function recordConsole(page: Page, onLine: (line: ConsoleLine) => void, clock = systemClock): void {
  page.on('console', (message) => {
    const { url, line, column } = message.location();
    const time = new Date(message.timestamp()).toISOString();
    onLine({
      at: time,
      type: message.type(),
      text: message.text(),
      page: page.url(),
      location: `${url}:${line}:${column}`,
    });
  });
  page.on('pageerror', (error) => {
    const time = clock.now().toISOString();
    onLine({ at: time, type: 'uncaught', text: error.stack ?? error.message, page: page.url(), location: null });
  });
}
