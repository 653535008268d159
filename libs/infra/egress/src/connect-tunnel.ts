import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { systemTimers } from '@pilothouse/core';
import { type HttpProxy, UpstreamError } from './upstream-proxy.ts';
import { PausableStream, type RunPermission } from './pausable-stream.ts';

/** Maximum size of the CONNECT response of an upstream proxy, in bytes. */
const LONGEST_ANSWER = 65_536;
/** Milliseconds until the CONNECT response of an upstream proxy. */
const ANSWER_MS = 20_000;

/** Joins two sockets. Data of the browser passes only while the run may act. The end of one socket ends the other. */
export function pipeBothWays(near: Duplex, far: Duplex, leave: RunPermission): void {
  near.on('error', () => far.destroy());
  far.on('error', () => near.destroy());
  near.on('close', () => far.destroy());
  far.on('close', () => near.destroy());
  near.pipe(new PausableStream(leave).on('error', () => near.destroy())).pipe(far);
  far.pipe(near);
}

/** Handles CONNECT. Closes the connection unless the destination is allowed. */
export function respondToConnect(
  near: Duplex,
  status: '200 Connection Established' | '403 Forbidden' | '502 Bad Gateway',
): void {
  if (!near.writable) return;
  const head = `HTTP/1.1 ${status}\r\n`;
  if (status.startsWith('200')) near.write(`${head}\r\n`);
  else near.end(`${head}Content-Length: 0\r\nConnection: close\r\n\r\n`);
}

/**
 * Opens a tunnel to `authority` through an upstream proxy.
 * @returns the bytes that followed the response
 * @throws UpstreamError with a readable message
 */
export function requestTunnel(far: Socket, authority: string, { authorization }: HttpProxy): Promise<Buffer> {
  far.write(
    `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization === null ? '' : `Proxy-Authorization: ${authorization}\r\n`}\r\n`,
  );
  return new Promise((resolve, reject) => {
    let read = Buffer.alloc(0);
    const done = (settle: () => void) => {
      systemTimers.clearTimeout(late);
      far.off('data', onData).off('close', onClose);
      far.pause();
      settle();
    };
    const fail = (message: string) => done(() => reject(new UpstreamError(message)));
    const onClose = () => fail('the proxy of the run closed the connection');
    const onData = (chunk: Buffer) => {
      read = Buffer.concat([read, chunk]);
      const end = read.indexOf('\r\n\r\n');
      if (end < 0) {
        if (read.length > LONGEST_ANSWER) fail('the proxy of the run did not answer as a proxy');
        return;
      }
      const status = Number(/^HTTP\/1\.\d (\d{3})/.exec(read.subarray(0, 40).toString('latin1'))?.[1]);
      if (status === 200) done(() => resolve(read.subarray(end + 4)));
      else fail(upstreamFailure(status));
    };
    const late = systemTimers.setTimeout(() => fail('the proxy of the run did not answer in time'), ANSWER_MS);
    far.on('data', onData).once('close', onClose);
  });
}

/** Explains a proxy response that refuses the tunnel. */
export const upstreamFailure = (status: number): string =>
  status === 407
    ? 'the proxy of the run does not accept its user name and password'
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
