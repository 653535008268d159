import { parseCookie, stringifySetCookie } from 'cookie';

/** HTTP-only cookie with the API key of a viewer who signed in with a key. */
export const keyCookie = 'pilothouse_key';

/** Cookie with the id of the selected project. */
export const projectCookie = 'pilothouse_project';

/** Session cookies of the API (with and without TLS), which are forwarded unchanged. */
const sessionCookies = ['__Host-pilothouse', 'pilothouse'] as const;

/** Headers that authenticate a viewer to the API. */
export type Identity = Record<string, string>;

export const cookieOf = (header: string | null | undefined, name: string): string | undefined =>
  parseCookie(header ?? '')[name];

/** Identity for the API from the cookies of the console: a session or an API key. */
export function identityOf(cookies: string | null | undefined): Identity {
  const key = cookieOf(cookies, keyCookie);
  if (key !== undefined && /^ph_\w+$/.test(key)) return { authorization: `Bearer ${key}` };
  const session = sessionCookies.flatMap((name) => {
    const value = cookieOf(cookies, name);
    return value !== undefined && /^[\w.~-]+$/.test(value) ? [`${name}=${value}`] : [];
  });
  const project = cookieOf(cookies, projectCookie);
  return {
    ...(session.length > 0 && { cookie: session.join('; ') }),
    ...(session.length > 0 && project !== undefined && /^[\w-]+$/.test(project) && { 'pilothouse-project': project }),
  };
}

/** `Set-Cookie` value of an HTTP-only same-site cookie. @param seconds lifetime; 0 removes the cookie */
export const setCookie = (name: string, value: string, seconds: number, secure: boolean): string =>
  stringifySetCookie({ name, value, path: '/', httpOnly: true, sameSite: 'lax', maxAge: seconds, secure });
