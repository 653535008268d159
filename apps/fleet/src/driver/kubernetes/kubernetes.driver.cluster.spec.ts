import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DriverWorker, WorkerExit } from '@pilothouse/core/ports/fleet-driver.port';
import type { Leadership } from '@pilothouse/core/ports/fleet-state.port';
import { holdsWithin } from '@pilothouse/core/time/deadlines';
import { hasStatus, type KubeClient, type Pod } from '@pilothouse/infra-kube';
import { TestNamespace, testImage, RecordingProxy } from '@pilothouse/infra-kube/testing';
import { MemoryJoinTokens } from '../../testing/join-tokens.fixture.ts';
import { LogLines } from '../../testing/log-lines.fixture.ts';
import { KubernetesDriver } from './kubernetes.driver.ts';
import { generateWorkerName } from '../../reconcile/decision-executor.ts';

// Uses real pods and nodes. Each wait inside has a shorter deadline.
jest.setTimeout(400_000);

let space: TestNamespace;
/** Connection with the permissions of a release. */
let connection: KubeClient;
let folder: string;
let lines: LogLines;
let driver: KubernetesDriver;
let lead: Leadership;
let exits: WorkerExit[];
const openedDrivers: KubernetesDriver[] = [];

/** A template that conforms to Pod Security `restricted`. @param container overrides of its container */
const template = (container: object = {}, spec: object = {}) =>
  JSON.stringify({
    metadata: { labels: { 'app.kubernetes.io/instance': 'spec' } },
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 20,
      securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
      ...spec,
      containers: [
        {
          name: 'worker',
          image: testImage(),
          imagePullPolicy: 'IfNotPresent',
          command: node(waitForExit),
          // PID 1 ignores signals without a handler, so the pod is ready once the handler is set.
          readinessProbe: { exec: { command: ['test', '-e', '/tmp/ready'] }, periodSeconds: 1 },
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          ...container,
        },
      ],
    },
  });
const node = (script: string) => ['node', '-e', script];
const waitForExit = `process.on('SIGTERM', () => process.exit(0));
  setInterval(() => 0, 1000);
  fs.writeFileSync('/tmp/ready', '');`;

beforeAll(async () => {
  space = await TestNamespace.make('fleet-spec');
  connection = await space.asController();
  lines = new LogLines();
});
afterAll(async () => {
  connection.close();
  await space.remove();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fleet-spec-'));
  exits = [];
  driver = open();
  driver.onExit((exit) => exits.push(exit));
  lead = await driver.lead(AbortSignal.timeout(90_000));
});
afterEach(async () => {
  await lead.release();
  for (const openedDriver of openedDrivers.splice(0)) await openedDriver.close();
  for (const { metadata } of await space.podList()) {
    const body = { gracePeriodSeconds: 0 };
    await space.call('DELETE', `${space.pods}/${metadata.name}`, body).catch((error: unknown) => {
      if (!hasStatus(error, 404)) throw error;
    });
  }
  await rm(folder, { recursive: true });
});

function open(through = connection.clone(), identity = 'spec-a'): KubernetesDriver {
  const options = {
    connection: through,
    namespace: space.name,
    lease: 'pilothouse',
    identity,
    templates: folder,
    joinTokens: new MemoryJoinTokens(),
    log: lines,
  };
  const createdDriver = new KubernetesDriver(options);
  openedDrivers.push(createdDriver);
  return createdDriver;
}

const context = () => ({ signal: AbortSignal.timeout(90_000), deadline: Infinity, log: lines });
const list = (listedDriver = driver) => listedDriver.list(context());
const find = async (name: string, listedDriver = driver) =>
  (await list(listedDriver)).find((worker) => worker.name === name);
const isTrueWithin = async (condition: () => boolean | Promise<boolean>, ms = 90_000) =>
  expect(await holdsWithin(condition, ms, 50)).toBe(true);
const pod = (name: string) => space.call<Pod>('GET', `${space.pods}/${name}`);
const isReady = async (name: string) =>
  (await pod(name)).status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
