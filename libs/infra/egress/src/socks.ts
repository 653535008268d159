import type { Socket } from 'node:net';
import type { HostPort } from '@pilothouse/core';
import { SocksClient } from 'socks';
import { UpstreamError } from './failure.ts';
import type { SocksProxy } from './upstream.ts';

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
