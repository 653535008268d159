import { parseCookie, stringifySetCookie } from 'cookie';
import type { IncomingHttpHeaders } from 'node:http';
import { PilothouseError } from '@pilothouse/contract';
import { hashToken, constantTimeEqual } from '@pilothouse/infra-vault';

/** Name over TLS. The prefix binds the cookie to this host; neighboring hosts cannot set it. */
const SECURE_NAME = '__Host-pilothouse';
const NAME = 'pilothouse';

/** Returns whether browsers reach the API over TLS. @param origin of the request */
const isSecure = (origin: string) => origin.startsWith('https:');

/** Reads the session of a Cookie header. Returns null if there is none that can be trusted at this origin. */
export function readSessionCookie(header: string | undefined, origin: string): string | null {
  const cookies = parseCookie(header ?? '');
  return cookies[SECURE_NAME] ?? (isSecure(origin) ? null : cookies[NAME]) ?? null;
}

/** Returns a Set-Cookie header. @param seconds lifetime in the browser; 0 deletes the cookie */
export const serializeSessionCookie = (token: string, origin: string, seconds: number): string =>
  stringifySetCookie({
    name: isSecure(origin) ? SECURE_NAME : NAME,
    value: token,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    maxAge: seconds,
    secure: isSecure(origin),
  });

/** Methods that change nothing, so that a page of a stranger gains nothing by them. */
const HARMLESS = new Set(['GET', 'HEAD']);

/** What a page has to send along to change something in a session. Derived, so that nothing is stored; who has it cannot find the cookie. */
export const csrfTokenFor = (token: string) => hashToken(`csrf:${token}`);

/**
 * Refuses what a page of another site had a browser send. What is no browser sends neither header.
 * @param origin where the browser asked
 * @throws PilothouseError FORBIDDEN
 */
export function requireSameOrigin(headers: IncomingHttpHeaders, origin: string): void {
  const site = headers['sec-fetch-site'];
  const from = headers.origin;
  const same =
    site === undefined
      ? from === undefined || hostOf(from) === hostOf(origin)
      : site === 'same-origin' || site === 'none';
  if (!same) throw new PilothouseError('FORBIDDEN', 'This was sent by a page of another site');
}

/**
 * Refuses a change in a session that does not come from our own pages: a browser sends the cookie along whoever made the request.
 * @throws PilothouseError FORBIDDEN
 */
export function requireCsrfToken(method: string, headers: IncomingHttpHeaders, origin: string, token: string): void {
  if (HARMLESS.has(method)) return;
  requireSameOrigin(headers, origin);
  const given = headers['pilothouse-csrf'];
  if (typeof given !== 'string' || !constantTimeEqual(given, csrfTokenFor(token))) {
    throw new PilothouseError('FORBIDDEN', 'Send `csrf` of GET /v1/sessions/current as header `Pilothouse-Csrf`');
  }
}

/** Scheme apart: what ends TLS before us may not say so. */
const hostOf = (origin: string) => (URL.canParse(origin) ? new URL(origin).host : origin);
