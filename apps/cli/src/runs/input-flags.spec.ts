import type { WorkflowInput } from '@pilothouse/contract';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandError } from '../output/exit-codes.ts';
import { askSecrets, checkInputs, readInputs, type InputOptions } from './input-flags.ts';

const cwd = mkdtempSync(join(tmpdir(), 'pilothouse-cli-spec-'));
afterAll(() => rmSync(cwd, { recursive: true }));
writeFileSync(join(cwd, 'order.pdf'), '%PDF');
writeFileSync(join(cwd, 'secret.txt'), 'hunter2\n');
writeFileSync(join(cwd, 'values.yaml'), 'query: rope\nquantity: 2\n');
writeFileSync(join(cwd, 'list.yaml'), '- rope\n');

const declared: Record<string, WorkflowInput> = {
  query: { type: 'string' },
  quantity: { type: 'integer', minimum: 1, default: 3 },
  express: { type: 'boolean', optional: true },
  tags: { type: 'array', optional: true },
  password: { type: 'string', secret: true, title: 'Password of the portal' },
  order: { type: 'file' },
};
const environment = { PORTAL: 'hunter2' };
const read = (options: InputOptions) => readInputs(declared, options, { cwd, environment });

/** The error as people see it. */
const refusal = (work: () => unknown): string => {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof CommandError) return [thrown.exitCode, thrown.message, ...thrown.lines].join('\n');
    throw thrown;
  }
  throw new Error('It was not refused');
};

test('values are read by the declared type', () => {
  const input = ['query=12', 'quantity=12', 'express=true', 'tags=["a"]'];
  expect(read({ input }).values).toEqual({ query: '12', quantity: 12, express: true, tags: ['a'] });
});

test('@ reads a text or names a file to upload, @@ is an @, and = may stand in a value', () => {
  expect(read({ input: ['query=@secret.txt', 'order=@order.pdf'] })).toEqual({
    values: { query: 'hunter2' },
    files: { order: join(cwd, 'order.pdf') },
  });
  expect(read({ input: ['query=@@home=1'] }).values).toEqual({ query: '@home=1' });
});

test('options go before the file of values', () => {
  expect(read({ inputs: 'values.yaml', input: ['quantity=5'] }).values).toEqual({ query: 'rope', quantity: 5 });
});

test('a secret comes from a variable or a file, never from the command', () => {
  expect(read({ inputEnv: ['password=PORTAL'] }).values).toEqual({ password: 'hunter2' });
  expect(read({ input: ['password=@secret.txt'] }).values).toEqual({ password: 'hunter2' });
  const said = refusal(() => read({ input: ['password=hunter2'] }));
  expect(said).toContain('2\nInput password is a secret');
  expect(said).toContain('--input-env password=VARIABLE');
  expect(said).not.toContain('hunter2');
});

test.each<[string, InputOptions, string]>([
  ['a number that is none', { input: ['quantity=many'] }, 'Input quantity takes a whole number, e.g. 3.'],
  ['a truth that is none', { input: ['express=yes'] }, 'Input express takes true or false.'],
  ['an array that is none', { input: ['tags={}'] }, 'Input tags takes a JSON array'],
  ['an input that is not declared', { input: ['qery=x'] }, 'There is no input "qery"; there are: query, quantity'],
  ['no =', { input: ['query'] }, '--input query: write it as name=value.'],
  ['an input given twice', { input: ['query=a', 'query=b'] }, 'Input query is given twice.'],
  ['a file that is not there', { input: ['order=@none.pdf'] }, 'Input order: there is no file'],
  ['a path without @', { input: ['order=order.pdf'] }, 'write --input order=@order.pdf to upload it'],
  ['a variable that is not set', { inputEnv: ['password=NONE'] }, 'the variable NONE is not set'],
  ['values that are no object', { inputs: 'list.yaml' }, 'has to hold an object'],
])('%s is refused with what to write', (_what, options, expected) => {
  expect(refusal(() => read(options))).toContain(expected);
});

test('everything that is missing or wrong is said at once, each with its option', () => {
  const said = refusal(() => checkInputs(declared, { values: { quantity: 0 }, files: {} }));
  expect(said).toContain('query: This input is missing. Give --input query=...');
  expect(said).toContain('quantity: must be >= 1');
  expect(said).toContain('password: This input is missing: Password of the portal. Give --input-env password=VARIABLE');
  expect(said).toContain('order: This input is missing. Give --input order=@path');
});

test('a file that will be uploaded counts as given', () => {
  checkInputs(declared, { values: { query: 'x', password: 'p' }, files: { order: '/x' } });
});

describe('asking', () => {
  const asked: string[] = [];
  const terminal = (canAsk: boolean) =>
    ({ canAsk, askSecret: async (question: string) => (asked.push(question), 'typed') }) as never;
  beforeEach(() => void asked.splice(0));

  test('is for secrets that are required and missing, by their title', async () => {
    const { values } = await askSecrets(declared, { values: {}, files: {} }, terminal(true));
    expect(values).toEqual({ password: 'typed' });
    expect(asked).toEqual(['Password of the portal (password)']);
  });

  test('does not happen where nobody sits, nor for what is given', async () => {
    expect((await askSecrets(declared, { values: {}, files: {} }, terminal(false))).values).toEqual({});
    await askSecrets(declared, { values: { password: 'p' }, files: {} }, terminal(true));
    expect(asked).toEqual([]);
  });
});