const isGone = (name: string) =>
  pod(name).then(
    () => false,
    (error: unknown) => hasStatus(error, 404),
  );

/** Creates a worker of a fleet with a separate template. */
async function create(fleet: string, text = template()): Promise<string> {
  await writeFile(join(folder, `${fleet}.yaml`), text);
  const name = generateWorkerName(fleet);
  await driver.create({ fleet, slots: 2, surface: 'browser' }, name, context());
  return name;
}

/** Waits until the driver reports an issue of a worker. */
async function issueOf(name: string): Promise<DriverWorker['issue']> {
  let issue: DriverWorker['issue'];
  await isTrueWithin(async () => (issue = (await find(name))?.issue) !== undefined);
  return issue;
}

const exit = async (name: string): Promise<WorkerExit | undefined> => {
  await isTrueWithin(() => exits.some((exit) => exit.name === name));
  return exits.find((exit) => exit.name === name);
};

test('a worker pod has labels, owner and eviction protection, and runs', async () => {
  const name = await create('browser');
  // Listed immediately, before the watch reports it.
  expect(await find(name)).toMatchObject({ fleet: 'browser', state: 'running', isEvictionProtected: true });
  const { metadata } = await pod(name);
  expect(metadata.labels).toMatchObject({
    'app.kubernetes.io/name': 'pilothouse',
    'app.kubernetes.io/component': 'worker',
    'app.kubernetes.io/instance': 'spec',
    'pilothouse.dev/fleet': 'browser',
    'pilothouse.dev/template': driver.template('browser'),
  });
  expect(metadata.annotations).toMatchObject({
    'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
    'karpenter.sh/do-not-disrupt': 'true',
  });
  expect(metadata.ownerReferences).toMatchObject([{ kind: 'Lease', name: 'pilothouse', controller: true }]);
  await isTrueWithin(async () => (await find(name))?.progress?.startedAt !== undefined);
  const { createdAt = 0, scheduledAt = 0, startedAt: containerStartedAt = 0 } = (await find(name))?.progress ?? {};
  expect(scheduledAt).toBeGreaterThanOrEqual(createdAt - 100);
  expect(containerStartedAt).toBeGreaterThanOrEqual(scheduledAt);

  // It exits after SIGTERM, and its pod is removed.
  await isTrueWithin(() => isReady(name));
  await driver.stop(name, context());
  await isTrueWithin(async () => (await find(name))?.state !== 'running');
  expect(await exit(name)).toMatchObject({ fleet: 'browser', description: 'exit code 0' });
  await isTrueWithin(() => isGone(name));
  expect(exits).toHaveLength(1);
});

