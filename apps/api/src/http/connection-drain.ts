import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { systemTimers } from '@pilothouse/core';

/** Milliseconds that requests at work have to come to their end when the server stops. */
const GRACE_MS = 10_000;

/** So often connections are looked for whose answer has been sent, in milliseconds. */
const IDLE_MS = 50;

/**
 * Sees that a server which closes is not held up by its connections: those on which nothing was asked yet (browsers open them in
 * advance, and node takes them for busy) end at once, the others with their answer, all after a grace.
 * @returns to be called when the server begins to close; gives what ends the grace
 */
export function createConnectionDrain(server: Server): () => () => void {
  const unused = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  const used = ({ socket }: IncomingMessage) => unused.delete(socket);
  server.on('request', used).on('upgrade', used);
  return () => {
    for (const socket of unused) socket.destroy();
    const idle = systemTimers.setInterval(() => server.closeIdleConnections(), IDLE_MS);
    const all = systemTimers.setTimeout(() => server.closeAllConnections(), GRACE_MS);
    return () => {
      systemTimers.clearInterval(idle);
      systemTimers.clearTimeout(all);
    };
  };
}
