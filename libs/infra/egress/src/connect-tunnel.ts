import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { systemTimers } from '@pilothouse/core/time/timers';
import { type HttpProxy, UpstreamError } from './upstream-proxy.ts';
import { PausableStream, type RunPermission } from './pausable-stream.ts';

/** Maximum size of the CONNECT response of an upstream proxy, in bytes. */
const MAX_CONNECT_RESPONSE_BYTES = 65_536;
/** Milliseconds until the CONNECT response of an upstream proxy. */
const RESPONSE_TIMEOUT_MS = 20_000;

/** Connects two sockets. Data of the browser is sent only while the run may act. The end of one socket ends the other. */
export function pipeBidirectional(clientSocket: Duplex, serverSocket: Duplex, permission: RunPermission): void {
  clientSocket.on('error', () => serverSocket.destroy());
  serverSocket.on('error', () => clientSocket.destroy());
  clientSocket.on('close', () => serverSocket.destroy());
  serverSocket.on('close', () => clientSocket.destroy());
  clientSocket.pipe(new PausableStream(permission).on('error', () => clientSocket.destroy())).pipe(serverSocket);
  serverSocket.pipe(clientSocket);
}

/** Responds to CONNECT. Every status other than 200 closes the connection. */
export function respondToConnect(
  clientSocket: Duplex,
  status: '200 Connection Established' | '403 Forbidden' | '502 Bad Gateway',
): void {
  if (!clientSocket.writable) return;
  const head = `HTTP/1.1 ${status}\r\n`;
  if (status.startsWith('200')) clientSocket.write(`${head}\r\n`);
  else clientSocket.end(`${head}Content-Length: 0\r\nConnection: close\r\n\r\n`);
}

/**
 * Opens a tunnel to `authority` through an upstream proxy.
 * @returns the bytes that followed the response
 * @throws UpstreamError with a readable message
 */
export function requestTunnel(serverSocket: Socket, authority: string, { authorization }: HttpProxy): Promise<Buffer> {
  serverSocket.write(
    `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization === null ? '' : `Proxy-Authorization: ${authorization}\r\n`}\r\n`,
  );
  return new Promise((resolve, reject) => {
    let receivedBytes = Buffer.alloc(0);
    const finish = (settle: () => void) => {
      systemTimers.clearTimeout(timer);
      serverSocket.off('data', onData).off('close', onClose);
      serverSocket.pause();
      settle();
    };
    const fail = (message: string) => finish(() => reject(new UpstreamError(message)));
    const onClose = () => fail('the proxy of the run closed the connection');
    const onData = (chunk: Buffer) => {
      receivedBytes = Buffer.concat([receivedBytes, chunk]);
      const end = receivedBytes.indexOf('\r\n\r\n');
      if (end < 0) {
        if (receivedBytes.length > MAX_CONNECT_RESPONSE_BYTES) fail('the proxy of the run did not answer as a proxy');
        return;
      }
      const status = Number(/^HTTP\/1\.\d (\d{3})/.exec(receivedBytes.subarray(0, 40).toString('latin1'))?.[1]);
      if (status === 200) finish(() => resolve(receivedBytes.subarray(end + 4)));
      else fail(upstreamFailure(status));
    };
    const timer = systemTimers.setTimeout(
      () => fail('the proxy of the run did not answer in time'),
      RESPONSE_TIMEOUT_MS,
    );
    serverSocket.on('data', onData).once('close', onClose);
  });
}

/** Explains a proxy response that refuses the tunnel. */
export const upstreamFailure = (status: number): string =>
  status === 407
    ? 'the proxy of the run rejected the user name and password'
    : `the proxy of the run answered ${Number.isNaN(status) ? 'with something that is not HTTP' : status}`;

/**
 * Parses host and port of a CONNECT request.
 * @returns null when they are invalid
 */
export function parseAuthority({ url = '' }: IncomingMessage): { host: string; port: number } | null {
  const match = /^(.+):(\d{1,5})$/.exec(url);
  const target = match && URL.parse(`http://${match[1]}`);
  const port = Number(match?.[2]);
  if (!target || target.hostname === '' || target.pathname !== '/' || port < 1 || port > 65_535) return null;
  return { host: target.hostname.replace(/\.$/, ''), port };
}
