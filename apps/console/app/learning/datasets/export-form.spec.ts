import { createExportSchema } from '@pilothouse/contract/learning/dataset-export.schema';
import { newExportOf } from './export-form.ts';

const filled: Record<string, string | string[]> = {
  format: 'together',
  objective: 'sft',
  dialect: 'aura',
  splits: ['train', 'validation'],
  includeImages: 'on',
};

const parse = (fields: Record<string, string | string[]> = {}) => {
  const values = { ...filled, ...fields };
  return newExportOf({
    text: (field) => [values[field] ?? ''].flat()[0] ?? '',
    texts: (field) => [values[field] ?? []].flat(),
  });
};

test('a form becomes a valid request', () => {
  expect(createExportSchema.parse(parse())).toEqual({
    format: 'together',
    objective: 'sft',
    dialect: 'aura',
    splits: ['train', 'validation'],
    includeImages: true,
  });
  expect(parse({ includeImages: '' }).includeImages).toBe(false);
});

test('only gemini has a folder of screenshots', () => {
  const imageBase = ' gs://bucket/images ';
  expect(parse({ imageBase })).not.toHaveProperty('imageBase');
  expect(createExportSchema.parse(parse({ format: 'gemini', imageBase })).imageBase).toBe('gs://bucket/images');
});

test.each([
  ['format', { format: 'csv' }],
  ['format', { format: 'toString' }],
  ['objective', { format: 'raw', objective: 'preference' }],
  ['objective', { objective: '' }],
  ['dialect', { dialect: 'pirate' }],
  ['splits', { splits: [] }],
  ['splits', { splits: ['train', 'all'] }],
])('names the field %s of the wrong value %j', (field, values) => {
  expect(() => parse(values)).toThrow(expect.objectContaining({ field }) as Error);
});
