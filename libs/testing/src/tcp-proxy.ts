import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A wire to a server, in front of which a spec stands. */
export interface TcpProxy {
  /** The server's URL, by way of the wire. */
  readonly url: string;
  /** From now on nothing comes through, and nobody is told: as with a server that is stopped, or a network that is gone. */
  hang(): void;
  /** From now on the server hears all, and nobody hears the server. */
  mute(): void;
  /** What was kept back comes through, and all that follows. */
  flow(): void;
  /** All connections break, and what was kept back is lost; new ones are as good as any. */
  cut(): void;
  close(): Promise<void>;
}

/** Lays a wire to a server of TCP. @param to its URL, with a port */
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
