import { createDatasetSchema } from '@pilothouse/contract/learning/dataset.schema';
import { FormProblem } from '../../shared/form-problem.ts';
import { datasetFieldOf, newDatasetOf } from './dataset-form.ts';

const filled: Record<string, string | string[]> = {
  name: ' orders ',
  train: '80',
  validation: '10',
  test: '10',
  qualities: ['good', 'bad'],
};

const parse = (fields: Record<string, string | string[]> = {}) => {
  const values = { ...filled, ...fields };
  return newDatasetOf({
    text: (field) => [values[field] ?? ''].flat()[0] ?? '',
    texts: (field) => [values[field] ?? []].flat(),
  });
};

test('a form with only a name uses the defaults of the API', () => {
  const body = parse();
  expect(body).toEqual({
    name: 'orders',
    query: { qualities: ['good', 'bad'] },
    shares: { train: 0.8, validation: 0.1, test: 0.1 },
  });
  expect(createDatasetSchema.parse(body)).toMatchObject({ seed: 1, license: 'proprietary' });
});

test('a form with all fields becomes a valid request', () => {
  const body = parse({
    workflows: 'order-supplies\npay, pay\n\n',
    sites: 'shop.test',
    models: 'gemini/flash',
    projects: 'other',
    surfaces: ['browser'],
    sources: ['person', 'rule'],
    qualities: 'good',
    from: '2026-11-01',
    to: '2026-11-30',
    seed: '7',
    license: 'CC-BY-4.0',
    consent: 'Signed by all operators',
  });
  expect(createDatasetSchema.parse(body)).toEqual({
    name: 'orders',
    query: {
      workflows: ['order-supplies', 'pay'],
      sites: ['shop.test'],
      models: ['gemini/flash'],
      projects: ['other'],
      surfaces: ['browser'],
      sources: ['person', 'rule'],
      qualities: ['good'],
      from: '2026-11-01T00:00:00.000Z',
      // The last day is included.
      to: '2026-12-01T00:00:00.000Z',
    },
    shares: { train: 0.8, validation: 0.1, test: 0.1 },
    seed: 7,
    license: 'CC-BY-4.0',
    consent: 'Signed by all operators',
  });
});

test.each([
  ['qualities', { qualities: [] }, 'at least one'],
  ['qualities', { qualities: ['perfect'] }, 'of the list'],
  ['surfaces', { surfaces: ['toString'] }, 'of the list'],
  ['seed', { seed: '1.5' }, 'whole number'],
  ['train', { train: '90' }, 'add up to 110%'],
  ['test', { test: '-10', train: '100' }, 'from 0 to 100'],
  ['validation', { validation: 'ten' }, 'Enter a number'],
  ['from', { from: 'yesterday' }, 'YYYY-MM-DD'],
  ['from', { from: '2026-13-40' }, 'YYYY-MM-DD'],
  ['to', { from: '2026-11-02', to: '2026-11-01' }, 'not before the first day'],
])('names the field %s of the wrong value %j', (field, values, message) => {
  let problem: unknown;
  try {
    parse(values);
  } catch (error) {
    problem = error;
  }
  expect(problem).toBeInstanceOf(FormProblem);
  expect(problem).toMatchObject({ field, message: expect.stringContaining(message) as string });
});

test.each([
  ['/name', 'name'],
  ['/query/workflows/3', 'workflows'],
  ['/query/from', 'from'],
  ['/shares', 'train'],
  ['/shares/test', 'test'],
  ['', undefined],
])('an error of the API at %j belongs to the field %j', (pointer, field) => {
  expect(datasetFieldOf(pointer)).toBe(field);
});
