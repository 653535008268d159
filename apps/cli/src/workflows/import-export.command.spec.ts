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

const run = (createCommand: typeof importCommand, file: string) =>
  runCli(createCommand, [file], { url: 'http://127.0.0.1:9', cwd });

test('a recording is printed as a workflow, and that as a recording again', async () => {
  const recording = {
    title: 'Look around',
    steps: [
      { type: 'navigate', url: 'https://shop.test/' },
      { type: 'change', value: 'harbour', selectors: [['aria/Password'], ['#password']] },
      { type: 'click', selectors: [['aria/Go[role="button"]']], offsetX: 1, offsetY: 1 },
    ],
  };
  await writeFile(join(cwd, 'recording.json'), JSON.stringify(recording));
  const converted = await run(importCommand, 'recording.json');
  expect(converted.code).toBe(0);
  expect(parse(converted.out)).toMatchObject({
    name: 'look-around',
    steps: [{ action: 'navigate' }, { action: 'fill' }, { action: 'click' }],
  });
  expect(converted.err).toContain('Step 2 (change): it contains the typed text');
  await writeFile(join(cwd, 'look.yaml'), converted.out);
  const back = await run(exportCommand, 'look.yaml');
  expect(back.code).toBe(0);
  expect(JSON.parse(back.out)).toMatchObject({
    title: 'Look around',
    steps: [{ type: 'setViewport' }, ...recording.steps.map(({ type }) => ({ type }))],
  });
});

test('a recording with a step that cannot be imported ends with an error, and the file shows the step', async () => {
  const steps = [
    { type: 'navigate', url: 'https://shop.test/' },
    { type: 'customStep', name: 'x' },
  ];
  await writeFile(join(cwd, 'custom.json'), JSON.stringify({ title: 'Custom', steps }));
  const converted = await run(importCommand, 'custom.json');
  expect(converted).toMatchObject({ code: 2, err: expect.stringContaining('1 step was not imported') });
  await writeFile(join(cwd, 'custom.yaml'), converted.out);
  expect(await run(exportCommand, 'custom.yaml')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Not imported: Step 2 (customStep): no equivalent step'),
  });
});

test('a file that is not a recording is rejected', async () => {
  await writeFile(join(cwd, 'other.json'), '{"title": "x"}');
  expect(await run(importCommand, 'other.json')).toMatchObject({
    code: 2,
    err: expect.stringContaining('is not a recording: /steps'),
  });
  await writeFile(join(cwd, 'text.json'), 'x');
  expect(await run(importCommand, 'text.json')).toMatchObject({
    code: 2,
    err: expect.stringContaining('text.json: invalid JSON'),
  });
});

test('a workflow is printed as a test; steps that cannot be exported are rejected with line and column', async () => {
  await writeFile(
    join(cwd, 'order.yaml'),
    `name: order
inputs:
  password: { type: string, secret: true }
  amount: { type: integer, default: 3 }
steps:
  - { action: navigate, url: 'https://shop.test/' }
  - { action: fill, target: { label: Password }, text: '{{inputs.password}}' }
`,
  );
  const converted = await runCli(exportCommand, ['--format', 'playwright', 'order.yaml'], {
    url: 'http://127.0.0.1:9',
    cwd,
  });
  expect(converted.code).toBe(0);
  expect(converted.out).toContain(`import { expect, test } from '@playwright/test';`);
  expect(converted.out).toContain('password: env("INPUT_PASSWORD"),');
  expect(converted.out).toContain('.fill(inputs.password);');
  expect(converted.err).toBe('Required environment variables: INPUT_PASSWORD\n');
  await writeFile(
    join(cwd, 'hard.yaml'),
    `name: hard
steps:
  - { action: click, target: { point: { x: 5, y: 5 } } }
  - action: group
    if: 1 + 1 == 2
    steps:
      - { action: extract, target: { css: .due }, value: { type: date } }
`,
  );
  const hard = await runCli(exportCommand, ['--format', 'playwright', 'hard.yaml'], { url: 'http://127.0.0.1:9', cwd });
  expect([hard.code, hard.out]).toEqual([2, '']);
  expect(hard.err).toContain('hard.yaml uses steps that cannot be exported.');
  expect(hard.err).toMatch(/hard\.yaml:3:\d+ .*a test cannot use `elementIndex`, `point` or `focus`/);
  expect(hard.err).toMatch(/hard\.yaml:5:\d+ .*this expression is not supported in a test/);
  expect(hard.err).toMatch(/hard\.yaml:7:\d+ .*a test cannot read date/);
  expect(
    await runCli(exportCommand, ['--format', 'cypress', 'order.yaml'], { url: 'http://127.0.0.1:9', cwd }),
  ).toMatchObject({ code: 2 });
});
