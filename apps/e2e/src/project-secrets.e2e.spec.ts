import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Stack } from './harness/stack.ts';

const LOGIN = `<h1>Log in</h1><form method="post" action="/in"><label>Password <input type="password" name="password"></label>
  <button>Log in</button></form>`;
const SLOW_MS = 4_000;

/* A run names a secret of the project. A real worker types it into a site that repeats it. */
describe('a secret of the project', () => {
  let stack: Stack;
  let site: Server;
  let siteUrl: string;
  /** Passwords that the site received. */
  const received: (string | null)[] = [];
  beforeAll(async () => {
    site = createServer(async (request, response) => {
      response.setHeader('content-type', 'text/html');
      if (request.url === '/slow') await delay(SLOW_MS);
      if (request.method !== 'POST') return void response.end(LOGIN);
      const password = new URLSearchParams(await text(request)).get('password');
      received.push(password);
      return void response.end(`<h1>Welcome ${password}</h1><script>console.log(${JSON.stringify(password)})</script>`);
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    stack = await Stack.start({ workers: 1 });
  });
  afterAll(async () => {
    await stack?.stop();
    site?.close();
  });

  const NAME = 'portal-password';
  const save = (value: string) => stack.client.json(`/v1/secrets/${NAME}`, { method: 'PUT', body: { value } });

  /** Logs in after a slow page, and reads the page that follows. */
  const logIn = () => ({
    definition: {
      name: 'log-in',
      inputs: { password: { type: 'string', secret: true } },
      steps: [
        { action: 'navigate', url: `${siteUrl}/slow` },
        { id: 'typed', action: 'fill', target: { label: 'Password' }, text: '{{inputs.password}}' },
        { action: 'click', target: { role: 'button', name: 'Log in' }, expect: { url: '/in' } },
        { id: 'title', action: 'extract', target: { css: 'h1' }, value: {} },
      ],
      output: '{{steps.title.value}}',
    },
    inputs: { password: { secret: NAME } },
    capture: { screenshots: 'on', har: 'bodies', console: true },
  });

  /** Files of the installation that contain a text: artifacts and logs. */
  async function filesWith(value: string): Promise<string[]> {
    const entries = await readdir(stack.dir, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    const contents = await Promise.all(files.map((file) => readFile(file).catch(() => Buffer.alloc(0))));
    return files.filter((_, index) => contents[index]?.includes(value));
  }

  test('is typed with its value of the moment, and appears nowhere', async () => {
    const { client, database } = stack;
    const [oldValue, newValue] = ['value-before-rotation', 'value-after-rotation'];
    await save(oldValue);
    const { id } = await client.submit(logIn());
    await client.waitForEvent(id, ({ type }) => type === 'step.started');
    await save(newValue);
    const run = await client.waitForEnd(id);
    expect(run).toMatchObject({
      status: 'completed',
      inputs: { password: { secret: NAME } },
      output: 'Welcome ••••',
    });
    expect(received).toEqual([newValue]);
    // The network log and the browser console are among the files that are searched.
    expect(await filesWith(`${siteUrl}/in`)).toEqual(
      expect.arrayContaining([expect.stringMatching(/\.har$/), expect.stringMatching(/console-1\.jsonl$/)]),
    );
    const dump = await database.dump();
    const answers = JSON.stringify([run, await client.events(id), await client.json('/v1/secrets')]);
    for (const value of [oldValue, newValue]) {
      for (const shown of [answers, dump]) {
        expect(shown.includes(value)).toBe(false);
        expect(shown.includes(Buffer.from(value).toString('hex'))).toBe(false);
      }
      expect(await filesWith(value)).toEqual([]);
    }
    expect(await client.json('/v1/secrets')).toMatchObject({
      items: [{ name: NAME, version: 2, lastUsedAt: expect.any(String), workflows: ['log-in'] }],
    });
  });

  test('that was deleted fails the step that types it, by name', async () => {
    const { client } = stack;
    await save('any');
    const { id } = await client.submit(logIn());
    await client.waitForEvent(id, ({ type }) => type === 'step.started');
    await client.json(`/v1/secrets/${NAME}`, { method: 'DELETE' });
    const run = await client.waitForEnd(id);
    expect(run).toMatchObject({
      status: 'failed',
      error: { code: 'NOT_FOUND', message: expect.stringContaining(`no secret "${NAME}"`), step: { index: 1 } },
    });
  });
});
