import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { createEvent, type RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { SubmitRun } from '@pilothouse/contract/run/run.schema';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiFixture } from '../testing/api.fixture.ts';
import { runCli, type ProcessOptions } from '../testing/cli.fixture.ts';
import { aRun, aWorkflow, id } from '../testing/views.fixture.ts';
import { runCommand } from './create-run.command.ts';

const cwd = mkdtempSync(join(tmpdir(), 'pilothouse-cli-spec-'));
const api = new ApiFixture();
beforeAll(() => api.start());
afterAll(async () => {
  await api.stop();
  rmSync(cwd, { recursive: true });
});
writeFileSync(
  join(cwd, 'order.yaml'),
  `name: order
steps:
  - { action: navigate, url: 'http://site/', title: Open }
  - { id: total, action: extract, target: { css: '#total' }, value: {} }
output: '{{steps.total.value}}'
`,
);

const LIST = 'Shop http://site/\n[0] button "Order"\n    { role: button, name: Order }';
const now = new Date('2026-05-04T12:00:00.000Z');
const observing = { step: 1, id: 'observation' };
const events: RunEvent[] = [
  createEvent('run.assigned', 'Assigned', { worker: 'w-1', fleet: 'browser' }, now),
  createEvent('step.started', 'x', { ...observing, action: 'observe', title: 'Observe the page', summary: 'x' }, now),
  createEvent(
    'step.completed',
    'x',
    {
      ...observing,
      tier: 'replay',
      durationMs: 9,
      outcome: 'completed',
      effect: 'confirmed',
      located: null,
      page: null,
      value: LIST,
    },
    now,
  ),
].map((draft, index) => ({ ...draft, seq: index + 1, run: id(1), epoch: 1 }));

const run = (args: string[], around: Partial<ProcessOptions> = {}) =>
  runCli(runCommand, args, { url: api.url, cwd, ...around });
const submitted = () => api.of('createRun')[0]?.body as SubmitRun;

beforeEach(() => {
  api.requests.splice(0);
  Object.assign(api.handlers, {
    createRun: () => aRun(),
    readRun: () => aRun({ status: 'completed', output: LIST }),
    listRunEvents: () => ({ events }),
    listRunArtifacts: () => ({ items: [] }),
    readWorkflow: () => aWorkflow(),
  });
});

test('--until submits the steps up to that one, and prints the observation as observe does', async () => {
  const { code, out, err } = await run(['order.yaml', '--until', 'Open']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(submitted().definition).toMatchObject({
    name: 'order',
    steps: [{ action: 'navigate' }, { action: 'observe', locators: true }],
    output: '{{steps.observation.value}}',
  });
  expect(out).toContain('order, until step 1 (Open) run');
  expect(out).toContain(`\n\n${LIST}\n`);
});

test('a workflow of the project is also shortened, and its run has no version', async () => {
  const { code } = await run(['harbour-order', '--until', '1', '--detach']);
  expect(code).toBe(0);
  expect(submitted().workflow).toBeUndefined();
  expect(submitted().definition?.steps.map(({ action }) => action)).toEqual(['navigate', 'observe']);
});

test('a missing step ends with 2, lists the steps, and sends no run', async () => {
  const { code, err } = await run(['order.yaml', '--until', 'Log in']);
  expect(code).toBe(2);
  expect(err).toBe('error  Unknown step "Log in". Steps:\n  1  Open\n  2  Read value #total (id total)\n');
  expect(api.of('createRun')).toEqual([]);
});

test.each([
  ['--keep-open without --until', ['order.yaml', '--keep-open'], '--keep-open requires --until.'],
  [
    '--until with a goal',
    ['--goal', 'x', '--until', '1'],
    '--until requires a workflow: it cannot be used with --goal.',
  ],
  ['--keep-open --detach', ['order.yaml', '--until', '1', '--keep-open', '-d'], '--keep-open cannot be used with'],
  ['--keep-open --json', ['order.yaml', '--until', '1', '--keep-open', '--json'], '--keep-open cannot be used with'],
  [
    '--keep-open --wait-timeout',
    ['order.yaml', '--until', '1', '--keep-open', '--wait-timeout', '5m'],
    '--keep-open cannot be used with',
  ],
])('%s is refused', async (_flag, args, message) => {
  const { code, err } = await run(args);
  expect(code).toBe(2);
  expect(err).toContain(message);
  expect(api.of('createRun')).toEqual([]);
});

test('--keep-open prints the observation while the run continues', async () => {
  api.handlers.listRunEvents = () => ({ events, open: true });
  api.handlers.cancelRun = () => new PilothouseError('FORBIDDEN', 'The key may not cancel runs');
  let press: () => void = () => undefined;
  const { code, out, err } = await run(['order.yaml', '--until', '1', '--keep-open'], {
    onListen: (then) => void (press = then),
    onOut: (text) => void (text.includes('Ctrl-C cancels the run') && press()),
  });
  expect(submitted().definition?.steps.map(({ action }) => action)).toEqual(['navigate', 'observe', 'forEach']);
  expect(out).toContain(`\n\n${LIST}\n\nThe browser stays open after step 1 (Open), for at most 4 hours.\n`);
  // A run that cannot be cancelled is not said to be cancelled.
  expect(api.of('cancelRun').map(({ params }) => params.run)).toEqual([id(1)]);
  expect(code).toBe(130);
  expect(err).toMatch(
    /^The run was not cancelled: The key may not cancel runs\nStopped following\. The run continues\./,
  );
});