test('eviction protection is removed and restored', async () => {
  const name = await create('browser');
  await driver.setEvictionProtection(name, false, context());
  await isTrueWithin(async () => (await find(name))?.isEvictionProtected === false);
  // Without the annotation an autoscaler would keep the node of a pod with local volumes.
  expect((await pod(name)).metadata.annotations).toEqual({ 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true' });
  await driver.setEvictionProtection(name, true, context());
  await isTrueWithin(async () => (await find(name))?.isEvictionProtected === true);
  await driver.setEvictionProtection('browser-missing2', true, context());
});

test('a pod that succeeds is reported and deleted', async () => {
  const name = await create('browser', template({ command: node('process.exit(0)') }));
  const exitOf = await exit(name);
  expect([exitOf?.description, exitOf?.reason]).toEqual(['exit code 0', undefined]);
  await isTrueWithin(async () => (await list()).length === 0 && (await isGone(name)));
});

test('a failed pod reports its exit code and is kept for its log', async () => {
  const name = await create('browser', template({ command: node('process.exit(3)') }));
  expect(await exit(name)).toMatchObject({ description: 'exit code 3' });
  expect(await list()).toEqual([]);
  expect((await pod(name)).status.phase).toBe('Failed');
  await isTrueWithin(async () => (await list()).length === 0 && (await isGone(name)));
  expect(exits).toHaveLength(1);
});

test('a pod over its memory limit is reported as OutOfMemory', async () => {
  const eat = 'const all = []; for (;;) all.push(Buffer.alloc(1 << 20, 1))';
  const name = await create('hungry', template({ command: node(eat), resources: { limits: { memory: '32Mi' } } }));
  expect(await exit(name)).toMatchObject({
    reason: 'OutOfMemory',
    description: 'out of memory: its container exceeded the memory limit',
  });
});

test('a pod that no node accepts is Unschedulable', async () => {
  const name = await create('large', template({ resources: { requests: { cpu: '100' } } }));
  expect(await issueOf(name)).toMatchObject({
    reason: 'Unschedulable',
    message: expect.stringMatching(/nodes are available.*Insufficient cpu/),
  });
  await driver.stop(name, context());
  expect(await exit(name)).toMatchObject({ description: 'deleted before its start' });
});

test('a missing image is reported as ImagePullFailed', async () => {
  const name = await create('lost', template({ image: 'example.invalid/none:1' }));
  expect(await issueOf(name)).toMatchObject({
    reason: 'ImagePullFailed',
    message: expect.stringMatching(/^example.invalid\/none:1: /),
  });
});

test('a container that cannot start is reported', async () => {
  const name = await create('wrong', template({ command: ['/does/not/exist'] }));
  expect(await exit(name)).toMatchObject({
    reason: 'CreateFailed',
    description: expect.stringContaining('no such file'),
  });
  const secret = { name: 'A', valueFrom: { secretKeyRef: { name: 'none', key: 'x' } } };
  const secretlessPod = await create('secretless', template({ env: [secret] }));
  expect(await issueOf(secretlessPod)).toMatchObject({ reason: 'CreateFailed' });
  // A busy node first reports that it could not read the secret.
  await isTrueWithin(async () => (await find(secretlessPod))?.issue?.message === 'secret "none" not found');
});

test('a quota, a policy or an invalid template is reported', async () => {
  const quota = `/api/v1/namespaces/${space.name}/resourcequotas`;
  await space.call('POST', quota, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'none' },
    spec: { hard: { pods: '0' } },
  });
  await isTrueWithin(async () => {
    const response = await space.call<{ status?: { hard?: object } }>('GET', `${quota}/none`);
    return response.status?.hard !== undefined;
  });
  await expect(create('browser')).rejects.toMatchObject({
    reason: 'QuotaExceeded',
    message: expect.stringContaining('exceeded quota: none'),
  });
  await space.call('DELETE', `${quota}/none`);
  await expect(create('rooted', template({}, { securityContext: {} }))).rejects.toMatchObject({
    reason: 'CreateFailed',
    message: expect.stringContaining('violates PodSecurity "restricted'),
  });
  await expect(create('odd', template({ image: '' }))).rejects.toMatchObject({
    reason: 'CreateFailed',
    message: expect.stringContaining('The pod template of fleet odd was rejected: '),
  });
});

test('an eviction is reported', async () => {
  const name = await create('browser');
  await isTrueWithin(async () => (await pod(name)).status.phase === 'Running');
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } };
  await space.call('POST', `${space.pods}/${name}/eviction`, eviction);
  expect(await exit(name)).toMatchObject({ reason: 'Evicted', description: expect.stringMatching(/^evicted: /) });
});

test('a pod on a lost node stays until it is discarded', async () => {
  const node = await silentNode();
  const taint = { key: 'spec.example.com/silent', operator: 'Exists' };
  const unreachable = { key: 'node.kubernetes.io/unreachable', operator: 'Exists' };
  const name = await create('browser', template({}, { nodeName: node.name, tolerations: [taint, unreachable] }));
  await node.run(name);
  expect((await find(name))?.isNodeLost).toBeUndefined();
  // The node controller waits before it marks a node as lost: 50 s by default.
  await isTrueWithin(async () => (await find(name))?.isNodeLost === true, 180_000);
  expect(await find(name)).toMatchObject({ issue: { reason: 'NodeLost' } });
  await driver.stop(name, context());
  await isTrueWithin(async () => (await find(name))?.state === 'stopping');
  expect(exits).toEqual([]);
  await driver.discard(name, context());
  expect(await exit(name)).toMatchObject({ reason: 'NodeLost', description: `its node ${node.name} is gone` });
  await isTrueWithin(() => isGone(name));
  expect(exits).toHaveLength(1);
  await node.remove();
});

