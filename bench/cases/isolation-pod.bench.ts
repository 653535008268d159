/**
 * Counts what a program of a desktop run reaches in a pod of the chart, in a namespace that enforces `restricted`. One run leaves a process
 * and files. Then two runs probe the same pod at the same time, each in its own slot. The control runs the probe in the container of the worker.
 * Needs KUBECONFIG, and the images of `PILOTHOUSE_CHART_VALUES` with xterm and Mousepad.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kubectl } from '../../apps/e2e/src/chart/chart-tools.fixture.ts';
import { ClusterInstallation } from '../../apps/e2e/src/cluster/cluster-installation.ts';
import { until } from '../../apps/e2e/src/harness/poll-until.ts';
import type { PodProbeResult, PodTargets } from '../../libs/surface/desktop/src/testing/pod-probe.ts';
import { atLeast, atMost, type Bench } from '../harness/bench.ts';

const MINUTE_MS = 60_000;
const SURVIVOR = 'isolation-survivor';
const MARKER = 'isolation-marker-';
const SECRET = 'secret-value-7c1f9e';
const RESULT = '/tmp/isolation-result.json';
const testing = join(import.meta.dirname, '../../libs/surface/desktop/src/testing');

/** Everything that the probe can reach, in the order of the table. */
const kinds = [
  ...['process of the worker', 'token in an environment', 'memory of the session process', 'memory of the supervisor'],
  ...[
    'attributes of the supervisor',
    'memory, to read',
    'memory, to write',
    'descriptors',
    'root folder',
    'signal',
    'service account',
  ],
  ...['socket of the worker', 'home of another session', 'display', 'D-Bus of another session', 'loopback of the pod'],
  ...['shared memory', 'survivor', 'file of an earlier session', 'network', 'exports'],
];

/** Kinds whose tries the probe counts. */
const countedKinds = [
  ...['memory of the supervisor', 'attributes of the supervisor', 'home of another session', 'loopback of the pod'],
  ...['shared memory', 'file of an earlier session', 'network'],
];

/** Kinds whose tries are counted, too, and that may have no object to try: their row is left out then. */
const optionalKinds = ['display', 'D-Bus of another session'];

/** Kinds that the container of the worker reaches itself. Its Node executable protects its memory there, too. */
const controlKinds = ['process of the worker', 'signal'];

/** Steps that enter the secret into an editor, which can be redacted. */
const secretSteps = [
  { action: 'openApp', app: 'org.xfce.mousepad', timeout: 90 },
  { action: 'type', text: '{{inputs.password}}', timeout: 60 },
];

/** A run that types a command into a terminal, and keeps its slot. */
const terminalRun = (command: string, seconds: number, lastSteps: readonly object[] = []): object => ({
  fleet: 'desktop',
  inputs: { password: SECRET },
  definition: {
    name: 'isolation',
    surface: 'desktop',
    timeout: 400,
    inputs: { password: { type: 'string', secret: true } },
    steps: [
      { action: 'openApp', app: 'debian-xterm', timeout: 90 },
      { action: 'type', text: command, timeout: 60 },
      { action: 'press', key: 'Enter' },
      { action: 'wait', seconds },
      ...lastSteps,
    ],
  },
});

const COPY = 'cp /opt/isolation/* /tmp/';

/** Changes attributes of process 1, whose user the programs have. */
const CHANGES = 'prlimit --pid 1 --nofile=256:; taskset -p -c 0 1; ionice -c idle -p 1';

export const isolationPod: Bench = async ({ log }) => {
  const mount = { name: 'isolation', mountPath: '/opt/isolation' };
  const installation = await ClusterInstallation.install({
    fleets: {
      browser: null,
      desktop: {
        ...{ slotsPerWorker: 2, minWorkers: 0, maxWorkers: 1, idleSlots: 0, cooldownSeconds: 30 },
        volumes: [{ name: 'isolation', configMap: { name: 'isolation' } }],
        volumeMounts: [mount],
        slotResources: { requests: { cpu: '50m', memory: '256Mi' }, limits: { memory: '2Gi' } },
      },
    },
  });
  try {
    log(`installed as ${installation.name}`);
    return await installation.withDiagnostics(() => measure(installation, log));
  } finally {
    await installation.dispose();
  }
};

