import type { Json } from '@pilothouse/contract/primitives.schema';
import type { ValueSchema } from '@pilothouse/contract/workflow/value.schema';
import { checkOutput, resolveOutput } from './workflow-io.ts';
import { checkValue, COMPILED_SCHEMAS, compiledSchemas } from './json-schema.ts';

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

test('the output has rendered templates, and is null if not defined', () => {
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

test('accepts a matching value, and every value without a schema', () => {
  expect(() => checkOutput({ outputSchema }, { rows: [{ sku: 'A' }] })).not.toThrow();
  expect(() => checkOutput({}, { anything: [1] })).not.toThrow();
});

test('the cache of compiled schemas is bounded', () => {
  for (let size = 0; size < COMPILED_SCHEMAS + 50; size += 1) {
    expect(checkValue({ type: 'string', maxLength: size }, 'x'.repeat(size + 1))).toHaveLength(1);
  }
  expect(compiledSchemas()).toBe(COMPILED_SCHEMAS);
});

describe('patterns of a schema', () => {
  test('run in linear time', () => {
    const schema: ValueSchema = { type: 'array', items: { type: 'string', pattern: '^(a+)+$' } };
    const start = performance.now();
    expect(checkValue(schema, ['aa', `${'a'.repeat(100_000)}!`])).toEqual([
      { pointer: '/1', detail: 'must match the pattern ^(a+)+$' },
    ]);
    expect(performance.now() - start).toBeLessThan(5000);
  });

  test('report a problem of the value if its texts are too long in total', () => {
    const schema: ValueSchema = { type: 'array', items: { type: 'string', pattern: '^[ab]{0,1000}c' } };
    expect(checkValue(schema, Array<string>(200).fill('a'.repeat(900)), '/inputs/names')).toEqual([
      {
        pointer: '/inputs/names',
        detail:
          'The values are too long for the patterns of their schema: send shorter values, or simplify the patterns',
      },
    ]);
  });

  test('do not replace each other', () => {
    const schema: ValueSchema = {
      type: 'object',
      properties: { a: { type: 'string', pattern: '^a$' }, b: { type: 'string', pattern: '^b$' } },
    };
    expect(checkValue(schema, { a: 'a', b: 'b' })).toEqual([]);
    expect(checkValue(schema, { a: 'b', b: 'a' })).toHaveLength(2);
  });

  test('report a problem of the value if they are invalid', () => {
    expect(checkValue({ type: 'string', pattern: '(?=a)' }, 'a', '/x')).toEqual([
      { pointer: '/x', detail: expect.stringMatching(/Look-ahead/) as string },
    ]);
  });
});
