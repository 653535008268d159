import { connect, isIPv6, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { systemTimers } from '@pilothouse/core';
import type { AllowedDestination } from './destination-check.ts';
import { UpstreamError } from './upstream-proxy.ts';

/** Connect timeout in milliseconds. Chromium allows more, but a step rarely has longer. */
const CONNECT_MS = 20_000;
/** Milliseconds until the next address is tried in parallel (RFC 8305 recommends 250; a distant server needs more). */
const NEXT_ADDRESS_MS = 500;

/**
 * Connects to one of the checked addresses. Looks nothing up.
 * @param signal aborts the attempt, and the connection later
 * @throws the system error; UpstreamError when the TLS handshake with an upstream proxy fails
 */
export async function connectUpstream(
  { addresses, port, upstream }: AllowedDestination,
  signal: AbortSignal,
): Promise<Socket> {
  const plain = await open(addresses.map(String), port, signal);
  if (upstream?.kind !== 'http' || !upstream.secure) return plain;
  const { host } = upstream.place;
  const secure = connectTls({ socket: plain, ...(/^[\d.]+$|^\[/.test(host) ? {} : { servername: host }) });
  try {
    await comesTo(secure, 'secureConnect', signal);
    return secure;
  } catch {
    secure.destroy();
    signal.throwIfAborted();
    throw new UpstreamError('the proxy of the run could not be spoken to by TLS');
  }
}

async function open(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
  const list = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  const checked: LookupFunction = (_host, { all }, done) => {
    const [first] = list;
    if (all) done(null, list);
    else done(null, first?.address ?? '', first?.family);
  };
  const [only] = addresses;
  const socket = connect({
    port,
    allowHalfOpen: true,
    noDelay: true,
    keepAlive: true,
    // A placeholder name: `lookup` is called for it and returns only the checked addresses.
    ...(addresses.length === 1 && only !== undefined
      ? { host: only }
      : {
          host: 'checked.invalid',
          lookup: checked,
          autoSelectFamily: true,
          autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
        }),
  });
  try {
    await comesTo(socket, 'connect', signal);
    return socket;
  } catch (thrown) {
    socket.destroy();
    throw thrown;
  }
}

/**
 * Waits for a connection.
 * @throws its error; ETIMEDOUT; the reason of the signal
 */
function comesTo(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (settle: () => void) => {
      systemTimers.clearTimeout(late);
      signal.removeEventListener('abort', onAbort);
      socket.off(event, onThere);
      settle();
    };
    const onThere = () => done(resolve);
    const onAbort = () => done(() => reject(signal.reason as Error));
    const late = systemTimers.setTimeout(
      () => done(() => reject(Object.assign(new Error('No connection in time'), { code: 'ETIMEDOUT' }))),
      CONNECT_MS,
    );
    socket.once(event, onThere);
    // Never removed: an unhandled socket error would end the process.
    socket.on('error', (error) => done(() => reject(error)));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}
