import { type HostPort, type UpstreamAccess, parseHost } from '@pilothouse/core';
import type { Socket } from 'node:net';
import { SocksClient } from 'socks';

/** What the codes of the system mean, for people. */
const words: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name has no address',
  EAI_AGAIN: 'the name could not be looked up',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  ENETUNREACH: 'there is no way to its network',
  EHOSTUNREACH: 'there is no way to it',
  ETIMEDOUT: 'it did not answer in time',
};

/** Why a connection did not come to be, in words that quote nothing. */
export function connectionFailureReason(thrown: unknown): string {
  const { code, errors } = (thrown ?? {}) as { code?: unknown; errors?: unknown };
  if (typeof code === 'string' && code in words) return words[code] ?? code;
  // Of several addresses each has failed: the last is as good as any.
  if (Array.isArray(errors) && errors.length > 0) return connectionFailureReason(errors.at(-1));
  if (thrown instanceof UpstreamError) return thrown.message;
  return typeof code === 'string' ? code : 'it could not be connected to';
}

/** The proxy of the run did not do as it was asked. */
export class UpstreamError extends Error {}

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

/** Milliseconds a proxy between has for its answers. */
const ANSWER_MS = 20_000;
/** Bytes of a name, a user name or a password: SOCKS5 counts them in one byte. */
const LONGEST = 255;

/**
 * Has a SOCKS5 proxy connect to a place, which it looks up itself.
 * @param far a connection to the proxy; ended when it comes to nothing
 * @returns the same connection, which leads to the place from here on
 * @throws UpstreamError in words
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
  // A socket whose other side has ended is half open, and one that somebody else destroys is silent: the library sees neither.
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

/** What a proxy means that does not let through. The library has no codes: its sentences end in what the proxy answered. */
function said(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : '';
  if (/authentication/i.test(message)) return 'the proxy of the run does not accept its user name and password';
  if (/timed out/i.test(message)) return 'the proxy of the run did not answer in time';
  const answer = / - (\w+)$/.exec(message)?.[1];
  return answer
    ? `the proxy of the run did not connect: ${answer.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()}`
    : 'the proxy of the run did not answer as a SOCKS5 proxy';
}
