import type { EgressRules } from '@pilothouse/core/egress/egress-decision';
import { parseHostRules } from '@pilothouse/core/egress/host-rules';
import type { ConnectFailure, EgressProxy, EgressPolicy } from '@pilothouse/core/ports/egress.port';
import type { EgressBlock } from '@pilothouse/contract/project/egress.schema';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import { connect, createServer as createTcp, type AddressInfo, type Server as TcpServer, type Socket } from 'node:net';
import { SOCKS_REPLY, startSocks, type SocksOptions, type SocksServer } from '@pilothouse/testing/socks-proxy';
import { until } from '@pilothouse/testing/test-helpers';
import { startEgressProxy, type WorkerEgress } from './egress-proxy.ts';
import type { Resolver } from './dns-cache.ts';

let site: Server;
let port: number;
const siteRequests: { url: string; host: string | undefined; headers: IncomingMessage['headers']; body: string }[] = [];
const siteSockets = new Set<Socket>();
beforeAll(async () => {
  site = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      siteRequests.push({ url: request.url ?? '', host: request.headers.host, headers: request.headers, body });
      response.writeHead(200, { 'x-site': 'yes' }).end('here');
    });
  });
  site.on('connection', (socket: Socket) => siteSockets.add(socket));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  port = (site.address() as AddressInfo).port;
});
afterAll(() => site.close());
beforeEach(() => {
  siteRequests.length = 0;
  siteSockets.clear();
});

const proxies: WorkerEgress[] = [];
afterEach(() => Promise.all(proxies.splice(0).map((proxy) => proxy.close())));

/** Events that a proxy reported. */
interface ReportedEvents {
  readonly refused: EgressBlock[];
  readonly failed: ConnectFailure[];
}

const rules = (overrides: Partial<EgressRules> = {}): EgressRules => ({
  lists: [],
  private: parseHostRules(['private']),
  ...overrides,
});

async function runProxyFor(
  options: Partial<EgressPolicy> & { resolve?: Resolver; now?: () => number; clientUid?: number } = {},
): Promise<ReportedEvents & { runProxy: EgressProxy; proxy: WorkerEgress }> {
  const { resolve = async () => ['127.0.0.1'], now, clientUid, ...policy } = options;
  const proxy = startEgressProxy({ resolve, ...(now && { now }) });
  proxies.push(proxy);
  const runProxy = await proxy.open(clientUid);
  const reported: ReportedEvents = { refused: [], failed: [] };
  runProxy.bind({
    rules: rules(),
    upstream: async () => null,
    signal: new AbortController().signal,
    mayAct: () => true,
    waitUntilMayAct: async () => undefined,
    onBlocked: (refusal) => reported.refused.push(refusal),
    onFailed: (failure) => reported.failed.push(failure),
    ...policy,
  });
  return { ...reported, runProxy, proxy };
}

/**
 * Sends a request through a proxy.
 * @throws when there is no response
 */
