import { parseCookie, stringifySetCookie } from 'cookie';

/** Cookie with an API key, of whoever signed in with one. Scripts cannot read it. */
export const keyCookie = 'pilothouse_key';

/** Cookie with the id of the project that a signed-in user looks at. */
export const projectCookie = 'pilothouse_project';

/** The API's own cookies of a session (over TLS and without); they are passed on as they are. */
const sessionCookies = ['__Host-pilothouse', 'pilothouse'] as const;

/** Headers by which the API learns who asks. */
export type Identity = Record<string, string>;

/** Returns the value of a cookie of a `Cookie` header. */
export const cookieOf = (header: string | null | undefined, name: string): string | undefined =>
  parseCookie(header ?? '')[name];

/** How the API learns who asks, from the cookies of the console's own origin: by a session, or by a key. */
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

/** A `Set-Cookie` that no script reads and no other site sends along. @param seconds 0 takes it away */
export const setCookie = (name: string, value: string, seconds: number, secure: boolean): string =>
  stringifySetCookie({ name, value, path: '/', httpOnly: true, sameSite: 'lax', maxAge: seconds, secure });
