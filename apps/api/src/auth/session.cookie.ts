import { parseCookie, stringifySetCookie } from 'cookie';

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
