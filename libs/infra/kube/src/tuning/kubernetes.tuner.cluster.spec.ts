import { randomUUID } from 'node:crypto';
import { trainersSchema } from '@pilothouse/contract/learning/trainer.schema';
import type { Context } from '@pilothouse/core/ports/runtime.port';
import type { TuningRequest, TuningState } from '@pilothouse/core/ports/tuner.port';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import type { KubeClient } from '../kube-client.ts';
import { hasStatus } from '../kube-error.ts';
import type { Pod } from '../kube-pod.ts';
import { TestNamespace, testImage } from '../testing/test-cluster.ts';
import { KubernetesTuner } from './kubernetes.tuner.ts';

/*
 * Jobs run real containers. Of Kubeflow the API exists only: there is no controller, so the specs create the pod of a TrainJob and set its status.
 */

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const HOUR_MS = 3_600_000;

/** Serves the examples, and keeps the file of a PUT. */
const SERVER = `const files = new Map([['/train.jsonl', Buffer.from('{"n":1}\\n'.repeat(3))]]);
require('node:http').createServer((request, response) => {
  if (request.method !== 'PUT') return response.writeHead(files.has(request.url) ? 200 : 404).end(files.get(request.url));
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk)).on('end', () => { files.set(request.url, Buffer.concat(chunks)); response.end(); });
}).listen(8080);`;

/** Reads the examples, prints a loss curve, and uploads a result. */
const TRAINER = `const { PILOTHOUSE_TRAINING_URL: training, PILOTHOUSE_RESULT_URL: result } = process.env;
const examples = (await (await fetch(training)).text()).trim().split('\\n').length;
console.log('examples: ' + examples + ', base: ' + process.argv[1] + ', user: ' + process.getuid());
for (let step = 1; step <= 2; step += 1) console.log(JSON.stringify({ step, steps: 2, loss: 2 / step }));
await fetch(result, { method: 'PUT', body: JSON.stringify({ model: 'served-rope', trainedTokens: examples * 10 }) });`;

let space: TestNamespace;
let jobRunner: KubeClient;
let serverUrl: string;
let isCrdCreated = false;

beforeAll(async () => {
  space = await TestNamespace.make('trainers-spec');
  await makeTrainJobs();
  jobRunner = await space.asJobRunner();
  await makePod('files', {}, ['-e', SERVER]);
  const ip = await until('the file server runs', async () => {
    const { status } = await space.call<Pod & { status: { podIP?: string } }>('GET', `${space.pods}/files`);
    return status.phase === 'Running' && status.podIP;
  });
  serverUrl = `http://${ip}:8080`;
}, 120_000);
afterAll(async () => {
  jobRunner.close();
  if (isCrdCreated) await space.call('DELETE', `${CRDS}/trainjobs.trainer.kubeflow.org`);
  await space.remove();
});

const context = (): Context => ({
  signal: AbortSignal.timeout(60_000),
  deadline: performance.now() + 60_000,
  log: memoryLog(),
});

const secure = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
const podSecurity = { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } };
const makePod = (name: string, labels: object, args: string[]) =>
  space.call('POST', space.pods, {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, labels } },
    spec: {
      ...{ restartPolicy: 'Never', securityContext: podSecurity, terminationGracePeriodSeconds: 0 },
      containers: [{ name: 'node', image: testImage(), command: ['node'], args, securityContext: secure }],
    },
  });

/** Creates the API of Kubeflow without its controller. */
async function makeTrainJobs(): Promise<void> {
  const names = { plural: 'trainjobs', singular: 'trainjob', kind: 'TrainJob', listKind: 'TrainJobList' };
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const version = { name: 'v1alpha1', served: true, storage: true, schema, subresources: { status: {} } };
  try {
    await space.call('POST', CRDS, {
      ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
      metadata: { name: 'trainjobs.trainer.kubeflow.org' },
      spec: { group: 'trainer.kubeflow.org', scope: 'Namespaced', names, versions: [version] },
    });
    isCrdCreated = true;
  } catch (error) {
    if (!hasStatus(error, 409)) throw error;
  }
  await until('the API of TrainJobs is served', async () => {
    try {
      return await space.call<object>('GET', trainJobs());
    } catch {
      return false;
    }
  });
}

