import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Response codes of a SOCKS5 server to CONNECT (RFC 1928, section 6). */
export const SOCKS_REPLY = { connected: 0, failure: 1, notAllowed: 2, refused: 5 } as const;

export interface SocksOptions {
  /** Required credentials. Undefined: no authentication. */
  readonly user?: { readonly name: string; readonly password: string };
  /** Resolves a destination, or refuses it. Default: the same port of this machine. */
  readonly lead?: (
    host: string,
    port: number,
  ) => { readonly port: number } | (typeof SOCKS_REPLY)['notAllowed' | 'refused'];
}

export interface SocksServer {
  readonly port: number;
  /** Requested destinations as `host:port`, unchanged. */
  readonly destinations: string[];
  /** User names that were accepted. */
  readonly users: string[];
  close(): Promise<void>;
}

/** A SOCKS5 server (RFC 1928, with the passwords of RFC 1929) that connects to ports of this machine. */
export async function startSocks({
  user,
  lead = (_host, port) => ({ port }),
}: SocksOptions = {}): Promise<SocksServer> {
  const destinations: string[] = [];
  const users: string[] = [];
  const sockets = new Set<Socket>();
  const trackSocket = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };

  const serve = async (near: Socket): Promise<void> => {
    const readBytes = reader(near);
    const [, methods = 0] = await readBytes(2);
    const offeredMethods = [...(await readBytes(methods))];
    const method = user ? 2 : 0;
    if (!offeredMethods.includes(method)) return void near.end(Buffer.from([5, 0xff]));
    near.write(Buffer.from([5, method]));
    if (user) {
      const [, length = 0] = await readBytes(2);
      const name = (await readBytes(length)).toString();
      const password = (await readBytes((await readBytes(1))[0] ?? 0)).toString();
      const isIn = name === user.name && password === user.password;
      if (!isIn) return void near.end(Buffer.from([1, 1]));
      users.push(name);
      near.write(Buffer.from([1, 0]));
    }
    const [, , , kind] = await readBytes(4);
    const host = await hostOf(kind ?? 0, readBytes);
    const port = (await readBytes(2)).readUInt16BE();
    destinations.push(`${host}:${port}`);
    const destination = lead(host, port);
    const reply = (code: number) => Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
    if (typeof destination === 'number') return void near.end(reply(destination));
    const far = connect(destination.port, '127.0.0.1');
    trackSocket(far);
    await once(far, 'connect').catch(() => near.end(reply(SOCKS_REPLY.refused)));
    if (far.destroyed) return;
    near.write(reply(SOCKS_REPLY.connected));
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    near.pipe(far).pipe(near);
  };

  const server = createServer((near) => {
    trackSocket(near);
    serve(near).catch(() => near.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    destinations,
    users,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Returns a function that reads a number of bytes from a socket. Further bytes stay in the socket.
 * @throws Error if the socket ends first
 */
function reader(socket: Socket): (bytes: number) => Promise<Buffer> {
  return async (bytes) => {
    if (bytes === 0) return Buffer.alloc(0);
    for (;;) {
      const read = socket.read(bytes) as Buffer | null;
      if (read) return read;
      if (socket.destroyed || socket.readableEnded) throw new Error('The client disconnected');
      await Promise.race([once(socket, 'readable'), once(socket, 'close')]);
    }
  };
}

async function hostOf(kind: number, readBytes: (bytes: number) => Promise<Buffer>): Promise<string> {
  if (kind === 3) return (await readBytes((await readBytes(1))[0] ?? 0)).toString();
  if (kind === 1) return [...(await readBytes(4))].join('.');
  const groups = await readBytes(16);
  return Array.from({ length: 8 }, (_, index) => groups.readUInt16BE(index * 2).toString(16)).join(':');
}
