import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Leadership } from '@pilothouse/core/ports/fleet-state.port';
import { KubeClient } from '@pilothouse/infra-kube';
import { MemoryJoinTokens } from '../../testing/join-tokens.fixture.ts';
import { LogLines } from '../../testing/log-lines.fixture.ts';
import { KubernetesDriver } from './kubernetes.driver.ts';

const plan = { fleet: 'browser', surface: 'browser' as const, slots: 2 };
const meta = { uid: 'u-1', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };

interface Body {
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

interface Received {
  readonly method: string;
  readonly resource: string;
  readonly name: string;
  readonly body: Body;
}

/** Refusals of the API server, by method and resource, e.g. `POST secrets`. */
let failures: Map<string, number>;
let requests: Received[];
let pods: Map<string, Body>;
let server: Server;
let folder: string;
let joinTokens: MemoryJoinTokens;
let driver: KubernetesDriver;
let leadership: Leadership;
const context = () => ({ signal: AbortSignal.timeout(20_000), deadline: Infinity, log: new LogLines() });

/** Executes a request on the pods. The other resources are only recorded. */
function answer({ method, resource, name, body }: Received): object {
  const object = { ...body, metadata: { name, ...body.metadata, ...meta }, status: {} };
  if (resource !== 'pods') return object;
  if (method === 'POST') pods.set(object.metadata.name, object);
  if (method === 'GET' && name === '') return { metadata: { resourceVersion: '1' }, items: [...pods.values()] };
  return pods.get(object.metadata.name) ?? object;
}

beforeEach(async () => {
  failures = new Map();
  requests = [];
  pods = new Map();
  server = createServer((request, response) => {
    void text(request).then((sent) => {
      const url = new URL(request.url ?? '', 'http://localhost');
      const [, resource = '', name = ''] = /\/(pods|secrets|leases)(?:\/([^/]+))?$/.exec(url.pathname) ?? [];
      const received = { method: request.method ?? '', resource, name, body: sent ? (JSON.parse(sent) as Body) : {} };
      requests.push(received);
      const result = answer(received);
      const status = failures.get(`${received.method} ${resource}`);
      response.writeHead(status ?? 200, { 'content-type': 'application/json' });
      // A watch without events stays open.
      if (url.searchParams.has('watch')) return void response.flushHeaders();
      const failure = { kind: 'Status', reason: status === 409 ? 'AlreadyExists' : 'Forbidden', message: 'refused' };
      response.end(JSON.stringify(status === undefined ? result : failure));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  folder = await mkdtemp(join(tmpdir(), 'join-secret-'));
  await writeFile(join(folder, 'browser.yaml'), 'spec: {containers: [{name: worker, image: "example.com/worker:1"}]}');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const kubeconfig = join(folder, 'kubeconfig.json');
  const clusters = [{ name: 'c', cluster: { server: url, 'insecure-skip-tls-verify': true } }];
  const contexts = [{ name: 'x', context: { cluster: 'c', user: 'u' } }];
  const users = [{ name: 'u', user: {} }];
  await writeFile(
    kubeconfig,
    JSON.stringify({ apiVersion: 'v1', kind: 'Config', clusters, contexts, users, 'current-context': 'x' }),
  );
  joinTokens = new MemoryJoinTokens();
  driver = new KubernetesDriver({
    connection: await KubeClient.open(kubeconfig),
    namespace: 'agents',
    lease: 'pilothouse',
    identity: 'spec',
    templates: folder,
    joinTokens,
    log: new LogLines(),
  });
  leadership = await driver.lead(new AbortController().signal);
});
afterEach(async () => {
  await leadership.release();
  await driver.close();
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

const isPodCreation = ({ method, resource }: Received) => method === 'POST' && resource === 'pods';
const sent = (method: string, resource: string) =>
  requests.filter((request) => request.method === method && request.resource === resource);

test('a pod gets the Secret of its join token after its creation, and nothing else contains the token', async () => {
  await driver.create(plan, 'browser-a', context());
  expect(joinTokens.issued).toEqual(['browser/browser-a']);
  const token = 'jt_token-of-the-worker-browser-a';
  const [secret] = sent('POST', 'secrets');
  expect(secret?.body).toMatchObject({
    metadata: { name: 'browser-a', ownerReferences: [{ kind: 'Pod', name: 'browser-a', uid: 'u-1' }] },
    stringData: { token },
  });
  expect(requests.findIndex(isPodCreation)).toBeLessThan(requests.indexOf(secret!));
  expect(JSON.stringify(requests.filter((request) => request !== secret))).not.toContain(token);
});

test('a pod whose Secret is refused is reported and deleted, because it would never start', async () => {
  failures.set('POST secrets', 403);
  await expect(driver.create(plan, 'browser-a', context())).rejects.toMatchObject({ reason: 'CreateFailed' });
  expect(joinTokens.ended).toEqual(['browser/browser-a']);
  await driver.list(context());
  expect(sent('DELETE', 'pods')).toMatchObject([{ name: 'browser-a', body: { preconditions: { uid: 'u-1' } } }]);
});

test('a pod that a first attempt created gets its Secret', async () => {
  failures.set('POST pods', 409);
  await driver.create(plan, 'browser-a', context());
  expect(sent('POST', 'secrets')).toMatchObject([{ body: { metadata: { name: 'browser-a' } } }]);
  await driver.list(context());
  expect(sent('DELETE', 'pods')).toEqual([]);
});

test('without a join token no pod is created', async () => {
  joinTokens.error = new Error('the database is not available');
  await expect(driver.create(plan, 'browser-a', context())).rejects.toThrow('the database is not available');
  expect(sent('POST', 'pods')).toEqual([]);
});
