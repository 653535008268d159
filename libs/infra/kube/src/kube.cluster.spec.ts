import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { KubeClient } from './kube-client.ts';
import { KubeEventRecorder } from './kube-events.ts';
import { type KubeLease, LeaseClient, LeaseLeaderElection, type LeaseLeaderElectionDeps } from './leader-election.ts';
import { PodClient } from './pod-client.ts';
import { TestNamespace, testImage, RecordingProxy } from './testing/test-cluster.ts';
import { PodInformer } from './pod-informer.ts';

let space: TestNamespace;
let wire: RecordingProxy;
let wired: KubeClient;
const open: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  space = await TestNamespace.make('kube-spec');
});
afterAll(() => space.remove());
beforeEach(async () => {
  wire = await RecordingProxy.to(space.connection.server);
  wired = await space.connection.viaAddress('127.0.0.1', wire.port);
});
afterEach(async () => {
  for (const close of open.splice(0)) await close();
  await wire.close();
  wired.close();
});

const signal = () => AbortSignal.timeout(60_000);
const labels = { 'spec.example.com/watched': 'yes' };
const manifest = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels },
  spec: {
    // Not scheduled: these specs test the API only.
    nodeSelector: { 'spec.example.com/none': 'none' },
    securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        name: 'worker',
        image: testImage(),
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      },
    ],
  },
});
const direct = () => new PodClient(space.connection, space.name, labels);
const names = (informer: PodInformer) => [...informer.current.keys()].sort();
const isStale = (informer: PodInformer) => {
  try {
    return informer.current === undefined;
  } catch {
    return true;
  }
};

function watch(): { informer: PodInformer; log: ReturnType<typeof memoryLog> } {
  const log = memoryLog();
  const informer = new PodInformer({ pods: new PodClient(wired, space.name, labels), log });
  open.push(() => informer.close());
  return { informer, log };
}

/** A server of the spec in place of the API server. */
async function connectionTo(server: Server): Promise<KubeClient> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const folder = await mkdtemp(join(tmpdir(), 'kube-spec-'));
  const file = join(folder, 'kubeconfig');
  const kubeconfig = {
    clusters: [{ name: 'spec', cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'spec', user: {} }],
    contexts: [{ name: 'spec', context: { cluster: 'spec', user: 'spec' } }],
    'current-context': 'spec',
  };
  await writeFile(file, JSON.stringify(kubeconfig));
  const connection = await KubeClient.open(file);
  await rm(folder, { recursive: true });
  open.push(async () => {
    connection.close();
    server.close();
    await once(server, 'close');
  });
  return connection;
}

