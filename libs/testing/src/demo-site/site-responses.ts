import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Html } from './html.ts';

/** A response. The parts of `body` are sent one by one, the first one immediately. */
export interface Reply {
  status: number;
  headers: OutgoingHttpHeaders;
  body: readonly string[];
}

// Strict content policy: no external or inline content, frames only from this site.
const POLICY = [
  "default-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'self'",
  "object-src 'none'",
].join('; ');

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'cache-control': 'no-store',
};

export function page(markup: Html, status = 200): Reply {
  return { status, headers: PAGE_HEADERS, body: [markup.markup] };
}

/** A page that is sent in two chunks, first the shell up to the end of `main`, then the rest. */
export function streamedPage(markup: Html): Reply {
  const [shell = '', ...rest] = markup.markup.split(/(?=<\/main>)/);
  return { status: 200, headers: PAGE_HEADERS, body: [shell, ...rest] };
}

export function json(data: unknown, status = 200): Reply {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  return { status, headers, body: [JSON.stringify(data)] };
}

export function redirect(location: string, headers: OutgoingHttpHeaders = {}): Reply {
  return { status: 303, headers: { ...headers, location, 'cache-control': 'no-store' }, body: [] };
}

export function empty(status: number): Reply {
  return { status, headers: {}, body: [] };
}

/** A file download. `name` must be plain ASCII without quotes. */
export function download(name: string, type: string, content: string): Reply {
  const headers = {
    'content-type': type,
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'no-store',
  };
  return { status: 200, headers, body: [content] };
}

export function send(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    ...reply.headers,
  });
  for (const part of reply.body) response.write(part);
  response.end();
}
