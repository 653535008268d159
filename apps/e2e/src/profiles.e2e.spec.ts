import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProfileView } from '@pilothouse/contract/project/profile.schema';
import { TestServer } from '@pilothouse/testing/test-server';
import { Client } from './harness/stack-client.ts';
import { Stack } from './harness/stack.ts';

const PASSWORD = `password-${randomBytes(8).toString('hex')}`;
/** Local storage entry of a signed-in browser. */
const TOKEN = `token-${randomBytes(8).toString('hex')}`;

/** A site that identifies users by a cookie and local storage. */
class Shop {
  /** Received requests, in order. */
  readonly requests: string[] = [];
  /** All issued cookies. */
  readonly sessions: string[] = [];
  /** Called with each request before its response. */
  beforeResponse = async (_request: string): Promise<void> => {};
  private valid = '';
  private readonly server = new TestServer((request, response) => void this.answer(request, response));

  async start(): Promise<void> {
    await this.server.start();
  }

  get url(): string {
    return this.server.origin;
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestLine = `${request.method} ${request.url}`;
    // Before any wait: the browser may have closed by then.
    const body = (await request.toArray()).join('');
    this.requests.push(requestLine);
    await this.beforeResponse(requestLine);
    const isIn = this.valid !== '' && request.headers.cookie === `sid=${this.valid}`;
    if (requestLine === 'POST /login' && body === `password=${PASSWORD}`)
      return void response.writeHead(303, { location: '/welcome', 'set-cookie': this.session() }).end();
    if (request.url === '/login')
      return respond(
        response,
        '<form method="post"><label>Password <input name="password"></label><button>Log in</button>',
      );
    if (!isIn) return void response.writeHead(303, { location: '/login' }).end();
    if (request.url === '/welcome')
      return respond(response, `<h1>Welcome</h1><script>localStorage.token = '${TOKEN}'</script>`);
    if (request.url === '/renew') response.setHeader('set-cookie', this.session());
    const greeting = `localStorage.token === '${TOKEN}' ? 'known' : 'a stranger'`;
    return respond(response, `<h1>Orders</h1><p id="who"></p><script>who.textContent = ${greeting}</script>`);
  }

  /** Ends the current session. */
  private session(): string {
    this.valid = `session-${randomBytes(8).toString('hex')}`;
    this.sessions.push(this.valid);
    return `sid=${this.valid}; HttpOnly; SameSite=Lax`;
  }
}

const respond = (response: ServerResponse, body: string) =>
  void response
    .writeHead(200, { 'content-type': 'text/html' })
    .end(`<!doctype html><title>Shop</title><link rel="icon" href="data:,">${body}`);

