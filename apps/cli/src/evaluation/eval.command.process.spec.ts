import { submitRunSchema, type RunView } from '@pilothouse/contract/run/run.schema';
import { TestServer } from '@pilothouse/testing/test-server';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiFixture } from '../testing/api.fixture.ts';
import { runCli, type ProcessOptions } from '../testing/cli.fixture.ts';
import { aRun, anArtifact, id } from '../testing/views.fixture.ts';
import { evalCommand } from './eval.command.ts';

const cwd = mkdtempSync(join(tmpdir(), 'pilothouse-cli-spec-'));
const api = new ApiFixture();
beforeAll(() => api.start());
afterAll(async () => {
  await api.stop();
  rmSync(cwd, { recursive: true });
});

const suite = `
name: supplier-portal
repeat: 2
budget: { usd: 0.5 }
tasks:
  - id: cheapest-rope
    goal: What does the cheapest rope cost?
    url: http://site/catalogue
    checks: [{ output: { equals: 12.5 } }]
  - id: order
    workflow: harbour-order
    inputs: { query: rope }
    checks: [{ output: { pointer: /status, equals: confirmed } }]
`;

/** Ends each submitted run at once, as `end` says. */
function answerRuns(end: (body: ReturnType<typeof submitRunSchema.parse>, number: number) => Partial<RunView>): void {
  const views = new Map<string, RunView>();
  const byKey = new Map<string, string>();
  api.requests.length = 0;
  api.handlers.createRun = ({ body, headers }) => {
    const key = String(headers['idempotency-key']);
    const known = byKey.get(key);
    if (known) return views.get(known);
    const run = id(views.size + 1);
    byKey.set(key, run);
    const facts = end(submitRunSchema.parse(body), views.size + 1);
    const times = { startedAt: '2026-05-04T12:00:00.000Z', finishedAt: '2026-05-04T12:00:04.000Z' };
    views.set(
      run,
      aRun({ id: run, status: 'completed', ...times, usage: { calls: 1, tokens: 900, usd: 0.01 }, ...facts }),
    );
    return views.get(run);
  };
  api.handlers.readRun = ({ params }) => views.get(params.run ?? '');
  api.handlers.cancelRun = ({ params }) => {
    const view = { ...aRun(), ...views.get(params.run ?? ''), status: 'cancelled' as const };
    views.set(view.id, view);
    return view;
  };
}

const run = (args: readonly string[], options: Partial<ProcessOptions> = {}) => {
  writeFileSync(join(cwd, 'suite.yaml'), suite);
  return runCli(evalCommand, args, { url: api.url, cwd, ...options });
};

const outputOf = ({ goal }: { goal?: string | undefined }) => (goal === undefined ? { status: 'confirmed' } : 12.5);

test('each task runs as often as the suite says, and the report has rate and interval', async () => {
  answerRuns((body, number) => ({ output: number === 1 ? 13 : outputOf(body) }));
  const { code, out, err } = await run(['suite.yaml', '--parallel', '1']);
  expect(err).toBe('');
  expect(code).toBe(0);
  expect(out).toContain('✗ cheapest-rope  supplier-portal, run 1, 4.0 s');
  expect(out).toContain('The output is 13, expected 12.5');
  expect(out).toMatch(/supplier-portal +3\/4 +75 % +30–95 % +4\.0 s/);
  expect(out).toMatch(/cheapest-rope +1\/2 +The output is 13/);
  expect(api.of('createRun').map(({ body }) => body)).toEqual([
    expect.objectContaining({
      goal: 'What does the cheapest rope cost?',
      budget: { usd: 0.5 },
      labels: expect.objectContaining({ suite: 'supplier-portal', task: 'cheapest-rope', repeat: '1' }),
    }),
    expect.objectContaining({ workflow: 'harbour-order', inputs: { query: 'rope' } }),
    expect.anything(),
    expect.anything(),
  ]);
});

test('the runs of two models alternate, and the report is written as JSON', async () => {
  answerRuns((body) => ({ output: body.model === 'openai/small' ? null : outputOf(body) }));
  const args = [
    'suite.yaml',
    '--repeat',
    '5',
    '--model',
    'openai/small',
    '--model',
    'openai/large',
    '--output',
    'report.json',
  ];
  const { code, out } = await run([...args, '--min-success', '0.9']);
  expect(code).toBe(1);
  expect(out).toContain('openai/large against openai/small: +100 percentage points');
  expect(out).toContain('The difference is significant.');
  const report = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8'));
  expect(report.variants['openai/large']).toMatchObject({ successes: 10, trials: 10 });
  expect(report.runs).toHaveLength(20);
});

