import type { StartTuning } from '@pilothouse/contract/learning/tuning.schema';
import { tuningFieldOf, tuningRequestOf, tuningValuesOf } from './tuning-form.ts';

const values: Record<string, string> = {
  ...{ name: ' rope-v2 ', tuner: 'together', endpoint: 'forge', baseModel: 'base', method: 'supervised' },
  ...{ training: 'an-export', validation: '', epochs: '3', learningRate: 'fast', adapterSize: '' },
};
const text = (field: string) => values[field] ?? '';

test('blank fields are left out, and numbers that are none are sent as they are', () => {
  expect(tuningRequestOf(text)).toEqual({
    ...{ name: 'rope-v2', tuner: 'together', endpoint: 'forge', baseModel: 'base', method: 'supervised' },
    training: { export: 'an-export' },
    hyperparameters: { epochs: 3, learningRate: 'fast' },
  });
});

test.each(['gs://bucket/train.jsonl', 's3://bucket/train.jsonl'])('%s is an address in a bucket', (uri) => {
  const request = tuningRequestOf((field) => (field === 'training' || field === 'validation' ? uri : text(field)));
  expect(request).toMatchObject({ training: { uri }, validation: { uri } });
});

test.each([
  ['/hyperparameters/epochs', 'epochs'],
  ['/training/export', 'training'],
  ['/endpoint', 'endpoint'],
])('the error at %s belongs to the field %s', (pointer, field) => {
  expect(tuningFieldOf(pointer)).toBe(field);
});

test.each<[string, Partial<StartTuning>]>([
  ['an export', { training: { export: 'an-export' }, validation: { export: 'an-export' } }],
  ['an upload', { training: { upload: 'an-upload' } }],
  ['an address', { training: { uri: 'gs://bucket/train.jsonl' } }],
  ['all optional fields', { role: 'act', surface: 'browser', trainer: 'axolotl', dialect: 'aura' }],
])('the form of a request with %s gives the same request', (_title, facts) => {
  const request: StartTuning = {
    ...{ name: 'rope-v2', tuner: 'together', endpoint: 'forge', baseModel: 'base', method: 'preference' },
    ...{ training: { export: 'an-export' }, hyperparameters: { epochs: 3, beta: 0.1 } },
    ...facts,
  };
  const form = tuningValuesOf(request);
  expect(tuningRequestOf((field) => form[field] ?? '')).toEqual(request);
});
