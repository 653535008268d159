import { trainersSchema, type Trainer } from '@pilothouse/contract/learning/trainer.schema';
import type { TuningRequest } from '@pilothouse/core/ports/tuner.port';
import { trainerManifest, trainerObjectName } from './trainer-manifest.ts';

const key = '0197f3c2-1a2b-7c3d-8e4f-0123456789ab';
const request: TuningRequest = {
  ...{ key, baseModel: 'org/base', displayName: 'rope-v2', method: 'supervised' },
  training: { name: 'train.jsonl', path: '', uri: null, url: 'http://store/train?sig=1' },
  validation: null,
  hyperparameters: { epochs: 2 },
};

function aTrainer(kind: Trainer['kind'], spec: object): Trainer {
  const [trainer] = trainersSchema.parse([{ name: 'rope', kind, template: { spec } }]);
  if (!trainer) throw new Error('no trainer');
  return trainer;
}

test('a Job gets variables, labels and secure defaults', () => {
  const containers = [
    { name: 'trainer', image: 'trainer:1', env: [{ name: 'OUT', value: '$(PILOTHOUSE_MODEL_NAME)' }] },
  ];
  const trainer = aTrainer('Job', { template: { spec: { containers, nodeSelector: { gpu: 'yes' } } } });
  const labels = { 'pilothouse.dev/job': key, 'pilothouse.dev/trainer': 'rope' };
  expect(trainerManifest(trainer, request, 'http://store/result')).toMatchObject({
    ...{ apiVersion: 'batch/v1', kind: 'Job' },
    metadata: { name: trainerObjectName(key), labels, annotations: { 'pilothouse.dev/model': 'rope-v2' } },
    spec: {
      ...{ backoffLimit: 0, activeDeadlineSeconds: 604_800, ttlSecondsAfterFinished: 604_800 },
      template: {
        metadata: { labels },
        spec: {
          ...{ restartPolicy: 'Never', automountServiceAccountToken: false, nodeSelector: { gpu: 'yes' } },
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              ...{ name: 'trainer', image: 'trainer:1' },
              securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
              env: expect.arrayContaining([
                { name: 'PILOTHOUSE_TRAINING_URL', value: 'http://store/train?sig=1' },
                { name: 'PILOTHOUSE_RESULT_URL', value: 'http://store/result' },
                { name: 'PILOTHOUSE_BASE_MODEL', value: 'org/base' },
                { name: 'PILOTHOUSE_EPOCHS', value: '2' },
                { name: 'PILOTHOUSE_LEARNING_RATE', value: '' },
                { name: 'OUT', value: '$(PILOTHOUSE_MODEL_NAME)' },
              ]),
            },
          ],
        },
      },
    },
  });
});

test('the template takes precedence over the defaults', () => {
  const spec = { containers: [{ name: 'trainer', image: 'trainer:1' }], securityContext: { runAsUser: 1000 } };
  const trainer = aTrainer('Job', { activeDeadlineSeconds: 60, backoffLimit: 2, template: { spec } });
  expect(trainerManifest(trainer, request, '')).toMatchObject({
    spec: {
      ...{ activeDeadlineSeconds: 60, backoffLimit: 2 },
      template: { spec: { securityContext: { runAsNonRoot: true, runAsUser: 1000 } } },
    },
  });
});

test('a TrainJob gets the variables in its trainer', () => {
  const trainer = aTrainer('TrainJob', { runtimeRef: { name: 'torch' }, trainer: { numNodes: 2 } });
  const manifest = trainerManifest(trainer, request, '');
  expect(manifest).toMatchObject({
    ...{ apiVersion: 'trainer.kubeflow.org/v1alpha1', kind: 'TrainJob' },
    spec: { runtimeRef: { name: 'torch' }, trainer: { numNodes: 2, env: expect.any(Array) } },
  });
  expect(JSON.stringify(manifest)).not.toContain('backoffLimit');
});

test('a value of a request refers to no variable of the pod', () => {
  const trainer = aTrainer('TrainJob', { runtimeRef: { name: 'torch' } });
  const manifest = trainerManifest(trainer, { ...request, displayName: 'a$(TOKEN)' }, '');
  expect(JSON.stringify(manifest)).toContain('{"name":"PILOTHOUSE_MODEL_NAME","value":"a$$(TOKEN)"}');
});

test('names of pods stay within 63 characters', () => {
  expect(trainerObjectName(key)).toMatch(/^tune-[0-9a-f]{16}$/);
  expect(trainerObjectName(key)).not.toBe(trainerObjectName(key.replace('ab', 'cd')));
});

const containers = [{ name: 'trainer', image: 'trainer:1' }];
test.each<[string, unknown, string]>([
  ['no list', {}, 'set it to a JSON list of trainers'],
  ['another kind', [{ name: 'a', kind: 'Pod', template: {} }], 'set it to Job or TrainJob'],
  ['no spec', [{ name: 'a', kind: 'Job', template: {} }], 'set it to the spec of a Job'],
  ['no pod', [{ name: 'a', kind: 'Job', template: { spec: {} } }], 'set it to the template of a pod'],
  [
    'no container',
    [{ name: 'a', kind: 'Job', template: { spec: { template: { spec: { containers: [] } } } } }],
    'add a container',
  ],
  [
    'a name of its own',
    [{ name: 'a', kind: 'Job', template: { metadata: { name: 'x' }, spec: { template: { spec: { containers } } } } }],
    'leave it out: the job runner names the object',
  ],
  [
    'a variable of the job runner',
    [
      {
        name: 'a',
        kind: 'TrainJob',
        template: { spec: { runtimeRef: { name: 'b' }, trainer: { env: [{ name: 'PILOTHOUSE_JOB' }] } } },
      },
    ],
    'use a name without the prefix PILOTHOUSE_',
  ],
  [
    'the same name twice',
    Array.from({ length: 2 }, () => ({
      name: 'a',
      kind: 'TrainJob',
      template: { spec: { runtimeRef: { name: 'b' } } },
    })),
    'give each trainer a different name',
  ],
])('trainers with %s are refused with the fix', (_title, trainers, message) => {
  expect(trainersSchema.safeParse(trainers).error?.issues[0]?.message).toContain(message);
});
