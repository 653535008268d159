import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { trainersSchema } from '@pilothouse/contract/learning/trainer.schema';
import { systemClock, type Context } from '@pilothouse/core/ports/runtime.port';
import type { TuningRequest } from '@pilothouse/core/ports/tuner.port';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { TestServer } from '@pilothouse/testing/test-server';
import { KubeClient } from '../kube-client.ts';
import { KubernetesTuner, type TrainerResults } from './kubernetes.tuner.ts';

/* Aborts of a tuner whose API server, object store or credential plug-in does not respond. */

const never = new Promise<never>(() => undefined);
const key = '0197f3c2-1a2b-7c3d-8e4f-0123456789ab';
const job = {
  metadata: { name: 'job', labels: { 'pilothouse.dev/job': key }, creationTimestamp: '2026-11-01T00:00:00Z' },
};
const pod = {
  metadata: { name: 'pod', creationTimestamp: '2026-11-01T00:00:00Z' },
  spec: { containers: [{ name: 'trainer' }] },
  status: { phase: 'Running', containerStatuses: [{ name: 'trainer', state: { running: {} } }] },
};

let server: TestServer;
let requests: string[];
/** Answers to requests, by `<method> <end of the path>`. Other requests get no answer. */
let answers: Record<string, (response: ServerResponse) => void>;
let client: KubeClient | undefined;

beforeEach(async () => {
  requests = [];
  answers = {};
  server = await new TestServer(({ method, url }, response) => {
    const request = `${method} ${new URL(url ?? '', server.origin).pathname.split('/').at(-1)}`;
    requests.push(request);
    answers[request]?.(response);
  }).start();
});
afterEach(async () => {
  client?.close();
  await server.stop();
});

const json = (value: object) => (response: ServerResponse) => void response.end(JSON.stringify(value));

async function aTuner(results: Partial<TrainerResults> = {}, user: object = {}): Promise<KubernetesTuner> {
  const spec = { template: { spec: { containers: [{ name: 'trainer', image: 'trainer:1' }] } } };
  const [trainer] = trainersSchema.parse([{ name: 'rope', kind: 'Job', template: { spec } }]);
  if (!trainer) throw new Error('no trainer');
  const folder = await mkdtemp(join(tmpdir(), 'tuner-spec-'));
  const file = join(folder, 'kubeconfig');
  const kubeconfig = {
    clusters: [{ name: 'spec', cluster: { server: server.origin, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'spec', user }],
    contexts: [{ name: 'spec', context: { cluster: 'spec', user: 'spec' } }],
    'current-context': 'spec',
  };
  await writeFile(file, JSON.stringify(kubeconfig));
  client = await KubeClient.open(file);
  await rm(folder, { recursive: true });
  return new KubernetesTuner({
    ...{ connection: client, namespace: 'spec', trainer, clock: systemClock },
    results: { uploadUrl: async () => server.origin, read: async () => null, ...results },
  });
}

const aRequest: TuningRequest = {
  ...{ key, baseModel: 'org/base', displayName: 'rope-v2', method: 'supervised', hyperparameters: {} },
  training: { name: 'train.jsonl', path: '', uri: null, url: 'http://store/train.jsonl' },
  validation: null,
};

/** Starts a call, aborts it when it waits, and returns its error and the reason of the abort. */
async function abortWhen(
  isWaiting: () => boolean,
  call: (context: Context) => Promise<unknown>,
): Promise<{ error: unknown; reason: PilothouseError }> {
  const controller = new AbortController();
  const reason = new PilothouseError('JOB_CANCELLED', 'The job was cancelled');
  const { signal } = controller;
  const error = call({ signal, deadline: systemClock.monotonic() + 60_000, log: memoryLog() }).catch(
    (thrown: unknown) => thrown,
  );
  await until('the call waits', isWaiting);
  controller.abort(reason);
  return { error: await error, reason };
}

const calls: Readonly<Record<string, (tuner: KubernetesTuner, context: Context) => Promise<unknown>>> = {
  find: (tuner, context) => tuner.find(key, context),
  start: (tuner, context) => tuner.start(aRequest, context),
  read: (tuner, context) => tuner.read('job', context),
  cancel: (tuner, context) => tuner.cancel('job', context),
};

test.each(Object.entries(calls))('%s ends at an abort while the API server does not respond', async (_, call) => {
  const tuner = await aTuner();
  const { error, reason } = await abortWhen(
    () => requests.length === 1,
    (context) => call(tuner, context),
  );
  expect(error).toBe(reason);
});

test.each<[string, () => void, string]>([
  ['the list of pods', () => undefined, 'GET pods'],
  [
    'the log of a pod, whose response does not end',
    () =>
      Object.assign(answers, {
        'GET pods': json({ items: [pod] }),
        'GET log': (response: ServerResponse) => void response.write('2026'),
      }),
    'GET log',
  ],
])('a read ends at an abort during %s', async (_, prepare, last) => {
  answers['GET job'] = json(job);
  prepare();
  const tuner = await aTuner();
  const { error, reason } = await abortWhen(
    () => requests.at(-1) === last,
    (context) => tuner.read('job', context),
  );
  expect(error).toBe(reason);
});

test('a start ends at an abort while no upload URL is signed', async () => {
  let isWaiting = false;
  const uploadUrl = () => {
    isWaiting = true;
    return never;
  };
  const tuner = await aTuner({ uploadUrl });
  const { error, reason } = await abortWhen(
    () => isWaiting,
    (context) => tuner.start(aRequest, context),
  );
  expect(error).toBe(reason);
  expect(requests).toEqual([]);
});

test('a read ends at an abort while the object store does not return the result', async () => {
  answers['GET job'] = json({ ...job, status: { conditions: [{ type: 'Complete', status: 'True' }] } });
  answers['GET pods'] = json({ items: [] });
  let isWaiting = false;
  const read = () => {
    isWaiting = true;
    return never;
  };
  const tuner = await aTuner({ read });
  const { error, reason } = await abortWhen(
    () => isWaiting,
    (context) => tuner.read('job', context),
  );
  expect(error).toBe(reason);
});

test('a call ends at an abort while the credential plug-in does not respond', async () => {
  // The plug-in waits for the server of the spec, and ends with it.
  const script = `await fetch('${server.origin}/credential').catch(() => undefined)`;
  const args = ['--input-type=module', '-e', script];
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: process.execPath, args };
  const tuner = await aTuner({}, { exec });
  const { error, reason } = await abortWhen(
    () => requests.includes('GET credential'),
    (context) => tuner.find(key, context),
  );
  expect(error).toBe(reason);
  expect(requests).toEqual(['GET credential']);
});
