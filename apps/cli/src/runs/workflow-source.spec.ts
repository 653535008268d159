import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFile, InvalidWorkflow, readWorkflow } from './workflow-source.ts';

const cwd = mkdtempSync(join(tmpdir(), 'pilothouse-cli-spec-'));
afterAll(() => rmSync(cwd, { recursive: true }));
mkdirSync(join(cwd, 'orders'));
writeFileSync(join(cwd, 'plain'), 'name: plain\n');

test.each([
  ['top.yaml', true],
  ['TOP.YML', true],
  ['./top', true],
  ['plain', true],
  ['harbour-order', false],
  ['orders', false],
])('%s means a file: %s', (path, expected) => {
  expect(isFile(path, cwd)).toBe(expected);
});

test('a valid file is the definition, defaults filled in', () => {
  writeFileSync(join(cwd, 'good.yaml'), 'name: good\nsteps:\n  - { action: navigate, url: http://x }\n');
  expect(readWorkflow('good.yaml', cwd)).toEqual({
    name: 'good',
    surface: 'browser',
    inputs: {},
    steps: [{ action: 'navigate', url: 'http://x' }],
  });
});

test('every problem of a file has its line and column', () => {
  const text = 'name: Bad Name\nsteps:\n  - action: navigate\n    url: http://x\n    wait: 3\n';
  writeFileSync(join(cwd, 'bad.yaml'), text);
  let thrown;
  try {
    readWorkflow('bad.yaml', cwd);
  } catch (error) {
    thrown = error as InvalidWorkflow;
  }
  expect(thrown).toBeInstanceOf(InvalidWorkflow);
  expect(thrown?.exitCode).toBe(2);
  expect(thrown?.lines[0]).toMatch(/^bad\.yaml:1:7 \/name: "Bad Name": Use 1 to 63 lower-case/);
  expect(thrown?.lines[1]).toMatch(/^bad\.yaml:5:5 step 1, \/wait: Unknown field "wait"/);
  expect(thrown?.problems[1]).toMatchObject({ line: 5, column: 5, pointer: '/steps/0/wait' });
});

test.each([
  ['none.yaml', 'File not found: none.yaml.'],
  ['./orders', './orders is a directory. Specify a workflow file.'],
])('%s is rejected: %s', (path, message) => {
  expect(() => readWorkflow(path, cwd)).toThrow(message);
});