const jobs = () => `/apis/batch/v1/namespaces/${space.name}/jobs`;
const trainJobs = () => `/apis/trainer.kubeflow.org/v1alpha1/namespaces/${space.name}/trainjobs`;

function aTuner(kind: 'Job' | 'TrainJob', spec: object, aheadMs = 0): KubernetesTuner {
  const [trainer] = trainersSchema.parse([{ name: 'rope', kind, template: { spec } }]);
  if (!trainer) throw new Error('no trainer');
  return new KubernetesTuner({
    ...{ connection: jobRunner, namespace: space.name, trainer },
    results: {
      uploadUrl: async (key) => `${serverUrl}/${key}`,
      async read(key) {
        const path = `${space.pods}/files:8080/proxy/${key}`;
        try {
          return await space.connection.text({ verb: 'get', path, signal: AbortSignal.timeout(10_000) });
        } catch (error) {
          if (hasStatus(error, 404)) return null;
          throw error;
        }
      },
    },
    clock: { now: () => new Date(Date.now() + aheadMs) },
  });
}

const aJob = (args: string[], fields: object = {}, container: object = {}) => ({
  template: {
    spec: {
      securityContext: { runAsUser: 10001 },
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'trainer', image: testImage(), command: ['node'], args, ...container }],
    },
  },
  ...fields,
});

const aRequest = (key = randomUUID()): TuningRequest => ({
  ...{ key, baseModel: 'org/base', displayName: 'rope-v2', method: 'supervised', hyperparameters: { epochs: 2 } },
  training: { name: 'train.jsonl', path: '', uri: null, url: `${serverUrl}/train.jsonl` },
  validation: null,
});

const untilState = (tuner: KubernetesTuner, id: string, status: TuningState['status']) =>
  until(`the tuning job is ${status}`, async () => {
    const state = await tuner.read(id, context());
    return state?.status === status && state;
  });
const untilGone = (tuner: KubernetesTuner, id: string) =>
  until('the Job is deleted', async () => (await tuner.read(id, context())) === null);

test('a Job reads the examples, and returns its loss curve and its result', async () => {
  const args = ['--input-type=module', '-e', TRAINER, '$(PILOTHOUSE_BASE_MODEL)'];
  const tuner = aTuner('Job', aJob(args));
  const request = aRequest();
  expect(await tuner.find(request.key, context())).toBeNull();
  const id = await tuner.start(request, context());
  expect(await untilState(tuner, id, 'succeeded')).toMatchObject({
    ...{ model: 'served-rope', trainedTokens: 30, progress: 1, error: null },
    loss: [
      { step: 1, trainingLoss: 2 },
      { step: 2, trainingLoss: 1 },
    ],
    messages: [{ at: expect.any(String), text: 'examples: 3, base: org/base, user: 10001' }],
  });
}, 120_000);

test('a second start with the same key finds the Job of the first one', async () => {
  const tuner = aTuner('Job', aJob(['-e', 'setInterval(() => {}, 1000)']));
  const request = aRequest();
  const id = await tuner.start(request, context());
  expect(await tuner.start(request, context())).toBe(id);
  expect(await tuner.find(request.key, context())).toBe(id);
  const { items } = await space.call<{ items: { metadata: { labels: object } }[] }>('GET', jobs());
  const label = { 'pilothouse.dev/job': request.key };
  expect(items.filter(({ metadata: { labels } }) => Object.entries(labels).flat().includes(request.key))).toEqual([
    expect.objectContaining({ metadata: expect.objectContaining({ labels: expect.objectContaining(label) }) }),
  ]);
  await untilState(tuner, id, 'running');
  await tuner.cancel(id, context());
  await untilGone(tuner, id);
  await until('its pod is deleted', async () =>
    (await space.podList()).every(({ metadata: { labels } }) => labels?.['pilothouse.dev/job'] !== request.key),
  );
  await tuner.cancel(id, context());
}, 120_000);

