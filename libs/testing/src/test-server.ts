import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP server of a spec, on a free port of 127.0.0.1. */
export class TestServer {
  readonly server: Server;

  constructor(listener: RequestListener) {
    this.server = createServer(listener);
  }

  async start(): Promise<this> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return this;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Without a final slash. */
  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Ends open connections too. */
  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