async function measure(installation: ClusterInstallation, log: (line: string) => void) {
  const targets = await writeTargets(installation);
  const { client } = installation;
  const slots = [0, 1];
  const survivor = await client.submit(
    terminalRun(`${COPY}; ${CHANGES}; node /tmp/isolation-probe.ts survive ${SURVIVOR}`, 5, secretSteps),
  );
  const pod = await until(
    'a worker starts',
    async () => (await installation.workers('desktop'))[0],
    3 * MINUTE_MS,
    500,
  );
  const inContainer = (container: string, ...command: string[]) =>
    kubectl(['-n', installation.name, 'exec', pod, '-c', container, '--', ...command]);
  // Not sooner: a process of kubectl in a slot that starts would make it unclean.
  const isStarted = async (id: string) => (await client.run(id)).status === 'running';
  const hasRemains = async () => {
    if (!(await isStarted(survivor.id))) return false;
    const found = await Promise.all(slots.map((slot) => inContainer(`slot-${slot}`, 'ls', `/dev/shm/${SURVIVOR}`)));
    return found.some(({ ok }) => ok);
  };
  await until('the first run leaves a process', hasRemains, 3 * MINUTE_MS, 500);
  const ended = [await client.waitForEnd(survivor.id, 3 * MINUTE_MS)];
  log('a run left a process and files');

  const runs = await Promise.all(
    slots.map((slot) => {
      const marker = `${MARKER}${slot}`;
      const ready = `touch ~/${marker} /tmp/${marker} /dev/shm/${marker}; until [ -e /tmp/go ]; do sleep 1; done`;
      const probe = `node /tmp/pod-probe.ts /tmp/targets.json ${RESULT} ${marker}`;
      return client.submit(terminalRun(`${COPY}; ${ready}; ${probe}`, 60));
    }),
  );
  for (const { id } of runs) await until('a probe starts', () => isStarted(id), 3 * MINUTE_MS, 500);
  for (const slot of slots) {
    const hasSession = async () => (await inContainer(`slot-${slot}`, 'sh', '-c', `ls /tmp/${MARKER}*`)).ok;
    await until(`slot-${slot} has a session`, hasSession, 3 * MINUTE_MS, 500);
  }
  for (const slot of slots) await inContainer(`slot-${slot}`, 'touch', '/tmp/go');
  const results = await Promise.all(slots.map((slot) => resultOf(inContainer, `slot-${slot}`)));
  log(`two sessions probed: ${JSON.stringify(results.map(({ hits }) => hits))}`);
  const command = `${COPY}; node /tmp/pod-probe.ts /tmp/targets.json ${RESULT} none`;
  const started = await inContainer('worker', 'sh', '-c', command);
  if (!started.ok) throw new Error(`The control did not run: ${started.text}`);
  const control = await resultOf(inContainer, 'worker');
  for (const { id } of runs) ended.push(await client.waitForEnd(id, 4 * MINUTE_MS));
  const exported = await Promise.all(ended.map(({ id }) => exportsOf(installation, id)));

  const failed = ended.filter(({ status }) => status !== 'completed');
  if (failed.length > 0) throw new Error(`Runs did not complete: ${JSON.stringify(failed.map(({ error }) => error))}`);
  const inExports = exported.flat().filter((text) => text.includes(SECRET)).length;
  const countOf = (kind: string) => results.reduce((sum, { hits }) => sum + (hits[kind]?.length ?? 0), 0);
  const hasTried = (result: PodProbeResult, kind: string) => (result.tried[kind] ?? 0) > 0;
  const completeProbes = results.filter((result) => countedKinds.every((kind) => hasTried(result, kind)));
  const untried = optionalKinds.filter((kind) => !results.every((result) => hasTried(result, kind)));
  if (untried.length > 0) log(`without an object to try, and without a row: ${untried.join(', ')}`);
  const shownKinds = kinds.filter((kind) => !untried.includes(kind));
  const reached = controlKinds.filter((kind) => (control.hits[kind]?.length ?? 0) > 0);
  return {
    figures: [
      ...shownKinds.map((kind) => atMost(`${kind}, hits`, kind === 'exports' ? inExports : countOf(kind), 0, '')),
      atLeast('kinds that the container of the worker reaches', reached.length, controlKinds.length, ''),
      atLeast('probes that tried every counted kind', completeProbes.length, results.length, ''),
    ],
    raw: { control, results, targets },
  };
}

/** Makes the files of the probe, which the slots mount. */
async function writeTargets(installation: ClusterInstallation): Promise<PodTargets> {
  const { name } = installation;
  const ports = ['postgresql:5432', 'redis:6379', 'fleet:9090'].map((server) => `${name}-${server}`);
  const targets: PodTargets = {
    survivorName: SURVIVOR,
    markerName: MARKER,
    servers: [...ports, 'kubernetes.default.svc:443', '169.254.169.254:80'],
  };
  const files = ['isolation-probe.ts', 'pod-probe.ts'];
  const texts = await Promise.all(files.map((file) => readFile(join(testing, file), 'utf8')));
  const data = Object.fromEntries(files.map((file, index) => [file, texts[index]]));
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'isolation' } };
  await installation.apply({ ...object, data: { ...data, 'targets.json': JSON.stringify(targets) } });
  return targets;
}

async function resultOf(
  inContainer: (container: string, ...command: string[]) => ReturnType<typeof kubectl>,
  container: string,
): Promise<PodProbeResult> {
  const read = async () => {
    const { ok, stdout } = await inContainer(container, 'cat', RESULT);
    return ok ? stdout : undefined;
  };
  return JSON.parse(await until(`the probe in ${container} ends`, read, 2 * MINUTE_MS, 500)) as PodProbeResult;
}

/** Everything that the API gives out about a run, as text. */
async function exportsOf({ client }: ClusterInstallation, id: string): Promise<string[]> {
  const [run, steps, events] = await Promise.all([client.run(id), client.steps(id), client.events(id)]);
  const definition = await client.json(`/v1/runs/${id}/definition`);
  return [run, steps, events, definition].map((value) => JSON.stringify(value));
}
