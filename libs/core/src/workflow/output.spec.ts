import type { Json, ValueSchema } from '@pilothouse/contract';
import { checkOutput, resolveOutput } from './output.ts';
import { checkValue, COMPILED_SCHEMAS, compiledSchemas } from './value-check.ts';

const scope = {
  inputs: {},
  secrets: new Set<string>(),
  steps: { rows: { value: [{ sku: 'A' }] } },
  run: { id: 'r', epoch: 1 },
};
const outputSchema: ValueSchema = {
  type: 'object',
  properties: {
    rows: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] } },
  },
  required: ['rows'],
  additionalProperties: false,
};

test('the output is its templates filled in, null where there is none', () => {
  expect(resolveOutput({ output: { rows: '{{steps.rows.value}}' } }, scope)).toEqual({ rows: [{ sku: 'A' }] });
  expect(resolveOutput({}, scope)).toBeNull();
});

test.each<[Json, string]>([
  [null, ''],
  [{}, '/rows'],
  [{ rows: [{ sku: 'A' }, { sku: 3 }] }, '/rows/1/sku'],
  [{ rows: [{}] }, '/rows/0/sku'],
  [{ rows: [], more: 1 }, '/more'],
])('%j does not match at %s', (output, pointer) => {
  expect(() => checkOutput({ outputSchema }, output)).toThrow(
    expect.objectContaining({ code: 'OUTPUT_INVALID', fields: [expect.objectContaining({ pointer })] }),
  );
});

test('what matches passes, and without a schema everything does', () => {
  expect(() => checkOutput({ outputSchema }, { rows: [{ sku: 'A' }] })).not.toThrow();
  expect(() => checkOutput({}, { anything: [1] })).not.toThrow();
});

test('compiled schemas are kept within bounds', () => {
  for (let size = 0; size < COMPILED_SCHEMAS + 50; size += 1) {
    expect(checkValue({ type: 'string', maxLength: size }, 'x'.repeat(size + 1))).toHaveLength(1);
  }
  expect(compiledSchemas()).toBe(COMPILED_SCHEMAS);
});