test('a standby controller adopts the pods and reports exits that happened meanwhile', async () => {
  const stays = await create('browser');
  const ends = await create('short', template({ command: node('setTimeout(() => process.exit(4), 3000)') }));
  const second = open(undefined, 'spec-b');
  const observedExits: WorkerExit[] = [];
  second.onExit((exit) => observedExits.push(exit));
  const leads = second.lead(AbortSignal.timeout(90_000));
  await lead.release();
  await openedDrivers.shift()?.close();
  const next = await leads;
  expect(await find(stays, second)).toMatchObject({ fleet: 'browser', template: second.template('browser') });
  await isTrueWithin(() =>
    observedExits.some(({ name, description }) => name === ends && description === 'exit code 4'),
  );
  expect(observedExits.filter(({ name }) => name === ends)).toHaveLength(1);
  expect((await pod(stays)).metadata.deletionTimestamp).toBeUndefined();
  await next.release();
});

test('during an API outage nothing is decided; afterwards exits are reported', async () => {
  await lead.release();
  const wire = await RecordingProxy.to(space.connection.server);
  const far = open(await connection.viaAddress('127.0.0.1', wire.port), 'spec-far');
  const leads = await far.lead(AbortSignal.timeout(90_000));
  const name = await create('browser');
  await isTrueWithin(async () => (await find(name, far)) !== undefined);
  wire.cut();
  await isTrueWithin(() =>
    list(far).then(
      () => false,
      () => true,
    ),
  );
  await expect(list(far)).rejects.toThrow('decisions wait for its current state');
  await expect(far.create({ fleet: 'browser', slots: 2, surface: 'browser' }, 'browser-x', context())).rejects.toThrow(
    'The Kubernetes API is not reachable',
  );
  await isTrueWithin(() => leads.lossSignal.aborted);
  await space.call('DELETE', `${space.pods}/${name}`, { gracePeriodSeconds: 0 });
  wire.restore();
  await isTrueWithin(() =>
    list(far).then(
      (workers) => workers.length === 0,
      () => false,
    ),
  );
  await leads.release();
  await openedDrivers.pop()?.close();
  await wire.close();
});

test('pods are garbage-collected with the Lease', async () => {
  const name = await create('browser');
  await isTrueWithin(async () => (await pod(name)).status.phase === 'Running');
  await space.call('DELETE', `${space.leases}/pilothouse`);
  await isTrueWithin(() => isGone(name));
  await space.makeLease('pilothouse');
});

/** A node without a kubelet, as after a power failure: it was ready and sends no updates. */
async function silentNode() {
  const name = `${space.name}-silent`;
  const now = new Date().toISOString().replace(/\.\d+Z/, 'Z');
  await space.call('POST', '/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    spec: { taints: [{ key: 'spec.example.com/silent', effect: 'NoSchedule' }] },
  });
  const condition = (type: string, reason?: string) => ({
    type,
    status: 'True',
    reason,
    lastTransitionTime: now,
    ...(type === 'Ready' && reason && { lastHeartbeatTime: now }),
  });
  await space.call('PATCH', `/api/v1/nodes/${name}/status`, {
    status: { conditions: [condition('Ready', 'KubeletReady')] },
  });
  return {
    name,
    /** Sets the status of a pod like a kubelet. */
    run: (pod: string) =>
      space.call('PATCH', `${space.pods}/${pod}/status`, {
        status: {
          phase: 'Running',
          conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => condition(type)),
        },
      }),
    remove: () => space.call('DELETE', `/api/v1/nodes/${name}`),
  };
}
