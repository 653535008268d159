import { controlSessionSchema } from '@pilothouse/contract/control/control.schema';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TestServer } from '@pilothouse/testing/test-server';
import { bundleOf } from './harness/bundles.ts';
import { ControlTestSite, positions } from './harness/control-test-site.ts';
import { Program } from './harness/child-program.ts';
import { searchPath } from './harness/servers.fixture.ts';
import { Stack } from './harness/stack.ts';
import { until } from './harness/poll-until.ts';

const SESSION = 'session-4711';

/** A shop that shows orders with a session, else a login. */
class Shop {
  /** Paths in the order of the requests. */
  readonly requests: string[] = [];
  private readonly server = new TestServer((request, response) => {
    this.requests.push(request.url ?? '');
    const isIn = request.headers.cookie === `sid=${SESSION}`;
    response.setHeader('content-type', 'text/html');
    response.end(
      `<!doctype html><title>Shop</title><link rel="icon" href="data:,"><button>${isIn ? 'Pay' : 'Log in'}</button>`,
    );
  });

  async start(): Promise<void> {
    await this.server.start();
  }

  get url(): string {
    return this.server.origin;
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }
}

describe('the command line', () => {
  let stack: Stack;
  let shop: Shop;
  let site: ControlTestSite;
  beforeAll(async () => {
    shop = new Shop();
    await shop.start();
    site = await ControlTestSite.start();
    site.ready();
    stack = await Stack.start();
  });
  afterAll(async () => {
    await stack?.stop();
    site?.stop();
    await shop?.stop();
  });
  beforeEach(() => void shop.requests.splice(0));

  const start = async (...args: string[]): Promise<Program> =>
    Program.start({
      name: 'pilothouse',
      args: [await bundleOf('cli'), ...args],
      env: {
        PATH: searchPath(),
        PILOTHOUSE_URL: stack.client.url,
        PILOTHOUSE_API_KEY: stack.secrets.adminKey,
      },
    });
  const runToExit = async (...args: string[]) => {
    const program = await start(...args);
    const { code } = await program.exit;
    return { code, lines: program.lines };
  };
  const file = async (name: string, definition: object): Promise<string> => {
    const path = join(stack.dir, `${name}.json`);
    await writeFile(path, JSON.stringify({ name, ...definition }));
    return path;
  };
  const newestRun = async () => {
    const { items } = (await stack.client.json('/v1/runs?limit=1')) as { items: { id: string }[] };
    return items[0]?.id ?? '';
  };

  test('observe shows the page of an anonymous user in a local browser', async () => {
    const { code, lines } = await runToExit('elements', 'list', `${shop.url}/orders`);
    expect(lines).toEqual([
      `Shop ${shop.url}/orders`,
      '[0] button "Log in"',
      '    { role: button, name: Log in, exact: true }',
    ]);
    expect(code).toBe(0);
  });

  test('observe --profile shows the page with the session of the profile', async () => {
    const cookie = { name: 'sid', value: SESSION, domain: '127.0.0.1', path: '/', expires: -1, sameSite: 'Lax' };
    const body = { cookies: [{ ...cookie, httpOnly: true, secure: false }], origins: [] };
    await stack.client.json('/v1/profiles/shop', { method: 'PUT', body });
    const { code, lines } = await runToExit('elements', 'list', `${shop.url}/orders`, '--profile', 'shop');
    expect(lines).toEqual([
      `Shop ${shop.url}/orders`,
      '[0] button "Pay"',
      '    { role: button, name: Pay, exact: true }',
    ]);
    expect(code).toBe(0);
  });

  test('observe with an unknown profile explains how to create it', async () => {
    const { code, lines } = await runToExit('elements', 'list', `${shop.url}/orders`, '--profile', 'none');
    expect(lines.join('\n')).toMatch(/Profile "none" not found. .*profiles import none FILE/);
    expect(lines.join('\n')).toContain('npx pilothouse profiles list');
    expect(code).toBe(1);
    expect(shop.requests).toEqual([]);
  });

  test('run --until executes no later step, and shows the page', async () => {
    const path = await file('orders', {
      steps: [
        { action: 'navigate', url: `${shop.url}/first` },
        { id: 'second', action: 'navigate', url: `${shop.url}/second` },
        { id: 'name', action: 'extract', target: { css: 'button' }, value: {} },
        { action: 'navigate', url: `${shop.url}/third` },
      ],
      output: { name: '{{steps.name.value}}' },
    });
    const { code, lines } = await runToExit('run', path, '--until', 'second');
    expect(lines).toEqual(
      expect.arrayContaining([
        `Shop ${shop.url}/second`,
        '[0] button "Log in"',
        '    { role: button, name: Log in, exact: true }',
      ]),
    );
    expect(code).toBe(0);
    expect(shop.requests).toEqual(['/first', '/second']);
  });

  test('run --until --keep-open keeps the browser for a person until Ctrl-C, which cancels the run', async () => {
    const { client } = stack;
    const path = await file('greeting', { steps: [site.open, { action: 'navigate', url: `${shop.url}/later` }] });
    const program = await start('run', path, '--until', '1', '--keep-open');
    await program.ready('the browser stays open', () => program.lines.some((line) => line.includes('stays open')));
    expect(program.lines).toContain('    { role: button, name: Go, exact: true }');
    const id = await newestRun();
    expect(await client.run(id)).toMatchObject({ status: 'running' });

    const session = await client.json(`/v1/runs/${id}/control`, { method: 'POST' });
    const { token } = controlSessionSchema.parse(session);
    await client.waitForEvent(id, ({ type }) => type === 'run.awaiting_user');
    const inputs = [
      { kind: 'move', ...positions.resume },
      { kind: 'down', ...positions.resume, button: 'left', count: 1 },
      { kind: 'up', ...positions.resume, button: 'left', count: 1 },
    ];
    await client.json(`/v1/runs/${id}/control/input`, { method: 'POST', body: { token, inputs } });
    await until('the click reaches the page', () => site.clickCount === 1);
    await client.json(`/v1/runs/${id}/control`, { method: 'DELETE' });

    program.signal('SIGINT');
    expect(await program.exit).toEqual({ code: 3, signal: null });
    expect(await client.run(id)).toMatchObject({ status: 'cancelled' });
    expect(shop.requests).toEqual([]);
  });
});
