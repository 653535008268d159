import { readHost, type Endpoint, type UpstreamAccess } from '@pilothouse/core';
import { UpstreamError } from './failure.ts';

/** A proxy between, read. */
export interface UpstreamProxy {
  readonly place: Endpoint;
  /** Whether it is spoken to by TLS. */
  readonly secure: boolean;
  /** Value of Proxy-Authorization; null: it asks for none. */
  readonly authorization: string | null;
}

/** Reads what a run says of its proxy. @throws UpstreamError */
export function readUpstream({ server, username, password }: UpstreamAccess): UpstreamProxy {
  const url = URL.parse(server);
  const host = url && readHost(url.hostname);
  if (!url || host === null) throw new UpstreamError('the proxy of the run has no address that can be read');
  const secure = url.protocol === 'https:';
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  const basic = Buffer.from(`${username}:${password ?? ''}`, 'utf8').toString('base64');
  return { place: { host, port }, secure, authorization: username === undefined ? null : `Basic ${basic}` };
}
