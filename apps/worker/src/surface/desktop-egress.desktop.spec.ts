import type { EgressBlock } from '@pilothouse/contract/project/egress.schema';
import { parseHostRules } from '@pilothouse/core/egress/host-rules';
import type { EgressPolicy } from '@pilothouse/core/ports/egress.port';
import { poll } from '@pilothouse/core/time/deadlines';
import { startEgressProxy } from '@pilothouse/infra-egress';
import { DesktopHost, MachineSessions, noIsolation, type SessionIsolation } from '@pilothouse/surface-desktop';
import { sessionLauncher } from '@pilothouse/testing/desktop-session-launcher';
import { TestServer } from '@pilothouse/testing/test-server';
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const within = (seconds: number) => ({
  signal: new AbortController().signal,
  deadline: performance.now() + seconds * 1_000,
  log,
  guard: () => undefined,
  reveal: async (text: string) => text,
  file: async (upload: string) => upload,
});

let site: TestServer;
let port: number;
let folder: string;
const requests: string[] = [];
beforeAll(async () => {
  site = new TestServer(({ headers, url }, answer) => {
    requests.push(`${headers.host}${url}`);
    answer.setHeader('content-type', 'text/html').end('<title>Inside the shop</title>there');
  });
  await site.start();
  port = site.port;
  folder = await mkdtemp(join(tmpdir(), 'desktop-egress-'));
  await chmod(folder, 0o711);
});
afterAll(async () => {
  await site.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => (requests.length = 0));

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  expect(await readdir(folder)).toEqual([]);
}, 30_000);

/** A desktop behind an egress proxy that allows one host. All names lead to this machine. */
async function openDesktop(isolation?: SessionIsolation) {
  const egress = startEgressProxy({ resolve: async () => ['127.0.0.1'] });
  const sessions = new MachineSessions({
    folder,
    environment: {},
    egress,
    launcher: await sessionLauncher(),
    ...(isolation && { isolation }),
  });
  const host = new DesktopHost({ sessions, environment: {} });
  closing.push(
    () => egress.close(),
    () => host.close(),
  );
  const blocks: EgressBlock[] = [];
  const policy: EgressPolicy = {
    rules: {
      lists: [{ scope: 'project', rules: parseHostRules(['shop.test']) }],
      private: parseHostRules(['private']),
    },
    upstream: async () => null,
    signal: new AbortController().signal,
    mayAct: () => true,
    waitUntilMayAct: async () => undefined,
    onBlocked: (block) => blocks.push(block),
    onFailed: () => {},
  };
  const surface = await host.open({ folder, egress: policy }, within(60));
  return { surface, blocks, isolation: await sessions.isolation() };
}

/** Types a short command into a terminal. @returns the first line that it wrote */
async function runInTerminal(
  { surface }: Awaited<ReturnType<typeof openDesktop>>,
  command: string,
): Promise<string | undefined> {
  await surface.act({ action: 'openApp', app: 'debian-xterm' }, within(20));
  await surface.act({ action: 'type', text: `${command}\n` }, within(20));
  const output = async () => {
    for (const session of await readdir(folder)) {
      const text = await readFile(join(folder, session, 'home/o'), 'utf8').catch(() => '');
      if (text.includes('\n')) return text.trim();
    }
    return undefined;
  };
  return poll(output, within(20));
}

const status = (host: string) => `curl -so/dev/null -w'%{http_code}\\n' ${host}:${port} >o`;

test('a program that honours proxy settings reaches the allowed host', async () => {
  const desktop = await openDesktop();
  expect(await runInTerminal(desktop, status('shop.test'))).toBe('200');
  expect(requests).toEqual([`shop.test:${port}/`]);
  expect(desktop.blocks).toEqual([]);
}, 90_000);

test('a program that honours proxy settings is refused another host, and the run gets the event of browsers', async () => {
  const desktop = await openDesktop();
  expect(await runInTerminal(desktop, status('evil.test'))).toBe('000');
  expect(requests).toEqual([]);
  expect(desktop.blocks).toMatchObject([{ host: 'evil.test', port, rule: 'project' }]);
}, 90_000);

test.each([
  { app: 'chromium', isolation: undefined, network: 'in a network of its own', past: 'evil.test' },
  { app: 'firefox-esr', isolation: undefined, network: 'in a network of its own', past: 'evil.test' },
  // Chromium connects to this machine directly, unless an option sets the proxy.
  {
    app: 'chromium',
    isolation: noIsolation,
    network: 'in the network of the worker',
    past: '127.0.0.1',
  },
])(
  '$app reaches the allowed host through the egress proxy, and nothing past it, $network',
  async ({ app, isolation, past }) => {
    const { surface, blocks } = await openDesktop(isolation);
    await surface.act({ action: 'openApp', app, args: [`http://shop.test:${port}/`] }, within(60));
    await surface.act({ action: 'waitFor', condition: { title: 'Inside the shop' } }, within(60));
    expect(requests).toContain(`shop.test:${port}/`);
    await surface.act({ action: 'openApp', app, args: [`http://${past}:${port}/past`] }, within(60));
    await poll(async () => (blocks.some(({ host }) => host === past) ? true : undefined), within(30));
    expect(blocks).toContainEqual(expect.objectContaining({ host: past, port, rule: 'project' }));
    expect(requests.filter((request) => request.endsWith('/past'))).toEqual([]);
  },
  180_000,
);

test('a program that ignores proxy settings cannot get out', async () => {
  const desktop = await openDesktop();
  expect(desktop.isolation.hasOwnNetwork).toBe(true);
  // bash connects by itself.
  expect(await runInTerminal(desktop, `bash -c ': </dev/tcp/127.0.0.1/${port}'; echo $? >o`)).toBe('1');
  expect(requests).toEqual([]);
}, 90_000);

test('without a network namespace the program connects directly; only a NetworkPolicy blocks it', async () => {
  const desktop = await openDesktop(noIsolation);
  expect(await runInTerminal(desktop, `bash -c ': </dev/tcp/127.0.0.1/${port}'; echo $? >o`)).toBe('0');
  expect(await runInTerminal(desktop, `rm o; ${status('evil.test')}`)).toBe('000');
  expect(desktop.blocks).toMatchObject([{ host: 'evil.test', port, rule: 'project' }]);
}, 90_000);

test('programs of a session have a separate user, home and display', async () => {
  const first = await openDesktop();
  const second = await openDesktop();
  if (!first.isolation.hasOwnUser) throw new Error('Run this spec as root: sessions then have users of their own');
  const id = Number(await runInTerminal(first, 'id -u >o'));
  expect(id).toBeGreaterThan(200_000);
  const sessions = await readdir(folder);
  const asFirst = (...command: string[]) =>
    promisify(execFile)('setpriv', ['--reuid', String(id), '--regid', String(id), '--clear-groups', ...command]);
  const isReadable = await Promise.all(
    sessions.map((session) =>
      asFirst('ls', join(folder, session, 'runtime')).then(
        () => true,
        () => false,
      ),
    ),
  );
  // A session reaches its folder through its own mounts.
  expect(isReadable).not.toContain(true);
  await second.surface.close();
}, 90_000);
