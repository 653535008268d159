/** With the prefix a browser keeps the cookie for this very host, over TLS, whatever neighbours set. */
const SAFE_NAME = '__Host-pilothouse';
const NAME = 'pilothouse';

/** Whether browsers reach us over TLS. @param origin where they asked */
const isSafe = (origin: string) => origin.startsWith('https:');

/** The session of a Cookie header; null when there is none that may be trusted at this origin. */
export function readSessionCookie(header: string | undefined, origin: string): string | null {
  const cookies = new Map(
    (header ?? '').split(';').map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [name.trim(), value.join('=').trim()];
    }),
  );
  return cookies.get(SAFE_NAME) ?? (isSafe(origin) ? null : cookies.get(NAME)) ?? null;
}

/** A Set-Cookie header. @param seconds how long the browser keeps it; 0 takes it away */
export function serializeSessionCookie(token: string, origin: string, seconds: number): string {
  const parts = [`Path=/`, 'HttpOnly', 'SameSite=Lax', `Max-Age=${seconds}`];
  return isSafe(origin)
    ? [`${SAFE_NAME}=${token}`, ...parts, 'Secure'].join('; ')
    : [`${NAME}=${token}`, ...parts].join('; ');
}
