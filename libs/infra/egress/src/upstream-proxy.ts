import { type HostPort, type UpstreamAccess, parseHost } from '@pilothouse/core';
import type { Socket } from 'node:net';
import { SocksClient } from 'socks';

/** Readable texts for system error codes. */
const words: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name has no address',
  EAI_AGAIN: 'the name could not be looked up',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  ENETUNREACH: 'there is no way to its network',
  EHOSTUNREACH: 'there is no way to it',
  ETIMEDOUT: 'it did not answer in time',
};

/** Explains a failed connection without quoting any input. */
export function connectionFailureReason(thrown: unknown): string {
  const { code, errors } = (thrown ?? {}) as { code?: unknown; errors?: unknown };
  if (typeof code === 'string' && code in words) return words[code] ?? code;
  // With several addresses each attempt failed; the last error is reported.
  if (Array.isArray(errors) && errors.length > 0) return connectionFailureReason(errors.at(-1));
  if (thrown instanceof UpstreamError) return thrown.message;
  return typeof code === 'string' ? code : 'it could not be connected to';
}

/** The upstream proxy refused or failed. */
export class UpstreamError extends Error {}

/** Parsed settings of an upstream HTTP proxy. */
export interface HttpProxy {
  readonly kind: 'http';
  readonly place: HostPort;
  /** True when the connection to the proxy uses TLS. */
  readonly secure: boolean;
  /** Value of Proxy-Authorization. null: no authentication. */
  readonly authorization: string | null;
}

/** Parsed settings of an upstream SOCKS5 proxy. */
export interface SocksProxy {
  readonly kind: 'socks';
  readonly place: HostPort;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

export type UpstreamProxy = HttpProxy | SocksProxy;

const ports: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'socks5:': 1080 };

/**
 * Parses the proxy settings of a run.
 * @throws UpstreamError
 */
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

/** Milliseconds until the responses of an upstream proxy. */
const ANSWER_MS = 20_000;
/** Maximum bytes of a name, a user name or a password: SOCKS5 has one length byte. */
const LONGEST = 255;

/**
 * Connects to a destination through a SOCKS5 proxy, which resolves the name.
 * @param far a connection to the proxy; closed on failure
 * @returns the same connection, now connected to the destination
 * @throws UpstreamError with a readable message
 */
export async function connectSocks5(far: Socket, { host, port }: HostPort, proxy: SocksProxy): Promise<Socket> {
  const { place, username = '', password = '' } = proxy;
  if ([host, username, password].some((text) => Buffer.byteLength(text) > LONGEST)) {
    far.destroy();
    throw new UpstreamError(`SOCKS5 takes names and passwords of at most ${LONGEST} bytes`);
  }
  const asked = SocksClient.createConnection({
    command: 'connect',
    destination: { host: host.replace(/^\[|\]$/g, ''), port },
    proxy: { host: place.host, port: place.port, type: 5, ...(username !== '' && { userId: username, password }) },
    existing_socket: far,
    timeout: ANSWER_MS,
  });
  // The library detects neither a half-open socket nor one that is destroyed by other code.
  const over = Promise.withResolvers<never>();
  const onOver = () => over.reject(new UpstreamError('the proxy of the run closed the connection'));
  far.once('end', onOver).once('close', onOver);
  try {
    await Promise.race([asked, over.promise]);
    return far;
  } catch (thrown) {
    asked.catch(() => undefined);
    far.destroy();
    throw thrown instanceof UpstreamError ? thrown : new UpstreamError(said(thrown));
  } finally {
    far.off('end', onOver).off('close', onOver);
  }
}

/**
 * Explains a proxy response that refuses the connection. The library has no error codes: its messages end with the
 * response of the proxy.
 */
function said(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : '';
  if (/authentication/i.test(message)) return 'the proxy of the run does not accept its user name and password';
  if (/timed out/i.test(message)) return 'the proxy of the run did not answer in time';
  const answer = / - (\w+)$/.exec(message)?.[1];
  return answer
    ? `the proxy of the run did not connect: ${answer.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()}`
    : 'the proxy of the run did not answer as a SOCKS5 proxy';
}
