import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { runCli } from '../testing/cli.fixture.ts';
import { exportCommand, importCommand } from './import-export.command.ts';

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'pilothouse-exchange-'));
});
afterAll(() => rm(cwd, { recursive: true }));

const ask = (make: typeof importCommand, file: string) => runCli(make, [file], { url: 'http://127.0.0.1:9', cwd });

test('a recording is printed as a workflow, and that as a recording again', async () => {
  const recording = {
    title: 'Look around',
    steps: [
      { type: 'navigate', url: 'https://shop.test/' },
      { type: 'change', value: 'harbour', selectors: [['aria/Password'], ['#password']] },
      { type: 'click', selectors: [['aria/Go[role="button"]']], offsetX: 1, offsetY: 1 },
      { type: 'customStep', name: 'x' },
    ],
  };
  await writeFile(join(cwd, 'recording.json'), JSON.stringify(recording));
  const made = await ask(importCommand, 'recording.json');
  expect(made.code).toBe(0);
  expect(parse(made.out)).toMatchObject({
    name: 'look-around',
    steps: [{ action: 'navigate' }, { action: 'type' }, { action: 'click' }],
  });
  expect(made.err).toContain('Step 2 (change): what was typed stands in it as it is');
  expect(made.err).toContain('Step 4 (customStep): there is nothing like it');
  await writeFile(join(cwd, 'look.yaml'), made.out);
  const back = await ask(exportCommand, 'look.yaml');
  expect(back.code).toBe(0);
  expect(JSON.parse(back.out)).toMatchObject({
    title: 'Look around',
    steps: [{ type: 'setViewport' }, ...recording.steps.slice(0, 3).map(({ type }) => ({ type }))],
  });
});

test('what is no recording is refused', async () => {
  await writeFile(join(cwd, 'other.json'), '{"title": "x"}');
  expect(await ask(importCommand, 'other.json')).toMatchObject({
    code: 2,
    err: expect.stringContaining('is no recording: /steps'),
  });
  await writeFile(join(cwd, 'text.json'), 'x');
  expect(await ask(importCommand, 'text.json')).toMatchObject({
    code: 2,
    err: expect.stringContaining('cannot be read as JSON'),
  });
});

test('a workflow is printed as a test, and what a test cannot have is refused with line and column', async () => {
  await writeFile(
    join(cwd, 'order.yaml'),
    `name: order
inputs:
  password: { type: string, secret: true }
  amount: { type: integer, default: 3 }
steps:
  - { action: navigate, url: 'https://shop.test/' }
  - { action: type, target: { label: Password }, text: '{{inputs.password}}' }
`,
  );
  const made = await runCli(exportCommand, ['--as', 'playwright', 'order.yaml'], { url: 'http://127.0.0.1:9', cwd });
  expect(made.code).toBe(0);
  expect(made.out).toContain(`import { expect, test } from '@playwright/test';`);
  expect(made.out).toContain('password: env("INPUT_PASSWORD"),');
  expect(made.out).toContain('.fill(inputs.password);');
  expect(made.err).toBe('It needs INPUT_PASSWORD in its environment\n');
  await writeFile(
    join(cwd, 'hard.yaml'),
    `name: hard
steps:
  - { action: click, target: { at: { x: 5, y: 5 } } }
  - action: group
    when: 1 + 1 == 2
    steps:
      - { action: extract, target: { css: .due }, value: { type: date } }
`,
  );
  const hard = await runCli(exportCommand, ['--as', 'playwright', 'hard.yaml'], { url: 'http://127.0.0.1:9', cwd });
  expect([hard.code, hard.out]).toEqual([2, '']);
  expect(hard.err).toContain('hard.yaml has what a test cannot have.');
  expect(hard.err).toMatch(/hard\.yaml:3:\d+ .*by its number or its place/);
  expect(hard.err).toMatch(/hard\.yaml:5:\d+ .*an expression is not written as code here/);
  expect(hard.err).toMatch(/hard\.yaml:7:\d+ .*reading date is left to a run/);
  expect(
    await runCli(exportCommand, ['--as', 'cypress', 'order.yaml'], { url: 'http://127.0.0.1:9', cwd }),
  ).toMatchObject({ code: 2 });
});