test.each<[string, object, string]>([
  [
    'an exit code',
    aJob(['-e', "console.log('no GPU'); process.exit(3)"]),
    'exit code 3. Job has reached the specified backoff limit\nno GPU',
  ],
  ['its deadline', aJob(['-e', 'setInterval(() => {}, 1000)'], { activeDeadlineSeconds: 2 }), 'Deadline exceeded'],
])(
  'a Job that ends by %s fails with the reason',
  async (_title, spec, error) => {
    const tuner = aTuner('Job', spec);
    const id = await tuner.start(aRequest(), context());
    expect((await untilState(tuner, id, 'failed')).error).toContain(error);
  },
  120_000,
);

test('a Job that exceeds its memory limit fails with the reason', async () => {
  const args = ['-e', 'const all = []; for (;;) all.push(Buffer.alloc(1e7, 1))'];
  const tuner = aTuner('Job', aJob(args, {}, { resources: { limits: { memory: '80Mi' } } }));
  // containerd may report the exit of a container before its lack of memory. Kubernetes then names no reason for this Job,
  // and never will, so that another one has to show it.
  const error = await until(
    'Kubernetes reports a container without memory',
    async () => {
      const request = aRequest();
      const id = await tuner.start(request, context());
      const { error } = await untilState(tuner, id, 'failed');
      const pod = (await space.podList()).find(
        ({ metadata }) => metadata.labels?.['pilothouse.dev/job'] === request.key,
      );
      const { reason, exitCode } = pod?.status.containerStatuses?.[0]?.state?.terminated ?? {};
      expect([exitCode, error]).toEqual([137, expect.any(String)]);
      return reason === 'OOMKilled' && error;
    },
    100_000,
  );
  expect(error).toContain('out of memory: its container exceeded the memory limit');
}, 120_000);

test('a Job whose image does not exist fails after ten minutes, and is deleted', async () => {
  const spec = aJob([], {}, { image: 'registry.invalid/trainer:1' });
  const request = aRequest();
  const id = await aTuner('Job', spec).start(request, context());
  await until('the image cannot be pulled', async () => {
    const state = await aTuner('Job', spec).read(id, context());
    return state?.providerStatus === 'ImagePullFailed' && state.status === 'queued';
  });
  const late = aTuner('Job', spec, HOUR_MS);
  expect((await untilState(late, id, 'failed')).error).toContain('ImagePullFailed: registry.invalid/trainer:1');
  await untilGone(late, id);
}, 120_000);

test('a template that Kubernetes refuses names the reason', async () => {
  const tuner = aTuner('Job', aJob([], { parallelism: -1 }));
  await expect(tuner.start(aRequest(), context())).rejects.toMatchObject({
    ...{ code: 'TUNING_FAILED', message: expect.stringContaining('spec.parallelism') },
  });
});

test('a TrainJob is followed by its conditions and the log of its first node', async () => {
  const tuner = aTuner('TrainJob', { runtimeRef: { name: 'torch' } });
  const request = aRequest();
  const id = await tuner.start(request, context());
  expect(await tuner.start(request, context())).toBe(id);
  expect(await tuner.read(id, context())).toMatchObject({ status: 'queued', loss: [] });
  const labels = { 'jobset.sigs.k8s.io/jobset-name': id, 'jobset.sigs.k8s.io/replicatedjob-name': 'node' };
  const script = `console.log('{"step":1,"loss":2}'); setInterval(() => {}, 1000)`;
  await makePod(`${id}-node-0-0`, labels, ['-e', script]);
  expect(
    await until('the log has the loss', async () => {
      const state = await tuner.read(id, context());
      return state?.status === 'running' && state.loss.length > 0 && state;
    }),
  ).toMatchObject({ status: 'running', loss: [{ step: 1, trainingLoss: 2 }] });
  const conditions = [{ type: 'Complete', status: 'True', reason: 'JobsCompleted', message: 'done' }];
  await space.call('PATCH', `${trainJobs()}/${id}/status`, { status: { conditions } });
  expect(await tuner.read(id, context())).toMatchObject({ status: 'succeeded', model: 'rope-v2' });
  await tuner.cancel(id, context());
  expect(await tuner.read(id, context())).toBeNull();
}, 120_000);
