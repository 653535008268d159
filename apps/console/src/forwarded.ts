import type { IncomingMessage } from 'node:http';

/** Headers by which the API learns where a browser is, and where it asked. */
export const forwardedNames = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'] as const;

/** What whoever stands before this server said of the browser, and what is seen from here. */
export function forwardedOf({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): Record<string, string> {
  const said = (name: (typeof forwardedNames)[number]) => [headers[name] ?? []].flat().join(', ');
  const chain = [said('x-forwarded-for'), socket.remoteAddress ?? ''].filter(Boolean).join(', ');
  return {
    'x-forwarded-for': chain,
    'x-forwarded-host': said('x-forwarded-host') || (headers.host ?? ''),
    'x-forwarded-proto': said('x-forwarded-proto') || 'http',
  };
}
