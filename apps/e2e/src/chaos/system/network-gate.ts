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
    server.on('connection', (socket) => this.accept(socket));
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
    if (mode === 'closed') this.resetConnections();
    for (const socket of this.sockets) {
      if (mode === 'frozen') socket.pause();
      else socket.resume();
    }
  }

  /** Resets every connection. */
  resetConnections(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    this.server.close();
    this.resetConnections();
    await once(this.server, 'close');
  }

  private accept(inner: Socket): void {
    this.track(inner);
    if (this.state === 'closed') return void inner.resetAndDestroy();
    const ports = this.targets();
    this.connectTarget(inner, [...ports.slice(this.preferred), ...ports.slice(0, this.preferred)]);
  }

  private connectTarget(inner: Socket, ports: readonly number[]): void {
    const [port, ...remainingPorts] = ports;
    if (port === undefined || inner.destroyed) return void inner.resetAndDestroy();
    const outer = connect(port, '127.0.0.1');
    outer.pause();
    const tryNext = () => this.connectTarget(inner, remainingPorts);
    outer.once('error', tryNext);
    outer.once('connect', () => {
      outer.off('error', tryNext);
      this.track(outer);
      this.pipe(inner, outer);
      this.pipe(outer, inner);
    });
  }

  private track(socket: Socket): void {
    this.sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.once('close', () => this.sockets.delete(socket));
  }

  private pipe(source: Socket, destination: Socket): void {
    const send = (chunk: Buffer) => {
      if (!destination.destroyed && !destination.write(chunk) && this.state !== 'frozen') source.pause();
    };
    const enqueue = this.createDelayQueue();
    destination.on('drain', () => this.state !== 'frozen' && source.resume());
    source.on('data', (chunk: Buffer) => enqueue(() => send(chunk)));
    source.once('end', () => enqueue(() => destination.end()));
    // Waits until earlier data has passed.
    source.once('close', () => enqueue(() => destination.destroy()));
    if (this.state !== 'frozen') source.resume();
  }

  /**
   * Runs tasks in order, each after the delay at its arrival. A shorter delay never lets data overtake earlier data.
   */
  private createDelayQueue(): (task: () => void) => void {
    const waiting: { dueAt: number; run: () => void }[] = [];
    const drain = () => {
      for (let [first] = waiting; first; [first] = waiting) {
        const ms = first.dueAt - performance.now();
        if (ms > 0) return void setTimeout(drain, ms);
        waiting.shift();
        first.run();
      }
    };
    return (task) => {
      waiting.push({ dueAt: performance.now() + this.delayMs, run: task });
      if (waiting.length === 1) drain();
    };
  }
}
