import { TestServer } from '@pilothouse/testing/test-server';

/** A site of one page with a configurable body. It records its requests. */
export class TestShop {
  readonly requests: string[] = [];
  body = '';
  private readonly server = new TestServer((request, response) => {
    this.requests.push(`${request.method} ${request.url}`);
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(
      `<!doctype html><title>Shop</title><link rel="icon" href="data:,">${request.url === '/' ? this.body : '<h1>Done</h1>'}`,
    );
  });

  static async open(): Promise<TestShop> {
    const shop = new TestShop();
    await shop.server.start();
    return shop;
  }

  get url(): string {
    return this.server.origin;
  }

  /** Requests other than for its page. */
  get submissions(): string[] {
    return this.requests.filter((request) => request !== 'GET /');
  }

  async close(): Promise<void> {
    await this.server.stop();
  }
}