const get = (runProxy: EgressProxy, url: string, { method = 'GET', body = '', headers = {} } = {}) =>
  new Promise<{ status: number | undefined; headers: IncomingMessage['headers']; text: string }>((resolve, reject) => {
    const outgoing = request(
      { host: '127.0.0.1', port: new URL(runProxy.url).port, method, path: url, headers },
      (answer) => {
        let text = '';
        answer.on('data', (part: Buffer) => (text += part.toString()));
        answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
        answer.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });

/** Sends CONNECT to a proxy. */
const tunnel = (runProxy: EgressProxy, authority: string) =>
  new Promise<{ status: number | undefined; socket: Socket; first: string }>((resolve, reject) => {
    const outgoing = request({
      host: '127.0.0.1',
      port: new URL(runProxy.url).port,
      method: 'CONNECT',
      path: authority,
    });
    outgoing.once('connect', ({ statusCode }, socket, first) =>
      resolve({ status: statusCode, socket, first: first.toString() }),
    );
    outgoing.once('error', reject);
    outgoing.end();
  });

test('a request is forwarded unchanged, except for hop-by-hop headers', async () => {
  const { runProxy } = await runProxyFor();
  const answer = await get(runProxy, `http://shop.test:${port}/a?b=c`, {
    method: 'POST',
    body: 'hello',
    headers: {
      'x-mine': '1',
      'proxy-authorization': 'Basic eA==',
      connection: 'x-hop',
      'x-hop': 'no',
      host: 'evil.test',
    },
  });
  expect(answer).toMatchObject({ status: 200, text: 'here', headers: { 'x-site': 'yes' } });
  expect(siteRequests).toMatchObject([
    { url: '/a?b=c', host: `shop.test:${port}`, body: 'hello', headers: { 'x-mine': '1' } },
  ]);
  expect(siteRequests[0]?.headers).not.toHaveProperty('proxy-authorization');
  expect(siteRequests[0]?.headers).not.toHaveProperty('x-hop');
});

test('a proxy of one user accepts no connection of another one', async () => {
  const uid = process.getuid?.() ?? 0;
  const allowed = await runProxyFor({ clientUid: uid });
  expect(await get(allowed.runProxy, `http://shop.test:${port}/`)).toMatchObject({ status: 200 });
  const foreign = await runProxyFor({ clientUid: uid + 1 });
  await expect(get(foreign.runProxy, `http://shop.test:${port}/`)).rejects.toThrow(/hang up|ECONNRESET/);
  await expect(tunnel(foreign.runProxy, `shop.test:${port}`)).rejects.toThrow(/hang up|ECONNRESET/);
});

test('a tunnel carries bytes both ways, and the end of one side ends both', async () => {
  const { runProxy } = await runProxyFor();
  const { status, socket } = await tunnel(runProxy, `shop.test:${port}`);
  expect(status).toBe(200);
  const text = new Promise<string>((resolve) => {
    let received = '';
    socket.on('data', (part: Buffer) => (received += part.toString()));
    socket.on('close', () => resolve(received));
  });
  socket.write(`GET /through HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  expect(await text).toContain('here');
  expect(siteRequests).toMatchObject([{ url: '/through' }]);
});

/** A run that may not act until the test allows it. */
function createPermission() {
  let isAllowed = false;
  let notifyWaiting = () => {};
  const waiters: (() => void)[] = [];
  return {
    /** Resolves when a caller waits. */
    waiting: new Promise<void>((resolve) => (notifyWaiting = resolve)),
    stop: () => void (isAllowed = false),
    go: () => {
      isAllowed = true;
      for (const resolve of waiters.splice(0)) resolve();
    },
    policy: {
      mayAct: () => isAllowed,
      waitUntilMayAct: () => new Promise<void>((resolve) => (waiters.push(resolve), notifyWaiting())),
    } satisfies Partial<EgressPolicy>,
  };
}

describe('while the run may not act', () => {
  test('a request waits and continues afterwards', async () => {
    const { waiting, go, policy } = createPermission();
    const { runProxy } = await runProxyFor(policy);
    const answer = get(runProxy, `http://shop.test:${port}/late`, { method: 'POST', body: 'hello' });
    await waiting;
    expect(siteSockets.size).toBe(0);
    go();
    expect(await answer).toMatchObject({ status: 200 });
    expect(siteRequests).toMatchObject([{ url: '/late', body: 'hello' }]);
  });

  test('the rest of a body waits', async () => {
    const { waiting, go, stop, policy } = createPermission();
    const { runProxy } = await runProxyFor(policy);
    go();
    const outgoing = request({
      host: '127.0.0.1',
      port: new URL(runProxy.url).port,
      method: 'POST',
      path: `http://shop.test:${port}/long`,
      headers: { 'content-length': 10 },
    });
    const response = once(outgoing, 'response');
    const arrived = new Promise<Buffer>((resolve) => {
      site.once('request', (request: IncomingMessage) => request.once('data', resolve));
    });
    outgoing.write('first');
    expect((await arrived).toString()).toBe('first');
    stop();
    outgoing.end('after');
    await waiting;
    expect(siteRequests).toEqual([]);
    go();
    await response;
    expect(siteRequests).toMatchObject([{ url: '/long', body: 'firstafter' }]);
  });

  test('tunnel data waits, and is dropped with the run', async () => {
    const { waiting, policy } = createPermission();
    const run = new AbortController();
    const { runProxy } = await runProxyFor({ ...policy, signal: run.signal });
    const { socket } = await tunnel(runProxy, `shop.test:${port}`);
    const closed = once(socket, 'close');
    socket.on('error', () => undefined);
    socket.write('GET /through HTTP/1.1\r\nHost: x\r\n\r\n');
    await waiting;
    expect(siteRequests).toEqual([]);
    run.abort();
    await closed;
    expect(siteRequests).toEqual([]);
  });
});

test('no data passes before rules are bound', async () => {
  const proxy = startEgressProxy();
  proxies.push(proxy);
  const runProxy = await proxy.open();
  await expect(get(runProxy, `http://127.0.0.1:${port}/`)).rejects.toThrow('socket hang up');
  expect((await tunnel(runProxy, `127.0.0.1:${port}`)).status).toBe(403);
  expect(siteSockets.size).toBe(0);
});

test('a name that no list allows is refused without a lookup and reported', async () => {
  const lookups: string[] = [];
  const resolve: Resolver = async (host) => {
    lookups.push(host);
    return ['127.0.0.1'];
  };
  const lists = [{ scope: 'project' as const, rules: parseHostRules(['shop.test', '*.cdn.test']) }];
  const { runProxy, refused } = await runProxyFor({ resolve, rules: rules({ lists }) });
  await expect(get(runProxy, `http://evil.test:${port}/?secret=1`)).rejects.toThrow('socket hang up');
  expect((await tunnel(runProxy, 'cdn.test:443')).status).toBe(403);
  expect((await get(runProxy, `http://a.b.cdn.test:${port}/`)).status).toBe(200);
  expect((await get(runProxy, `http://SHOP.test.:${port}/`)).status).toBe(200);
  expect(lookups).toEqual(['a.b.cdn.test', 'shop.test']);
  expect(refused).toEqual([
    { host: 'evil.test', port, rule: 'project', address: null },
    { host: 'cdn.test', port: 443, rule: 'project', address: null },
  ]);
});

describe('addresses that are not public', () => {
  const strict = { rules: rules({ private: [] }) };

  test.each([
    '127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    '0.0.0.0',
    '::1',
    'fe80::1',
    'fd00:ec2::254',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '::127.0.0.1',
    'fec0::1',
  ])('a name that is %s is refused', async (address) => {
    const { runProxy, refused } = await runProxyFor({ ...strict, resolve: async () => [address] });
    expect((await tunnel(runProxy, `shop.test:${port}`)).status).toBe(403);
    expect(refused).toMatchObject([{ host: 'shop.test', port, rule: 'private-address' }]);
    expect(siteSockets.size).toBe(0);
  });

  test.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '127.1', '0177.0.0.1', '127.0.0.1.'])(
    'a host written as %s is refused too',
    async (host) => {
      const { runProxy, refused } = await runProxyFor(strict);
      expect((await tunnel(runProxy, `${host}:${port}`)).status).toBe(403);
      await expect(get(runProxy, `http://${host}:${port}/`)).rejects.toThrow('socket hang up');
      expect(refused.map(({ rule }) => rule)).toEqual(['private-address', 'private-address']);
      expect(siteSockets.size).toBe(0);
    },
  );

  test('metadata services stay refused where private networks are allowed', async () => {
    for (const address of ['169.254.169.254', '100.100.100.200', 'fd00:ec2::254']) {
      const { runProxy, refused } = await runProxyFor({ resolve: async () => [address] });
      expect((await tunnel(runProxy, 'shop.test:80')).status).toBe(403);
      expect(refused).toMatchObject([{ rule: 'private-address', address }]);
    }
  });

  test('an allowed private name does not lead to a metadata service', async () => {
    const { runProxy } = await runProxyFor({
      rules: rules({ private: parseHostRules(['intra.test']) }),
      resolve: async () => ['169.254.169.254'],
    });
    expect((await tunnel(runProxy, 'intra.test:80')).status).toBe(403);
  });

  test('the port of the proxy of another run is always refused', async () => {
    const { runProxy, proxy, refused } = await runProxyFor();
    const secondPort = new URL((await proxy.open()).url).port;
    expect((await tunnel(runProxy, `127.0.0.1:${secondPort}`)).status).toBe(403);
    expect(refused).toMatchObject([{ rule: 'worker', port: Number(secondPort) }]);
  });
});

