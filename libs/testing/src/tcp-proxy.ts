import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP proxy in front of a server. */
export interface TcpProxy {
  /** URL of the server through the proxy. */
  readonly url: string;
  /** Holds data in both directions and keeps connections open, like a stopped server or a lost network. */
  hang(): void;
  /** Passes data to the server and holds its responses. */
  mute(): void;
  /** Passes held and later data on. */
  flow(): void;
  /** Resets all connections and drops held data; new connections work. */
  resetConnections(): void;
  close(): Promise<void>;
}

/**
 * Starts a proxy for a TCP server.
 * @param target its URL, with a port
 */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const server = new URL(target);
  const ends = new Map<Socket, Socket>();
  let state: 'flows' | 'hangs' | 'mute' = 'flows';
  const applyState = (near: Socket, far: Socket) => {
    if (state === 'hangs') near.pause();
    if (state !== 'flows') far.pause();
  };
  const applyStateToAll = () => {
    for (const [near, far] of ends) applyState(near, far);
  };
  const destroyAll = () => {
    for (const pair of ends) for (const end of pair) end.destroy();
  };
  const front = createServer((near) => {
    const far = connect(Number(server.port), server.hostname);
    ends.set(near, far);
    for (const [end, peer] of [
      [near, far],
      [far, near],
    ] as const) {
      end.on('data', (chunk: Buffer) => peer.write(chunk));
      end.on('error', () => peer.destroy());
      end.on('close', () => {
        peer.destroy();
        ends.delete(near);
      });
    }
    applyState(near, far);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((front.address() as AddressInfo).port);
  return {
    url: url.href,
    hang() {
      state = 'hangs';
      applyStateToAll();
    },
    mute() {
      state = 'mute';
      applyStateToAll();
    },
    flow() {
      state = 'flows';
      for (const pair of ends) for (const end of pair) end.resume();
    },
    resetConnections() {
      state = 'flows';
      destroyAll();
    },
    close: () =>
      new Promise((resolve) => {
        front.close(() => resolve());
        destroyAll();
      }),
  };
}
