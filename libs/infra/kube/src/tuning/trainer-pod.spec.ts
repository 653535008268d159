import { trainersSchema } from '@pilothouse/contract/learning/trainer.schema';
import type { Pod } from '../kube-pod.ts';
import { sortTrainerPods, trainerContainer } from './trainer-pod.ts';

const aPod = (name: string, minute = 0, labels: Record<string, string> = {}): Pod => ({
  metadata: {
    ...{ name, uid: name, resourceVersion: '1', labels },
    creationTimestamp: new Date(minute * 60_000).toISOString(),
  },
  spec: {},
  status: { containerStatuses: ['agent', 'node', 'trainer'].map((container) => ({ name: container })) },
});
const ofJob = (job: string, index: number) => ({
  'jobset.sigs.k8s.io/replicatedjob-name': job,
  'batch.kubernetes.io/job-completion-index': String(index),
});
const namesOf = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name);

test('the newest pod of a Job comes first', () => {
  expect(namesOf(sortTrainerPods([aPod('a', 1), aPod('c', 3), aPod('b', 2)]))).toEqual(['c', 'b', 'a']);
});

test('the newest pod of the first node of a TrainJob comes first, before nodes and preparations', () => {
  const pods = [
    aPod('model', 9, ofJob('model-initializer', 0)),
    aPod('node-1', 8, ofJob('node', 1)),
    aPod('node-0-old', 1, ofJob('node', 0)),
    aPod('node-0-new', 2, ofJob('node', 0)),
  ];
  expect(namesOf(sortTrainerPods(pods))).toEqual(['node-0-new', 'node-0-old', 'node-1', 'model']);
});

test.each([
  [
    'Job',
    { template: { spec: { containers: ['trainer', 'agent'].map((name) => ({ name, image: 'a:1' })) } } },
    'trainer',
  ],
  ['TrainJob', { runtimeRef: { name: 'torch' } }, 'node'],
])('the log of a %s is that of the container that trains', (kind, spec, name) => {
  const [trainer] = trainersSchema.parse([{ name: 'rope', kind, template: { spec } }]);
  expect(trainer && trainerContainer(trainer, aPod('a'))).toBe(name);
});

test('a pod that has not started has no log', () => {
  const [trainer] = trainersSchema.parse([
    { name: 'rope', kind: 'TrainJob', template: { spec: { runtimeRef: { name: 'torch' } } } },
  ]);
  expect(trainer && trainerContainer(trainer, { ...aPod('a'), status: {} })).toBeUndefined();
});
