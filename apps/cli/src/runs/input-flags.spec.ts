import type { WorkflowInput } from '@pilothouse/contract/workflow/workflow.schema';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandError } from '../output/exit-codes.ts';
import { promptSecrets, checkInputs, readInputs, type InputOptions } from './input-flags.ts';

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
const parse = (options: InputOptions) => readInputs(declared, options, { cwd, environment });

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
  expect(parse({ input }).values).toEqual({ query: '12', quantity: 12, express: true, tags: ['a'] });
});

test('@ reads a text or names a file to upload, @@ is an @, and = may stand in a value', () => {
  expect(parse({ input: ['query=@secret.txt', 'order=@order.pdf'] })).toEqual({
    values: { query: 'hunter2' },
    files: { order: join(cwd, 'order.pdf') },
  });
  expect(parse({ input: ['query=@@home=1'] }).values).toEqual({ query: '@home=1' });
});

test('options go before the file of values', () => {
  expect(parse({ inputs: 'values.yaml', input: ['quantity=5'] }).values).toEqual({ query: 'rope', quantity: 5 });
});

test('a secret input names a secret of the project', () => {
  expect(parse({ inputFromSecret: ['password=portal-password'] }).values).toEqual({
    password: { secret: 'portal-password' },
  });
  expect(refusal(() => parse({ inputFromSecret: ['query=portal-password'] }))).toContain('Input query is not secret');
  const inputs = parse({ inputFromSecret: ['password=Portal'], input: ['query=a', 'order=@order.pdf'] });
  expect(refusal(() => checkInputs(declared, inputs))).toContain('password/secret: Use 1 to 63 lower-case letters');
});

test('a secret comes from a variable or a file, never from the command', () => {
  expect(parse({ inputFromEnv: ['password=PORTAL'] }).values).toEqual({ password: 'hunter2' });
  expect(parse({ input: ['password=@secret.txt'] }).values).toEqual({ password: 'hunter2' });
  const message = refusal(() => parse({ input: ['password=hunter2'] }));
  expect(message).toContain('2\nInput password is secret');
  expect(message).toContain('--input-from-env password=VARIABLE');
  expect(message).not.toContain('hunter2');
});

test.each<[string, InputOptions, string]>([
  ['an invalid number', { input: ['quantity=many'] }, 'Input quantity must be a whole number, e.g. 3.'],
  ['an invalid boolean', { input: ['express=yes'] }, 'Input express must be true or false.'],
  ['an invalid array', { input: ['tags={}'] }, 'Input tags must be a JSON array'],
  ['an undeclared input', { input: ['qery=x'] }, 'Unknown input "qery". Did you mean query? Inputs: query, quantity'],
  ['no =', { input: ['query'] }, 'Invalid --input query: use name=value.'],
  ['a duplicate input', { input: ['query=a', 'query=b'] }, 'Input query specified twice.'],
  ['a missing file', { input: ['order=@none.pdf'] }, 'Input order: file not found'],
  ['a path without @', { input: ['order=order.pdf'] }, 'use --input order=@order.pdf.'],
  ['an unset variable', { inputFromEnv: ['password=NONE'] }, 'Environment variable NONE is not set.'],
  ['a file without an object', { inputs: 'list.yaml' }, 'expected an object of input names and values'],
])('%s is rejected with the option to use', (_flag, options, expected) => {
  expect(refusal(() => parse(options))).toContain(expected);
});

test('all missing and invalid inputs are reported at once, each with its option', () => {
  const message = refusal(() => checkInputs(declared, { values: { quantity: 0 }, files: {} }));
  expect(message).toContain('query: This input is required. Use --input query=...');
  expect(message).toContain('quantity: must be >= 1');
  expect(message).toContain(
    'password: This input is required: Password of the portal. Use --input-from-env password=VARIABLE',
  );
  expect(message).toContain('order: This input is required. Use --input order=@path');
});

test('a file that will be uploaded counts as given', () => {
  checkInputs(declared, { values: { query: 'x', password: 'p' }, files: { order: '/x' } });
});

describe('asking', () => {
  const prompts: string[] = [];
  const terminal = (canPrompt: boolean) =>
    ({ canPrompt, promptSecret: async (question: string) => (prompts.push(question), 'typed') }) as never;
  beforeEach(() => void prompts.splice(0));

  test('is for secrets that are required and missing, by their title', async () => {
    const { values } = await promptSecrets(declared, { values: {}, files: {} }, terminal(true));
    expect(values).toEqual({ password: 'typed' });
    expect(prompts).toEqual(['Password of the portal (password)']);
  });

  test('does not happen without a terminal, nor for assigned inputs', async () => {
    expect((await promptSecrets(declared, { values: {}, files: {} }, terminal(false))).values).toEqual({});
    await promptSecrets(declared, { values: { password: 'p' }, files: {} }, terminal(true));
    expect(prompts).toEqual([]);
  });
});