test('a name that resolves differently later reaches only checked addresses', async () => {
  // The forbidden server listens at the same port of another address, like behind a rebound name.
  const inside = createTcp((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret'));
  await new Promise<void>((resolve) => inside.listen(port, '127.0.0.2', resolve));
  try {
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.2', '127.0.0.1']];
    let lookups = 0;
    let now = 0;
    const { runProxy, refused } = await runProxyFor({
      rules: rules({ private: parseHostRules(['127.0.0.1']) }),
      resolve: async () => answers[lookups++] ?? [],
      now: () => now,
    });
    const url = `http://rebind.test:${port}/`;
    expect((await get(runProxy, url)).text).toBe('here');
    expect(lookups).toBe(1);
    now = 61_000;
    await expect(get(runProxy, url)).rejects.toThrow('socket hang up');
    expect(refused).toEqual([{ host: 'rebind.test', port, rule: 'private-address', address: '127.0.0.2' }]);
    now = 122_000;
    expect((await get(runProxy, url)).text).toBe('here');
    expect(lookups).toBe(3);
  } finally {
    inside.close();
  }
});

test('the connections of a run end with its permission to connect', async () => {
  const stop = new AbortController();
  const { runProxy } = await runProxyFor({ signal: stop.signal });
  const { socket } = await tunnel(runProxy, `shop.test:${port}`);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined);
  stop.abort();
  await closed;
  await until('the site sees it, too', () =>
    [...siteSockets].every((socket) => socket.destroyed || socket.readableEnded),
  );
  await expect(get(runProxy, `http://shop.test:${port}/`)).rejects.toThrow();
});

test('a failed connection is reported with a readable message', async () => {
  const none = Object.assign(new Error('x'), { code: 'ENOTFOUND' });
  const { runProxy, failed } = await runProxyFor({
    resolve: (host) => (host === 'none.test' ? Promise.reject(none) : Promise.resolve(['127.0.0.1'])),
  });
  expect((await tunnel(runProxy, 'none.test:443')).status).toBe(403);
  const closedPort = await freePort();
  expect((await tunnel(runProxy, `shut.test:${closedPort}`)).status).toBe(502);
  await expect(get(runProxy, `http://shut.test:${closedPort}/`)).rejects.toThrow('socket hang up');
  expect(failed).toEqual([
    { host: 'none.test', port: 443, reason: 'the host name has no address' },
    { host: 'shut.test', port: closedPort, reason: 'the connection was refused' },
    { host: 'shut.test', port: closedPort, reason: 'the connection was refused' },
  ]);
});

test('when the site closes its connection, that of the browser is closed', async () => {
  const { runProxy } = await runProxyFor();
  const clientSocket = connect(Number(new URL(runProxy.url).port), '127.0.0.1');
  const ended = new Promise((resolve) => clientSocket.once('end', resolve));
  const response = new Promise((resolve) => clientSocket.once('data', resolve));
  clientSocket.write(`GET http://shop.test:${port}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
  await response;
  for (const socket of siteSockets) socket.destroy();
  await ended;
});

/** Expects that destination lists apply behind an upstream proxy, and that the address of the proxy is checked. */
async function expectRefusals(upstream: EgressPolicy['upstream']): Promise<void> {
  const lists = [{ scope: 'run' as const, rules: parseHostRules(['shop.test']) }];
  const listed = await runProxyFor({ upstream, rules: rules({ lists }) });
  expect((await tunnel(listed.runProxy, 'evil.test:443')).status).toBe(403);
  expect(listed.refused).toMatchObject([{ host: 'evil.test', rule: 'run' }]);
  const strict = await runProxyFor({ upstream, rules: rules({ private: [] }) });
  expect((await tunnel(strict.runProxy, 'shop.test:443')).status).toBe(403);
  expect(strict.refused).toMatchObject([{ host: 'proxy.test', rule: 'private-address' }]);
}

describe('through an upstream proxy', () => {
  let upstream: TcpServer;
  const heads: string[] = [];
  let reply = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nup';
  beforeAll(async () => {
    upstream = createTcp((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (data) => {
        heads.push(data.toString());
        socket.write(reply);
      });
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => upstream.close());
  beforeEach(() => {
    heads.length = 0;
    reply = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nup';
  });
  const access = async () => ({
    server: `http://proxy.test:${(upstream.address() as AddressInfo).port}`,
    username: 'ann',
    password: 'pä:ss',
  });
  const basic = `Basic ${Buffer.from('ann:pä:ss').toString('base64')}`;

  test('requests and tunnels use its password and send names', async () => {
    const { runProxy } = await runProxyFor({ upstream: access });
    expect(await get(runProxy, 'http://shop.test/a?b')).toMatchObject({ status: 200, text: 'up' });
    reply = 'HTTP/1.1 200 Connection established\r\nX: y\r\n\r\nfirst words';
    const { status, socket, first } = await tunnel(runProxy, 'shop.test:443');
    expect([status, first]).toEqual([200, 'first words']);
    socket.destroy();
    expect(heads[0]).toMatch(/^GET http:\/\/shop\.test\/a\?b HTTP\/1\.1\r\n/);
    expect(heads[1]).toMatch(/^CONNECT shop\.test:443 HTTP\/1\.1\r\n/);
    for (const head of heads) expect(head).toContain(`Proxy-Authorization: ${basic}\r\n`);
  });

  test('destination lists apply, and the address of the proxy is checked too', async () => {
    await expectRefusals(access);
    expect(heads).toEqual([]);
  });

  test('a refusal is reported without the password', async () => {
    reply = 'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n';
    const { runProxy, failed } = await runProxyFor({ upstream: access });
    expect((await tunnel(runProxy, 'shop.test:443')).status).toBe(502);
    await expect(get(runProxy, 'http://shop.test/')).rejects.toThrow('socket hang up');
    const reason = 'the proxy of the run rejected the user name and password';
    expect(failed).toEqual([
      { host: 'shop.test', port: 443, reason },
      { host: 'shop.test', port: 80, reason },
    ]);
  });
});

