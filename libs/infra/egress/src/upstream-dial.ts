import { connect, isIPv6, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { systemTimers } from '@pilothouse/core/time/timers';
import type { AllowedDestination } from './destination-check.ts';
import { UpstreamError } from './upstream-proxy.ts';

/** Connect timeout in milliseconds. Chromium allows more, but a step rarely has longer. */
const CONNECT_TIMEOUT_MS = 20_000;
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
  const { host } = upstream.address;
  const secure = connectTls({ socket: plain, ...(/^[\d.]+$|^\[/.test(host) ? {} : { servername: host }) });
  try {
    await waitForConnection(secure, 'secureConnect', signal);
    return secure;
  } catch {
    secure.destroy();
    signal.throwIfAborted();
    throw new UpstreamError('the TLS handshake with the proxy of the run failed');
  }
}

async function open(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
  const list = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  const lookupChecked: LookupFunction = (_host, { all }, callback) => {
    const [first] = list;
    if (all) callback(null, list);
    else callback(null, first?.address ?? '', first?.family);
  };
  const [onlyAddress] = addresses;
  const socket = connect({
    port,
    allowHalfOpen: true,
    noDelay: true,
    keepAlive: true,
    // A placeholder name: `lookup` is called for it and returns only the checked addresses.
    ...(addresses.length === 1 && onlyAddress !== undefined
      ? { host: onlyAddress }
      : {
          host: 'checked.invalid',
          lookup: lookupChecked,
          autoSelectFamily: true,
          autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
        }),
  });
  try {
    await waitForConnection(socket, 'connect', signal);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/**
 * Waits for a connection.
 * @throws its error; ETIMEDOUT; the reason of the signal
 */
function waitForConnection(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      systemTimers.clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.off(event, onConnected);
      settle();
    };
    const onConnected = () => finish(resolve);
    const onAbort = () => finish(() => reject(signal.reason as Error));
    const timer = systemTimers.setTimeout(
      () => finish(() => reject(Object.assign(new Error('No connection in time'), { code: 'ETIMEDOUT' }))),
      CONNECT_TIMEOUT_MS,
    );
    socket.once(event, onConnected);
    // Never removed: an unhandled socket error would end the process.
    socket.on('error', (error) => finish(() => reject(error)));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}
