import type { Json } from '@pilothouse/contract/primitives.schema';
import { inputSchema } from '@pilothouse/contract/workflow/workflow.schema';
import { z } from 'zod';
import { resolveInputs } from './workflow-io.ts';

const UPLOAD = '0199c1a0-0000-7000-8000-00000000000a';
const inputs = z.record(z.string(), inputSchema).parse({
  user: { type: 'string', minLength: 2 },
  password: { type: 'string', secret: true, minLength: 8 },
  pin: { type: 'string', secret: true, optional: true },
  quantity: { type: 'integer', default: 1, minimum: 1 },
  color: { type: 'string', enum: ['red', 'blue'], optional: true },
  when: { type: 'string', format: 'date', optional: true },
  paper: { type: 'file', optional: true },
  order: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'], optional: true },
});
const good = { user: 'ada', password: 'swordfish' };

test('applies defaults, sets optional inputs to null, and separates secrets', () => {
  expect(resolveInputs({ inputs }, { ...good, paper: UPLOAD })).toEqual({
    inputs: { user: 'ada', pin: null, quantity: 1, color: null, when: null, paper: UPLOAD, order: null },
    secrets: { password: 'swordfish' },
    references: {},
  });
  expect(resolveInputs({ inputs }, { ...good, pin: null, color: null, quantity: 7 }).inputs).toMatchObject({
    quantity: 7,
  });
});

test('a secret input takes the name of a secret of the project', () => {
  expect(resolveInputs({ inputs }, { ...good, password: { secret: 'portal-password' } })).toMatchObject({
    secrets: {},
    references: { password: 'portal-password' },
  });
  // The fields of an object are its own.
  const order = { secret: 'portal-password', sku: 'a' };
  expect(resolveInputs({ inputs }, { ...good, order }).inputs['order']).toEqual(order);
});

test.each<[string, Record<string, Json>, string, string]>([
  ['missing', { password: 'swordfish' }, '/inputs/user', 'This input is required'],
  ['unknown', { ...good, 'us/er': 'x' }, '/inputs/us~1er', 'Unknown input: use one of user, password'],
  ['inherited name', { ...good, toString: 'x' }, '/inputs/toString', 'Unknown input'],
  ['wrong type', { ...good, quantity: '3' }, '/inputs/quantity', 'must be an integer'],
  ['null for a required one', { ...good, user: null }, '/inputs/user', 'must be a string'],
  ['too small', { ...good, quantity: 0 }, '/inputs/quantity', 'must be >= 1'],
  ['not of the list', { ...good, color: 'green' }, '/inputs/color', 'must be one of "red", "blue"'],
  ['no date', { ...good, when: '21.11.2026' }, '/inputs/when', 'must have the format date'],
  ['reference to nothing', { ...good, password: {} }, '/inputs/password/secret', 'is required'],
  ['bad name of a secret', { ...good, password: { secret: 'My Key' } }, '/inputs/password/secret', 'lower-case'],
  ['list as secret', { ...good, password: ['a'] }, '/inputs/password', ''],
  ['reference for a plain input', { ...good, user: { secret: 'x' } }, '/inputs/user', '`secret: true`'],
  ['no upload', { ...good, paper: 'order.pdf' }, '/inputs/paper', 'id of an upload'],
  ['inner field missing', { ...good, order: {} }, '/inputs/order/sku', 'is missing'],
  ['inner field wrong', { ...good, order: { sku: 1 } }, '/inputs/order/sku', 'must be a string'],
])('%s', (_, values, pointer, detail) => {
  expect(() => resolveInputs({ inputs }, values)).toThrow(
    expect.objectContaining({
      code: 'VALIDATION_FAILED',
      fields: [{ pointer, detail: expect.stringContaining(detail) }],
    }),
  );
});

test('the value of a secret is never echoed', () => {
  const errors: Error[] = [];
  for (const password of ['hush', 12345, ['hush']]) {
    try {
      resolveInputs({ inputs }, { user: 'ada', password });
    } catch (error) {
      errors.push(error as Error);
    }
  }
  expect(errors).toHaveLength(3);
  expect(JSON.stringify(errors.map((error) => [error.message, { ...error }]))).not.toMatch(/hush|12345/);
});
