import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net';

/** Address of a socket on this machine: a path, or a port of 127.0.0.1. */
type LocalAddress = { readonly path: string } | { readonly port: number };

/** Connections at a time. Each takes two descriptors of this process. */
export const MAX_RELAY_CONNECTIONS = 512;

/** Passes the connections of one socket to another. */
export interface SocketRelay {
  /** Ends all connections. Never throws. */
  close(): Promise<void>;
}

/** @throws Error if the address cannot be listened on */
export async function startSocketRelay(listen: LocalAddress, target: LocalAddress): Promise<SocketRelay> {
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect(onLoopback(target));
    for (const [socket, peer] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      track(socket);
      socket.on('error', () => peer.destroy());
      socket.on('close', () => peer.destroy());
      socket.pipe(peer);
    }
  });
  server.maxConnections = MAX_RELAY_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(onLoopback(listen), resolve);
  });
  return {
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const onLoopback = (address: LocalAddress): NetConnectOpts =>
  'path' in address
    ? { path: address.path, allowHalfOpen: true }
    : { host: '127.0.0.1', port: address.port, allowHalfOpen: true };
