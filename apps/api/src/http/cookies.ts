import { parseCookie, stringifySetCookie } from 'cookie';

/** Returns whether browsers reach the API over TLS. @param origin of the request */
export const isSecureOrigin = (origin: string): boolean => origin.startsWith('https:');

/** Reads one cookie of a Cookie header. */
export const readCookie = (header: string | undefined, name: string): string | null =>
  parseCookie(header ?? '')[name] ?? null;

/**
 * Returns a Set-Cookie header for a cookie that only the API reads, with the attributes of all our cookies.
 * @param origin of the request
 * @param seconds lifetime in the browser; 0 deletes the cookie
 */
export const serializeCookie = (name: string, value: string, origin: string, seconds: number): string =>
  stringifySetCookie({
    name,
    value,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    maxAge: seconds,
    secure: isSecureOrigin(origin),
  });
