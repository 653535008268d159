import { type HostPort, parseHost } from '@pilothouse/core/egress/host-rules';
import type { UpstreamAccess } from '@pilothouse/core/ports/egress.port';
import type { Socket } from 'node:net';
import { SocksClient } from 'socks';

/** Readable texts for system error codes. */
const ERROR_TEXTS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name has no address',
  EAI_AGAIN: 'the name could not be looked up',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  ENETUNREACH: 'its network cannot be reached',
  EHOSTUNREACH: 'it cannot be reached',
  ETIMEDOUT: 'it did not answer in time',
};

/** Explains a failed connection without quoting any input. */
export function connectionFailureReason(error: unknown): string {
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: unknown };
  if (typeof code === 'string' && code in ERROR_TEXTS) return ERROR_TEXTS[code] ?? code;
  // With several addresses each attempt failed; the last error is reported.
  if (Array.isArray(errors) && errors.length > 0) return connectionFailureReason(errors.at(-1));
  if (error instanceof UpstreamError) return error.message;
  return typeof code === 'string' ? code : 'the connection failed';
}

/** The upstream proxy refused or failed. */
export class UpstreamError extends Error {}

/** Parsed settings of an upstream HTTP proxy. */
export interface HttpProxy {
  readonly kind: 'http';
  readonly address: HostPort;
  /** True when the connection to the proxy uses TLS. */
  readonly secure: boolean;
  /** Value of Proxy-Authorization. null: no authentication. */
  readonly authorization: string | null;
}

/** Parsed settings of an upstream SOCKS5 proxy. */
export interface SocksProxy {
  readonly kind: 'socks';
  readonly address: HostPort;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

export type UpstreamProxy = HttpProxy | SocksProxy;

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'socks5:': 1080 };

/**
 * Parses the proxy settings of a run.
 * @throws UpstreamError
 */
export function parseUpstreamProxy({ server, username, password }: UpstreamAccess): UpstreamProxy {
  const url = URL.parse(server);
  const host = url && parseHost(url.hostname);
  if (!url || host === null) throw new UpstreamError('the address of the proxy of the run is invalid');
  const address = { host, port: Number(url.port) || (DEFAULT_PORTS[url.protocol] ?? 80) };
  if (url.protocol === 'socks5:') return { kind: 'socks', address, username, password };
  const basic = Buffer.from(`${username}:${password ?? ''}`, 'utf8').toString('base64');
  const authorization = username === undefined ? null : `Basic ${basic}`;
  return { kind: 'http', address, secure: url.protocol === 'https:', authorization };
}

/** Milliseconds until the responses of an upstream proxy. */
const RESPONSE_TIMEOUT_MS = 20_000;
/** Maximum bytes of a name, a user name or a password: SOCKS5 has one length byte. */
const MAX_FIELD_BYTES = 255;

/**
 * Connects to a destination through a SOCKS5 proxy, which resolves the name.
 * @param serverSocket a connection to the proxy; closed on failure
 * @returns the same connection, now connected to the destination
 * @throws UpstreamError with a readable message
 */
export async function connectSocks5(
  serverSocket: Socket,
  { host, port }: HostPort,
  proxy: SocksProxy,
): Promise<Socket> {
  const { address, username = '', password = '' } = proxy;
  if ([host, username, password].some((text) => Buffer.byteLength(text) > MAX_FIELD_BYTES)) {
    serverSocket.destroy();
    throw new UpstreamError(`SOCKS5 supports names and passwords of at most ${MAX_FIELD_BYTES} bytes`);
  }
  const connection = SocksClient.createConnection({
    command: 'connect',
    destination: { host: host.replace(/^\[|\]$/g, ''), port },
    proxy: {
      host: address.host,
      port: address.port,
      type: 5,
      ...(username !== '' && { userId: username, password }),
    },
    existing_socket: serverSocket,
    timeout: RESPONSE_TIMEOUT_MS,
  });
  // The library detects neither a half-open socket nor one that is destroyed by other code.
  const connectionClosed = Promise.withResolvers<never>();
  const onClose = () => connectionClosed.reject(new UpstreamError('the proxy of the run closed the connection'));
  serverSocket.once('end', onClose).once('close', onClose);
  try {
    await Promise.race([connection, connectionClosed.promise]);
    return serverSocket;
  } catch (error) {
    connection.catch(() => undefined);
    serverSocket.destroy();
    throw error instanceof UpstreamError ? error : new UpstreamError(socksFailureReason(error));
  } finally {
    serverSocket.off('end', onClose).off('close', onClose);
  }
}

/**
 * Explains a proxy response that refuses the connection. The library has no error codes: its messages end with the
 * response of the proxy.
 */
function socksFailureReason(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  if (/authentication/i.test(message)) return 'the proxy of the run rejected the user name and password';
  if (/timed out/i.test(message)) return 'the proxy of the run did not answer in time';
  const answer = / - (\w+)$/.exec(message)?.[1];
  return answer
    ? `the proxy of the run did not connect: ${answer.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()}`
    : 'the proxy of the run did not answer as a SOCKS5 proxy';
}
