import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { systemTimers } from '@pilothouse/core/time/timers';

/** Milliseconds for active requests when the server stops. */
const GRACE_MS = 10_000;

/** Milliseconds between two checks for idle connections. */
const IDLE_CHECK_INTERVAL_MS = 50;

/**
 * Ends the connections of a server that closes. Unused ones end at once: browsers open them in advance, and Node.js counts them as busy.
 * Others end with their response, all of them after a grace period.
 * @returns a function that starts the drain and returns a function that ends it
 */
export function createConnectionDrain(server: Server): () => () => void {
  const unusedSockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    unusedSockets.add(socket);
    socket.once('close', () => unusedSockets.delete(socket));
  });
  const onUse = ({ socket }: IncomingMessage) => unusedSockets.delete(socket);
  server.on('request', onUse).on('upgrade', onUse);
  return () => {
    for (const socket of unusedSockets) socket.destroy();
    const idleTimer = systemTimers.setInterval(() => server.closeIdleConnections(), IDLE_CHECK_INTERVAL_MS);
    const graceTimer = systemTimers.setTimeout(() => server.closeAllConnections(), GRACE_MS);
    return () => {
      systemTimers.clearInterval(idleTimer);
      systemTimers.clearTimeout(graceTimer);
    };
  };
}
