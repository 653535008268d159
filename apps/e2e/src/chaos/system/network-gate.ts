import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';

/** State of a gate: passes data on, refuses connections, or holds data. */
export type GateMode = 'open' | 'closed' | 'frozen';

/** A TCP proxy on its own port, as a network that can be cut, frozen and slowed down. */
export class NetworkGate {
  readonly port: number;
  /** Delay of data in milliseconds, in both directions. */
  delayMs = 0;
  /** Index of the target that is tried first. */
  preferred = 0;
  private readonly server: Server;
  private readonly targets: () => readonly number[];
  private readonly sockets = new Set<Socket>();
  private state: GateMode = 'open';

  private constructor(server: Server, targets: () => readonly number[]) {
    this.server = server;
    this.targets = targets;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (socket) => this.enter(socket));
  }

  /** @param targets local ports, the preferred one first; the first that responds gets the connection */
  static async open(targets: () => readonly number[]): Promise<NetworkGate> {
    const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new NetworkGate(server, targets);
  }

  get mode(): GateMode {
    return this.state;
  }

  set mode(mode: GateMode) {
    this.state = mode;
    if (mode === 'closed') this.cut();
    for (const socket of this.sockets) {
      if (mode === 'frozen') socket.pause();
      else socket.resume();
    }
  }

  /** Resets every connection. */
  cut(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    this.server.close();
    this.cut();
    await once(this.server, 'close');
  }

  private enter(inner: Socket): void {
    this.keep(inner);
    if (this.state === 'closed') return void inner.resetAndDestroy();
    const ports = this.targets();
    this.reach(inner, [...ports.slice(this.preferred), ...ports.slice(0, this.preferred)]);
  }

  private reach(inner: Socket, ports: readonly number[]): void {
    const [port, ...others] = ports;
    if (port === undefined || inner.destroyed) return void inner.resetAndDestroy();
    const outer = connect(port, '127.0.0.1');
    outer.pause();
    const refused = () => this.reach(inner, others);
    outer.once('error', refused);
    outer.once('connect', () => {
      outer.off('error', refused);
      this.keep(outer);
      this.pass(inner, outer);
      this.pass(outer, inner);
    });
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.once('close', () => this.sockets.delete(socket));
  }

  private pass(from: Socket, to: Socket): void {
    const send = (chunk: Buffer) => {
      if (!to.destroyed && !to.write(chunk) && this.state !== 'frozen') from.pause();
    };
    const inTurn = this.turns();
    to.on('drain', () => this.state !== 'frozen' && from.resume());
    from.on('data', (chunk: Buffer) => inTurn(() => send(chunk)));
    from.once('end', () => inTurn(() => to.end()));
    // Waits until earlier data has passed.
    from.once('close', () => inTurn(() => to.destroy()));
    if (this.state !== 'frozen') from.resume();
  }

  /**
   * Runs tasks in order, each after the delay at its arrival. A shorter delay never lets data overtake earlier data.
   */
  private turns(): (what: () => void) => void {
    const waiting: { due: number; what: () => void }[] = [];
    const goOn = () => {
      for (let [first] = waiting; first; [first] = waiting) {
        const ms = first.due - performance.now();
        if (ms > 0) return void setTimeout(goOn, ms);
        waiting.shift();
        first.what();
      }
    };
    return (what) => {
      waiting.push({ due: performance.now() + this.delayMs, what });
      if (waiting.length === 1) goOn();
    };
  }
}