describe('profiles', () => {
  let stack: Stack;
  let shop: Shop;
  let otherClient: Client;
  beforeAll(async () => {
    shop = new Shop();
    await shop.start();
    stack = await Stack.start({ workers: 2 });
    otherClient = new Client(stack.client.url, await stack.database.addProject('other'));
  });
  afterAll(async () => {
    await stack?.stop();
    await shop?.stop();
  });
  beforeEach(() => void shop.requests.splice(0));

  const signIn = () => ({
    definition: {
      name: 'sign-in',
      browser: { profile: 'shop' },
      inputs: { password: { type: 'string', secret: true } },
      steps: [
        { action: 'navigate', url: `${shop.url}/login` },
        { action: 'fill', target: { label: 'Password' }, text: '{{inputs.password}}' },
        { action: 'click', target: { role: 'button', name: 'Log in' }, expect: { url: '/welcome' } },
        { id: 'kept', action: 'saveProfile' },
      ],
      output: '{{steps.kept.value}}',
    },
    inputs: { password: PASSWORD },
    // Only headers, because a page shows the token.
    capture: { screenshots: 'none', har: 'headers', console: true },
  });
  const orders = (profile: object | string = { name: 'shop', required: true }) => ({
    definition: {
      name: 'orders',
      browser: { profile },
      steps: [
        { action: 'navigate', url: `${shop.url}/orders` },
        { id: 'who', action: 'extract', target: { css: '#who' }, value: {} },
      ],
      output: '{{steps.who.value}}',
    },
    capture: { screenshots: 'none', har: 'headers', console: true },
  });
  /** Opens the orders without a session. */
  const rejected = {
    get definition() {
      const { definition } = orders('shop');
      const [open] = definition.steps;
      return { name: 'orders', browser: definition.browser, steps: [{ ...open, expect: { url: '/login' } }] };
    },
  };
  const runToEnd = async (body: object, client = stack.client) => {
    const { id } = await client.submit(body);
    return client.waitForEnd(id);
  };
  const profiles = async (client = stack.client) =>
    ((await client.json('/v1/profiles')) as { items: ProfileView[] }).items;

  test('one run signs in and saves, the next starts signed in', async () => {
    const savedRun = await runToEnd(signIn());
    expect(savedRun).toMatchObject({ status: 'completed', output: { name: 'shop', version: 1 } });
    expect(await profiles()).toMatchObject([
      { name: 'shop', version: 1, run: savedRun.id, cookies: 1, cookieDomains: ['127.0.0.1'], origins: [shop.url] },
    ]);
    shop.requests.splice(0);
    expect(await runToEnd(orders())).toMatchObject({ status: 'completed', output: 'known' });
    expect(shop.requests).toEqual(['GET /orders']);
  });

  test('another project has no access', async () => {
    expect(await profiles(otherClient)).toEqual([]);
    expect(await runToEnd(orders(), otherClient)).toMatchObject({
      status: 'failed',
      error: { code: 'PROFILE_NOT_FOUND', message: expect.stringContaining('pilothouse profiles import shop FILE') },
    });
    expect(shop.requests).toEqual([]);
    expect(await runToEnd(rejected, otherClient)).toMatchObject({ status: 'completed' });
    expect((await otherClient.request('/v1/profiles/shop', { method: 'DELETE' })).status).toBe(404);
    expect(await profiles()).toHaveLength(1);
  });

  test('the state of a recovered run takes precedence over the profile', async () => {
    const { client } = stack;
    let arrived = (): void => undefined;
    const arrivedPromise = new Promise<void>((resolve) => (arrived = resolve));
    let release = (): void => undefined;
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    shop.beforeResponse = async (requestLine) => {
      if (requestLine !== 'GET /orders') return;
      arrived();
      await isReleased;
    };
    const { definition } = orders();
    const { id } = await client.submit({
      definition: {
        ...definition,
        steps: [
          // The session of the profile ends here.
          { action: 'navigate', url: `${shop.url}/renew` },
          // Its intent waits for the safe point of the step before.
          ...definition.steps.map((step, index) => (index === 0 ? { ...step, onInterrupted: 'rerun' } : step)),
        ],
      },
    });
    await arrivedPromise;
    const { worker: holder } = await client.run(id);
    await stack.workers.find(({ name }) => name === holder)?.kill();
    release();
    expect(await client.waitForEnd(id)).toMatchObject({ status: 'completed', attempts: 2, output: 'known' });
    expect(shop.requests).not.toContain('GET /login');
    // The profile contains the saved session, which has ended.
    expect(await runToEnd(rejected)).toMatchObject({ status: 'completed' });
    shop.beforeResponse = async () => {};
  });

  test('saving again replaces it, and a Playwright storage state can be imported', async () => {
    expect(await runToEnd(signIn())).toMatchObject({ output: { version: 2 } });
    const session = shop.sessions.at(-1) ?? '';
    const cookie = { name: 'sid', value: session, domain: '127.0.0.1', path: '/', expires: -1, httpOnly: true };
    const origins = [{ origin: shop.url, localStorage: [{ name: 'token', value: TOKEN }] }];
    const body = { cookies: [{ ...cookie, secure: false, sameSite: 'Lax' }], origins };
    await stack.client.json('/v1/profiles/by-hand', { method: 'PUT', body });
    expect(await runToEnd(orders({ name: 'by-hand', required: true }))).toMatchObject({ output: 'known' });
  });

  test('cookies and storage are not stored in plain text', async () => {
    expect(shop.sessions.length).toBeGreaterThan(1);
    for (const [location, text] of Object.entries(await stack.dumpStoredData())) {
      for (const secret of [PASSWORD, TOKEN, ...shop.sessions]) {
        const forms = [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64')];
        expect([location, forms.filter((form) => text.includes(form))]).toEqual([location, []]);
      }
    }
  });

  test('after its deletion runs start empty and report it', async () => {
    await stack.client.json('/v1/profiles/shop', { method: 'DELETE' });
    expect((await profiles()).map(({ name }) => name)).toEqual(['by-hand']);
    const run = await runToEnd(rejected);
    expect(run).toMatchObject({ status: 'completed' });
    const logs = (await stack.client.events(run.id)).filter(({ type }) => type === 'run.log');
    expect(logs).toMatchObject([{ message: 'Profile shop does not exist yet: the browser starts empty' }]);
  });
});
