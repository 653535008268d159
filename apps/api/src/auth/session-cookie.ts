import type { IncomingHttpHeaders } from 'node:http';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { hashToken, constantTimeEqual } from '@pilothouse/infra-vault';
import { isSecureOrigin, readCookie, serializeCookie } from '../http/cookies.ts';

/** Name over TLS. The prefix binds the cookie to this host; neighboring hosts cannot set it. */
const SECURE_NAME = '__Host-pilothouse';
const NAME = 'pilothouse';

/** Reads the session of a Cookie header. Returns null without a session that this origin can trust. */
export function readSessionCookie(header: string | undefined, origin: string): string | null {
  return readCookie(header, SECURE_NAME) ?? (isSecureOrigin(origin) ? null : readCookie(header, NAME));
}

/** Returns a Set-Cookie header. @param seconds lifetime in the browser; 0 deletes the cookie */
export const serializeSessionCookie = (token: string, origin: string, seconds: number): string =>
  serializeCookie(isSecureOrigin(origin) ? SECURE_NAME : NAME, token, origin, seconds);

/** Methods without side effects, which need no CSRF token. */
const SAFE_METHODS = new Set(['GET', 'HEAD']);

/** CSRF token of a session. Derived from the session token, so it is not stored and does not reveal the cookie. */
export const csrfTokenFor = (token: string) => hashToken(`csrf:${token}`);

/**
 * Rejects requests that a browser sends for a page of another site. Clients that are not browsers send neither header.
 * @param origin of the request
 * @throws PilothouseError FORBIDDEN
 */
export function requireSameOrigin(headers: IncomingHttpHeaders, origin: string): void {
  const site = headers['sec-fetch-site'];
  const sender = headers.origin;
  const isSameOrigin =
    site === undefined
      ? sender === undefined || hostOf(sender) === hostOf(origin)
      : site === 'same-origin' || site === 'none';
  if (!isSameOrigin) throw new PilothouseError('FORBIDDEN', 'The request came from a page of another site');
}

/**
 * Rejects changes in a session that our own pages did not send: a browser adds the cookie to requests of any page.
 * @throws PilothouseError FORBIDDEN
 */
export function requireCsrfToken(method: string, headers: IncomingHttpHeaders, origin: string, token: string): void {
  if (SAFE_METHODS.has(method)) return;
  requireSameOrigin(headers, origin);
  const csrfToken = headers['pilothouse-csrf'];
  if (typeof csrfToken !== 'string' || !constantTimeEqual(csrfToken, csrfTokenFor(token))) {
    throw new PilothouseError('FORBIDDEN', 'Send `csrf` of GET /v1/sessions/current as header `Pilothouse-Csrf`');
  }
}

/** Ignores the scheme: a proxy that terminates TLS may not report it. */
const hostOf = (origin: string) => (URL.canParse(origin) ? new URL(origin).host : origin);
