/** Cookie with an API key, of whoever signed in with one. Scripts cannot read it. */
export const keyCookie = 'pilothouse_key';

/** Value of a cookie of a `Cookie` header. */
export function cookieOf(header: string | null | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) {
      const value = pair.slice(at + 1).trim();
      try {
        return decodeURIComponent(value);
      } catch {
        return undefined;
      }
    }
  }
  return undefined;
}

/** How the API learns who asks, from the cookies of the console's own origin. */
export function identityOf(cookies: string | null | undefined): Record<string, string> {
  const key = cookieOf(cookies, keyCookie);
  return key === undefined || !/^ph_\w+$/.test(key) ? {} : { authorization: `Bearer ${key}` };
}

/** A `Set-Cookie` that no script reads and no other site sends along. @param seconds 0 takes it away */
export const setCookie = (name: string, value: string, seconds: number, secure: boolean): string =>
  `${name}=${encodeURIComponent(value)}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure ? '; Secure' : ''}`;
