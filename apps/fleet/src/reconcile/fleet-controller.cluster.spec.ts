import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { holdsWithin } from '@pilothouse/core/time/deadlines';
import { TestNamespace, testImage, RecordingProxy } from '@pilothouse/infra-kube/testing';
import { FleetController } from './fleet-controller.ts';
import { KubernetesDriver } from '../driver/kubernetes/kubernetes.driver.ts';
import { FleetMetrics } from '../fleet.metrics.ts';
import { MemoryJoinTokens } from '../testing/join-tokens.fixture.ts';
import { LogLines } from '../testing/log-lines.fixture.ts';
import { MemoryFleet } from '../testing/memory-fleet.fixture.ts';

// Uses a real API server. Each wait inside has a shorter deadline.
jest.setTimeout(300_000);

let space: TestNamespace;
let wire: RecordingProxy;
let folder: string;
let fleet: MemoryFleet;
let lines: LogLines;
let metrics: FleetMetrics;
let driver: KubernetesDriver;
let controller: FleetController;
let stop: AbortController;
let running: Promise<unknown>;

const template = (spec: object, container: object) => ({
  spec: {
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 1,
    securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
    ...spec,
    containers: [
      {
        name: 'worker',
        image: testImage(),
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        ...container,
      },
    ],
  },
});

async function start(spec: object, container: object = {}): Promise<void> {
  await writeFile(join(folder, 'browser.yaml'), JSON.stringify(template(spec, container)));
  controller = new FleetController({ state: fleet, leader: driver, driver, log: lines, metrics, tickMs: 200 });
  running = controller.run(stop.signal);
  await isTrueWithin(() => controller.isLeader);
}

beforeEach(async () => {
  space = await TestNamespace.make('controller-spec');
  wire = await RecordingProxy.to(space.connection.server);
  folder = await mkdtemp(join(tmpdir(), 'fleet-spec-'));
  fleet = await MemoryFleet.open();
  lines = new LogLines();
  metrics = new FleetMetrics();
  stop = new AbortController();
  const connection = await (await space.asController()).viaAddress('127.0.0.1', wire.port);
  driver = new KubernetesDriver({
    connection,
    namespace: space.name,
    lease: 'pilothouse',
    identity: 'spec',
    templates: folder,
    joinTokens: new MemoryJoinTokens(),
    log: lines,
  });
});
afterEach(async () => {
  stop.abort();
  await running;
  await driver.close();
  await wire.close();
  await fleet.close();
  await space.remove();
  await rm(folder, { recursive: true });
});

const isTrueWithin = async (condition: () => boolean | Promise<boolean>, ms = 60_000) =>
  expect(await holdsWithin(condition, ms, 50)).toBe(true);
const events = async () => {
  const path = `/api/v1/namespaces/${space.name}/events`;
  type Listed = { items: { reason: string; message: string; involvedObject: { kind: string } }[] };
  return (await space.call<Listed>('GET', path)).items.filter(({ involvedObject }) => involvedObject.kind === 'Lease');
};

test('a problem is stored, reported as an event, measured and backed off from within seconds', async () => {
  fleet.waiting = 2;
  fleet.config.slots = 1;
  await start({ nodeSelector: { 'spec.example.com/none': 'none' } });
  await isTrueWithin(() => fleet.conditions.length > 0, 30_000);
  expect(fleet.conditions).toMatchObject([
    { reason: 'Unschedulable', message: expect.stringMatching(/^browser-[a-z2-9]{8}: .*nodes are available/) },
  ]);
  await isTrueWithin(async () => (await events()).length > 0);
  expect(await events()).toMatchObject([
    { reason: 'Unschedulable', message: expect.stringMatching(/^Fleet browser: browser-/) },
  ]);
  await isTrueWithin(async () =>
    (await metrics.registry.metrics()).includes('pilothouse_fleet_condition{fleet="browser",reason="Unschedulable"} 1'),
  );
  // Two workers are needed and exist: no more are created while they start.
  expect(await space.podList()).toHaveLength(2);
  expect(fleet.records.map(({ decision }) => decision.action)).toEqual(['create']);
});

test('an exceeded quota is reported as QuotaExceeded', async () => {
  await space.call('POST', `/api/v1/namespaces/${space.name}/resourcequotas`, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'none' },
    spec: { hard: { pods: '0' } },
  });
  fleet.waiting = 1;
  await start({});
  await isTrueWithin(() => fleet.conditions.some(({ reason }) => reason === 'QuotaExceeded'));
  await isTrueWithin(() => lines.find('1 more wanted (backoff): pods "browser-') !== undefined);
  expect(await space.podList()).toEqual([]);
});

test('an evicted worker is reported and replaced once', async () => {
  fleet.config.minWorkers = 1;
  await start(
    {},
    { command: ['node', '-e', 'process.on("SIGTERM", () => process.exit(0)); setInterval(() => 0, 1000)'] },
  );
  await isTrueWithin(async () => (await space.podList())[0]?.status.phase === 'Running');
  const name = (await space.podList())[0]?.metadata.name ?? '';
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } };
  await space.call('POST', `${space.pods}/${name}/eviction`, eviction);
  await isTrueWithin(() => fleet.conditions.some(({ reason }) => reason === 'Evicted'));
  expect(fleet.conditions).toMatchObject([
    { reason: 'Evicted', count: 1, message: expect.stringContaining(`${name} ended: evicted: `) },
  ]);
  await isTrueWithin(() => fleet.records.filter(({ decision }) => decision.action === 'create').length === 2);
  await isTrueWithin(async () => {
    const pods = await space.podList();
    return pods.length === 1 && pods[0]?.metadata.name !== name && pods[0]?.status.phase === 'Running';
  });
});

test('a fixed template replaces workers that could not start', async () => {
  fleet.waiting = 1;
  await start({}, { image: 'example.invalid/none:1' });
  await isTrueWithin(() => fleet.conditions.some(({ reason }) => reason === 'ImagePullFailed'));
  const [stuck] = await space.podList();
  const fixedTemplate = template({}, { command: ['node', '-e', 'setInterval(() => 0, 1000)'] });
  await writeFile(join(folder, 'browser.yaml'), JSON.stringify(fixedTemplate));
  await isTrueWithin(async () => {
    const pods = await space.podList();
    return pods.length === 1 && pods[0]?.metadata.name !== stuck?.metadata.name;
  });
  await isTrueWithin(async () => (await space.podList())[0]?.status.phase === 'Running');
});

test('during an API outage nothing is decided; afterwards the controller catches up', async () => {
  await start({ nodeSelector: { 'spec.example.com/none': 'none' } });
  wire.cut();
  await isTrueWithin(() => lines.find('reconcile loop failed: The Kubernetes API') !== undefined);
  fleet.waiting = 1;
  await isTrueWithin(() => !controller.isLeader);
  expect(fleet.records).toEqual([]);
  expect(controller.isHealthy).toBe(true);
  wire.restore();
  await isTrueWithin(() => controller.isLeader);
  await isTrueWithin(() => fleet.records.length > 0);
  expect(await space.podList()).toHaveLength(1);
  expect(fleet.records.map(({ workers }) => workers.length)).toEqual([1]);
});
