import { parseHost, type HostPort, type UpstreamAccess } from '@pilothouse/core';
import { UpstreamError } from './failure.ts';

/** A proxy between that speaks HTTP, read. */
export interface HttpProxy {
  readonly kind: 'http';
  readonly place: HostPort;
  /** Whether it is spoken to by TLS. */
  readonly secure: boolean;
  /** Value of Proxy-Authorization; null: it asks for none. */
  readonly authorization: string | null;
}

/** A proxy between that speaks SOCKS5, read. */
export interface SocksProxy {
  readonly kind: 'socks';
  readonly place: HostPort;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

export type UpstreamProxy = HttpProxy | SocksProxy;

const ports: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'socks5:': 1080 };

/** Reads what a run says of its proxy. @throws UpstreamError */
export function parseUpstreamProxy({ server, username, password }: UpstreamAccess): UpstreamProxy {
  const url = URL.parse(server);
  const host = url && parseHost(url.hostname);
  if (!url || host === null) throw new UpstreamError('the proxy of the run has no address that can be read');
  const place = { host, port: Number(url.port) || (ports[url.protocol] ?? 80) };
  if (url.protocol === 'socks5:') return { kind: 'socks', place, username, password };
  const basic = Buffer.from(`${username}:${password ?? ''}`, 'utf8').toString('base64');
  const authorization = username === undefined ? null : `Basic ${basic}`;
  return { kind: 'http', place, secure: url.protocol === 'https:', authorization };
}
