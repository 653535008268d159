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
  cut(): void;
  close(): Promise<void>;
}

/**
 * Starts a proxy for a TCP server.
 * @param to its URL, with a port
 */
export async function startTcpProxy(to: string): Promise<TcpProxy> {
  const server = new URL(to);
  const ends = new Map<Socket, Socket>();
  let state: 'flows' | 'hangs' | 'mute' = 'flows';
  const keep = (near: Socket, far: Socket) => {
    if (state === 'hangs') near.pause();
    if (state !== 'flows') far.pause();
  };
  const keepAll = () => {
    for (const [near, far] of ends) keep(near, far);
  };
  const cut = () => {
    for (const pair of ends) for (const end of pair) end.destroy();
  };
  const front = createServer((near) => {
    const far = connect(Number(server.port), server.hostname);
    ends.set(near, far);
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      end.on('data', (chunk: Buffer) => other.write(chunk));
      end.on('error', () => other.destroy());
      end.on('close', () => {
        other.destroy();
        ends.delete(near);
      });
    }
    keep(near, far);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const url = new URL(to);
  url.hostname = '127.0.0.1';
  url.port = String((front.address() as AddressInfo).port);
  return {
    url: url.href,
    hang() {
      state = 'hangs';
      keepAll();
    },
    mute() {
      state = 'mute';
      keepAll();
    },
    flow() {
      state = 'flows';
      for (const pair of ends) for (const end of pair) end.resume();
    },
    cut() {
      state = 'flows';
      cut();
    },
    close: () =>
      new Promise((resolve) => {
        front.close(() => resolve());
        cut();
      }),
  };
}
