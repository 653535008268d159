/** Headers in which a proxy forwards the client address, host and protocol. */
export const forwardedNames = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'] as const;

/** The origin of a request. */
export interface Forwarded {
  /** Address of the client. */
  readonly 'x-forwarded-for': string;
  /** Host that the client asked for, with its port. */
  readonly 'x-forwarded-host': string;
  readonly 'x-forwarded-proto': 'http' | 'https';
}

export interface ForwardedRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Address at the other end of the connection. */
  readonly peer: string;
  /** Number of proxies between client and server whose headers count. Each appends one entry; those before are the client's own. */
  readonly proxies: number;
}

/** The origin of a request, as reported by trusted proxies. Without proxies the headers are ignored, because clients can set them. */
export function forwardedOf({ headers, peer, proxies }: ForwardedRequest): Forwarded {
  const entries = (name: (typeof forwardedNames)[number]) =>
    [headers[name] ?? []]
      .flat()
      .flatMap((value) => value.split(','))
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '');
  const addresses = [...entries('x-forwarded-for'), peer];
  const trusted = (name: (typeof forwardedNames)[number]) => (proxies > 0 ? entries(name).at(-1) : undefined);
  return {
    'x-forwarded-for': addresses[Math.max(0, addresses.length - 1 - proxies)] ?? peer,
    'x-forwarded-host': trusted('x-forwarded-host') ?? String(headers['host'] ?? ''),
    'x-forwarded-proto': trusted('x-forwarded-proto') === 'https' ? 'https' : 'http',
  };
}