describe('PodInformer', () => {
  afterEach(async () => {
    for (const { metadata } of await space.podList()) await direct().remove(metadata.name, metadata.uid, signal(), 0);
  });

  test('follows created and deleted pods with the labels', async () => {
    const created = await direct().create(manifest('a'), signal());
    await space.call('POST', space.pods, { ...manifest('other'), metadata: { name: 'other' } });
    const { informer } = watch();
    const changes: string[] = [];
    informer.onChange(({ pod, isRemoved }) => changes.push(`${pod.metadata.name} ${isRemoved ? 'gone' : 'seen'}`));
    await until('the pods are listed', () => !isStale(informer));
    await direct().create(manifest('b'), signal());
    await until('b is listed', () => names(informer).join() === 'a,b');
    await direct().remove('a', created.metadata.uid, signal(), 0);
    await until('a is removed', () => names(informer).join() === 'b');
    expect(changes[0]).toBe('a seen');
    expect(changes.at(-1)).toBe('a gone');
    // Fields that are not read are not stored.
    expect(Object.keys(informer.current.get('b')?.spec ?? {})).toEqual(['nodeName', 'containers']);
  });

  test('a new pod of the same name is a different pod', async () => {
    await direct().create(manifest('a'), signal());
    const unknownUid = '00000000-0000-4000-8000-000000000000';
    await expect(direct().remove('a', unknownUid, signal())).rejects.toMatchObject({ status: 409 });
    expect(await space.podList()).toHaveLength(1);
  });

  test('after a cut connection the state becomes stale within seconds and is refreshed on reconnect', async () => {
    const { informer, log } = watch();
    await until('the pods are listed', () => !isStale(informer));
    wire.cut();
    await direct().create(manifest('meanwhile'), signal());
    expect(names(informer)).toEqual([]);
    await until('the list is stale', () => isStale(informer), 10_000);
    expect(() => informer.current).toThrow(
      /^The Kubernetes API is silent for \d+ s: decisions wait for its current state$/,
    );
    wire.restore();
    await until('the list is current', () => !isStale(informer) && names(informer).join() === 'meanwhile');
    // Logged once for many attempts.
    expect(log.lines.filter(({ level }) => level === 'warn').length).toBeLessThanOrEqual(3);
    expect(log.lines.at(-1)?.message).toBe('Kubernetes API available again');
  });

  test('a stalled connection is detected', async () => {
    const { informer } = watch();
    await until('the pods are listed', () => !isStale(informer));
    wire.pause();
    await direct().create(manifest('unseen'), signal());
    await until('the list is stale', () => isStale(informer), 30_000);
    wire.restore();
    await until('the list is current', () => !isStale(informer) && names(informer).join() === 'unseen');
  });

  // In the words of an API server of 1.34. When a real one forgets a version is its own affair: a young one knows them all.
  const expired = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'too old resource version: 1 (3597)',
    reason: 'Expired',
    code: 410,
  };
  test.each([
    ['at once', 410, expired],
    ['in the middle of a watch', 200, { type: 'ERROR', object: expired }],
  ])('a watch that lost its position lists again: %s', async (_title, status, line) => {
    const forgetful = createServer((_request, response) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(line)}\n`),
    );
    const stale = await connectionTo(forgetful);
    const real = new PodClient(wired, space.name, labels);
    let lists = 0;
    const pods = {
      list: (ends: AbortSignal) => {
        lists += 1;
        return real.list(ends);
      },
      watch: (version: string, ends: AbortSignal, startedAt: () => void) =>
        (lists === 1 ? new PodClient(stale, space.name, labels) : real).watch(version, ends, startedAt),
    };
    const informer = new PodInformer({ pods, log: memoryLog() });
    open.push(() => informer.close());
    await until('it lists again', () => lists >= 2, 30_000);
    await direct().create(manifest('after'), signal());
    await until('it follows', () => !isStale(informer) && names(informer).join() === 'after');
    expect(lists).toBe(2);
  });

  test('refresh lists again', async () => {
    const { informer } = watch();
    await until('the pods are listed', () => !isStale(informer));
    const pod = await direct().create(manifest('fresh'), signal());
    await informer.refresh(signal());
    expect(names(informer)).toEqual(['fresh']);
    await direct().remove('fresh', pod.metadata.uid, signal(), 0);
    await until('it is removed', () => names(informer).length === 0);
    // An answer that comes late does not bring it back.
    informer.apply(pod);
    expect(names(informer)).toEqual([]);
  });
});

describe('LeaseLeaderElection', () => {
  const times = {
    durationMs: 3_000,
    deadlineMs: 2_000,
    renewIntervalMs: 300,
  } satisfies Partial<LeaseLeaderElectionDeps>;
  const leader = (identity: string, lease: string, connection = wired) =>
    new LeaseLeaderElection({
      leases: new LeaseClient(connection, space.name, lease),
      identity,
      log: memoryLog(),
      ...times,
    });
  const holder = async (lease: string) =>
    (await space.call<KubeLease>('GET', `${space.leases}/${lease}`)).spec?.holderIdentity;

  test('the next candidate leads as soon as the leader releases', async () => {
    await space.makeLease('one');
    const first = await leader('a', 'one').lead(signal());
    await expect(leader('b', 'one').lead(AbortSignal.timeout(5_000))).rejects.toThrow();
    expect([await holder('one'), first.lossSignal.aborted]).toEqual(['a', false]);
    const next = leader('b', 'one').lead(signal());
    await first.release();
    const second = await next;
    expect(await holder('one')).toBe('b');
    await second.release();
    expect(await holder('one')).toBe('');
  });

  test('a leader that cannot renew stops before another starts', async () => {
    await space.makeLease('two');
    const first = await leader('a', 'two').lead(signal());
    const startedAt = performance.now();
    let lostAfter = 0;
    first.lossSignal.addEventListener('abort', () => (lostAfter = performance.now() - startedAt));
    wire.pause();
    const second = await leader('b', 'two', space.connection).lead(signal());
    const ledAfter = performance.now() - startedAt;
    expect(lostAfter).toBeGreaterThan(0);
    expect(lostAfter).toBeLessThan(ledAfter);
    expect(ledAfter).toBeGreaterThan(2_500);
    expect(await holder('two')).toBe('b');
    await first.release();
    await second.release();
  });

  test('a renewal is limited by the remaining lease time', async () => {
    await space.makeLease('late');
    const leases = new LeaseClient(wired, space.name, 'late');
    // All that is left is less than two of its rests, as for one that was held up.
    const slow = {
      durationMs: 12_000,
      deadlineMs: 8_000,
      renewIntervalMs: 4_500,
    } satisfies Partial<LeaseLeaderElectionDeps>;
    const first = await new LeaseLeaderElection({ leases, identity: 'a', log: memoryLog(), ...slow }).lead(signal());
    const renewed = async () => (await space.call<KubeLease>('GET', `${space.leases}/late`)).spec?.renewTime;
    const previousRenewal = await renewed();
    await until('it renews', async () => (await renewed()) !== previousRenewal);
    expect(first.lossSignal.aborted).toBe(false);
    await first.release();
  });

  test('a replaced leader is notified', async () => {
    await space.makeLease('three');
    const first = await leader('a', 'three').lead(signal());
    await space.call('PATCH', `${space.leases}/three`, { spec: { holderIdentity: 'another' } });
    await until('it is lost', () => first.lossSignal.aborted);
    await first.release();
    expect(await holder('three')).toBe('another');
  });

  test('a change of the Lease labels keeps the leadership', async () => {
    await space.makeLease('four');
    const first = await leader('a', 'four').lead(signal());
    await space.call('PATCH', `${space.leases}/four`, { metadata: { labels: { changed: 'yes' } } });
    const previousRenewal = (await space.call<KubeLease>('GET', `${space.leases}/four`)).spec?.renewTime;
    await until('it renews', async () => {
      const { spec, metadata } = await space.call<KubeLease>('GET', `${space.leases}/four`);
      return spec?.renewTime !== previousRenewal && metadata.labels?.changed === 'yes';
    });
    expect(first.lossSignal.aborted).toBe(false);
    await first.release();
  });

  test('a missing Lease is reported with the fix', async () => {
    await expect(leader('a', 'none').lead(signal())).rejects.toThrow(
      `Lease none in the namespace ${space.name} not found: the chart creates it`,
    );
  });
});

test('a repeated event is one event with a count, also across controllers', async () => {
  const lease = await space.makeLease('told');
  const subject = { ...lease, apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
  let monotonic = 0;
  const clock = { now: () => new Date(), monotonic: () => monotonic };
  const events = () =>
    new KubeEventRecorder({
      connection: space.connection,
      namespace: space.name,
      component: 'pilothouse-fleet',
      instance: 'a',
      log: memoryLog(),
      clock,
    });
  const readEvent = async () => {
    const { items } = await space.call<{
      items: { involvedObject: { name: string }; message: string; count: number }[];
    }>('GET', `/api/v1/namespaces/${space.name}/events`);
    return items
      .filter(({ involvedObject }) => involvedObject.name === 'told')
      .map(({ message, count }) => [message, count]);
  };
  const first = events();
  await first.warn(subject, 'browser Unschedulable', 'Unschedulable', 'no room', signal());
  await first.warn(subject, 'browser Unschedulable', 'Unschedulable', 'still no room', signal());
  expect(await readEvent()).toEqual([['no room', 1]]);
  monotonic += 61_000;
  await first.warn(subject, 'browser Unschedulable', 'Unschedulable', 'still no room', signal());
  expect(await readEvent()).toEqual([['still no room', 2]]);
  await events().warn(subject, 'browser Unschedulable', 'Unschedulable', 'no room again', signal());
  expect((await readEvent()).length).toBe(1);
});