describe('through an upstream SOCKS5 proxy', () => {
  const proxies: SocksServer[] = [];
  afterEach(() => Promise.all(proxies.splice(0).map((proxy) => proxy.close())));
  const user = { name: 'ann', password: 'pä:ss' };
  const proxyFor = async (options: SocksOptions = {}) => {
    const proxy = await startSocks(options);
    proxies.push(proxy);
    const server = `socks5://proxy.test:${proxy.port}`;
    return { proxy, access: async () => ({ server, username: user.name, password: user.password }), server };
  };

  test('requests and tunnels use its password and send names', async () => {
    const { proxy, access } = await proxyFor({ user });
    const lookups: string[] = [];
    const resolve = async (host: string) => [lookups.push(host) > 0 ? '127.0.0.1' : ''];
    const { runProxy, failed } = await runProxyFor({ upstream: access, resolve });
    expect(await get(runProxy, `http://shop.test:${port}/a?b`)).toMatchObject({ status: 200, text: 'here' });
    const { status, socket } = await tunnel(runProxy, `shop.test:${port}`);
    expect(status).toBe(200);
    socket.write('GET /through HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(await textOf(socket)).toContain('here');
    expect((await tunnel(runProxy, `[2606:4700::7]:${port}`)).status).toBe(200);
    // The site receives an ordinary request.
    expect(siteRequests).toMatchObject([{ url: '/a?b', host: `shop.test:${port}` }, { url: '/through' }]);
    expect(proxy.destinations).toEqual([`shop.test:${port}`, `shop.test:${port}`, `2606:4700:0:0:0:0:0:7:${port}`]);
    expect(proxy.users).toEqual(['ann', 'ann', 'ann']);
    expect(new Set(lookups)).toEqual(new Set(['proxy.test']));
    expect(failed).toEqual([]);
  });

  test('a proxy without authentication receives no password', async () => {
    const { proxy, server } = await proxyFor();
    const { runProxy } = await runProxyFor({ upstream: async () => ({ server }) });
    expect(await get(runProxy, `http://shop.test:${port}/`)).toMatchObject({ status: 200 });
    expect(proxy.users).toEqual([]);
  });

  test('destination lists apply, and the address of the proxy is checked too', async () => {
    const { proxy, access } = await proxyFor({ user });
    await expectRefusals(access);
    expect(proxy.destinations).toEqual([]);
  });

  test.each<[string, SocksOptions, string]>([
    ['a wrong password', { user: { ...user, password: 'other' } }, 'rejected the user name and password'],
    ['a destination that is not allowed', { user, lead: () => SOCKS_REPLY.notAllowed }, 'did not connect: not allowed'],
    ['a destination that refuses', { user, lead: () => SOCKS_REPLY.refused }, 'did not connect: connection refused'],
  ])('reports %s without the password', async (_title, options, expected) => {
    const { access } = await proxyFor(options);
    const { runProxy, failed } = await runProxyFor({ upstream: access });
    expect((await tunnel(runProxy, 'shop.test:443')).status).toBe(502);
    await expect(get(runProxy, 'http://shop.test/')).rejects.toThrow('socket hang up');
    const reason = `the proxy of the run ${expected}`;
    expect(failed).toEqual([
      { host: 'shop.test', port: 443, reason },
      { host: 'shop.test', port: 80, reason },
    ]);
  });

  test.each([
    [
      'does not speak SOCKS',
      (clientSocket: Socket) => void clientSocket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
      'did not answer as a SOCKS5 proxy',
    ],
    [
      'goes away',
      (clientSocket: Socket) => void clientSocket.once('data', () => clientSocket.destroy()),
      'closed the connection',
    ],
  ])('a server that %s is reported', async (_title, answer, expected) => {
    const server = createTcp(answer);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const proxyUrl = `socks5://proxy.test:${(server.address() as AddressInfo).port}`;
    const { runProxy, failed } = await runProxyFor({ upstream: async () => ({ server: proxyUrl }) });
    expect((await tunnel(runProxy, 'shop.test:443')).status).toBe(502);
    expect(failed).toEqual([{ host: 'shop.test', port: 443, reason: `the proxy of the run ${expected}` }]);
    server.close();
  });

  test('a password that is too long for SOCKS5 is reported and not sent', async () => {
    const { proxy, server } = await proxyFor({ user });
    const upstream = async () => ({ server, username: 'ann', password: 'ä'.repeat(128) });
    const { runProxy, failed } = await runProxyFor({ upstream });
    expect((await tunnel(runProxy, 'shop.test:443')).status).toBe(502);
    expect(failed).toMatchObject([{ reason: 'SOCKS5 supports names and passwords of at most 255 bytes' }]);
    expect(proxy.destinations).toEqual([]);
  });

  test('connections through the proxy end with the run', async () => {
    const { access } = await proxyFor({ user });
    const run = new AbortController();
    const { runProxy } = await runProxyFor({ upstream: access, signal: run.signal });
    const { socket } = await tunnel(runProxy, `shop.test:${port}`);
    socket.on('error', () => undefined);
    const closed = once(socket, 'close');
    run.abort();
    await closed;
  });
});

const textOf = (socket: Socket) =>
  new Promise<string>((resolve) => {
    let received = '';
    socket.on('data', (part: Buffer) => (received += part.toString()));
    socket.on('close', () => resolve(received));
  });

async function freePort(): Promise<number> {
  const server = createTcp();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: free } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return free;
}
