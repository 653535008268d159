import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A local port forwarded to a Service of the cluster. Reconnects at the same port. */
export class PortForward {
  readonly url: string;
  readonly #args: readonly string[];
  readonly #abort = new AbortController();
  #child: ChildProcess | undefined;
  #startedAt = 0;
  #lastOutput = '';

  private constructor(namespace: string, service: string, port: number, local: number) {
    this.url = `http://127.0.0.1:${local}`;
    this.#args = ['-n', namespace, 'port-forward', '--address', '127.0.0.1', `service/${service}`, `${local}:${port}`];
  }

  /** @param port of the Service */
  static async open(namespace: string, service: string, port: number): Promise<PortForward> {
    const portForward = new PortForward(namespace, service, port, await freePort());
    void portForward.#run();
    return portForward;
  }

  /** Last output of kubectl. */
  get lastOutput(): string {
    return this.#lastOutput;
  }

  /** Reconnects to a current pod of the Service, unless it was started less than two seconds ago. */
  reconnect(): void {
    if (performance.now() - this.#startedAt > 2_000) this.#child?.kill('SIGKILL');
  }

  async close(): Promise<void> {
    this.#abort.abort();
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit', { signal: AbortSignal.timeout(10_000) });
    child.kill('SIGKILL');
    await exited;
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    while (!signal.aborted) {
      const child = spawn('kubectl', this.#args, { stdio: ['ignore', 'ignore', 'pipe'] });
      this.#child = child;
      this.#startedAt = performance.now();
      child.stderr?.on('data', (chunk: Buffer) => (this.#lastOutput = chunk.toString().trim()));
      await once(child, 'exit').catch((error: unknown) => (this.#lastOutput = String(error)));
      await pause(250, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