test('an interrupted evaluation continues with its id without new runs', async () => {
  answerRuns((body) => ({ output: outputOf(body) }));
  const interrupt: Partial<ProcessOptions> = {
    onListen(press) {
      const submit = api.handlers.createRun;
      api.handlers.createRun = (request) => {
        if (api.of('createRun').length === 3) press();
        return submit?.(request);
      };
    },
  };
  const first = await run(['suite.yaml', '--parallel', '1', '--id', 'nightly'], interrupt);
  expect(first.code).toBe(130);
  expect(first.err).toContain('To continue, add: --id nightly');
  const second = await run(['suite.yaml', '--parallel', '1', '--id', 'nightly', '--json']);
  expect(second.code).toBe(0);
  const { runs } = JSON.parse(second.out);
  expect(runs.map(({ run: runId }: { run: string }) => runId)).toEqual([id(1), id(2), id(3), id(4)]);
});

test('a run whose requests cannot be read fails its task, and the suite continues', async () => {
  const files = await new TestServer(({ url }, response) =>
    url === '/bad.har' ? response.end('{}') : response.writeHead(503).end(),
  ).start();
  answerRuns((_body, number) => ({ output: number > 2 ? 12.5 : null }));
  api.handlers.listRunArtifacts = ({ params }) => {
    const name = params.run === id(1) ? 'bad.har' : 'missing.har';
    return { items: [anArtifact({ kind: 'trace', name, url: `${files.origin}/${name}` })] };
  };
  const tasks = `
  - id: ordered
    goal: Order a rope
    checks: [{ request: { url: /orders/ } }]
  - id: cheapest-rope
    goal: What does the cheapest rope cost?
    checks: [{ output: { equals: 12.5 } }]`;
  writeFileSync(join(cwd, 'requests.yaml'), `name: requests\nrepeat: 2\ntasks:${tasks}`);
  const { code, out } = await run(['requests.yaml', '--parallel', '1', '--json']);
  await files.stop();
  expect(code).toBe(0);
  const { runs } = JSON.parse(out);
  const problems = runs.map(({ task, problems: found }: { task: string; problems: string[] }) => [task, ...found]);
  expect(problems).toContainEqual(['ordered', expect.stringContaining('cannot be read')]);
  expect(problems.filter(([task]: string[]) => task === 'cheapest-rope')).toHaveLength(2);
});

test('a run that asks a person is cancelled, and fails its task', async () => {
  const question = {
    ...{ step: 0, id: null, reason: 'Log in first', choices: [{ choice: 'retry' as const, title: 'Retry' }], key: 'k' },
    ...{ askedAt: '2026-05-04T12:00:00.000Z', expiresAt: '2026-05-04T13:00:00.000Z' },
  };
  answerRuns((_body, number) => (number === 1 ? { status: 'awaiting_user', question } : { output: 12.5 }));
  const { out } = await run(['suite.yaml', '--task', 'cheapest-rope', '--parallel', '1']);
  expect(out).toContain('The run asked a person: Log in first');
  expect(api.of('cancelRun')).toHaveLength(1);
});

test.each([
  ['an unknown task', ['--task', 'none'], 'The suite has no task "none" that can be run.'],
  ['models and versions', ['--model', 'openai/a', '--version', '2'], 'Use either --model or --version.'],
  [
    'the same model twice',
    ['--model', 'openai/a', '--model', 'openai/a'],
    'Each --model or --version must be different.',
  ],
  ['a model without an endpoint', ['--model', 'gpt'], 'Invalid --model gpt: use endpoint/model'],
  ['a version of a goal', ['--version', '2'], '--version requires tasks with `workflow`.'],
])('%s is refused before any run', async (_title, args, message) => {
  answerRuns(() => ({}));
  const { code, err } = await run(['suite.yaml', ...args]);
  expect(code).toBe(2);
  expect(err).toContain(message);
  expect(api.of('createRun')).toEqual([]);
});

test('an invalid suite names the field and the fix', async () => {
  writeFileSync(
    join(cwd, 'bad.yaml'),
    'name: a\ntasks: [{ id: x, goal: a, workflow: b }, { id: x, goal: a, checks: [{ output: {} }] }]',
  );
  const { code, err } = await run(['bad.yaml']);
  expect(code).toBe(2);
  expect(err).toContain('/tasks/0: Give exactly one of `goal`, `workflow`');
});
