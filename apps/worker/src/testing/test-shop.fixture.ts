import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A site of one page with a configurable body. It records its requests. */
export class TestShop {
  readonly requests: string[] = [];
  body = '';
  private readonly server: Server = createServer((request, response) => {
    this.requests.push(`${request.method} ${request.url}`);
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(
      `<!doctype html><title>Shop</title><link rel="icon" href="data:,">${request.url === '/' ? this.body : '<h1>Done</h1>'}`,
    );
  });

  static async open(): Promise<TestShop> {
    const shop = new TestShop();
    await new Promise<void>((resolve) => shop.server.listen(0, '127.0.0.1', resolve));
    return shop;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Requests other than for its page. */
  get submissions(): string[] {
    return this.requests.filter((one) => one !== 'GET /');
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
