import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { createEvent, type EventDraft, type RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { RunView, SubmitRun } from '@pilothouse/contract/run/run.schema';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiFixture, KEY } from '../testing/api.fixture.ts';
import { runCli, type ProcessOptions } from '../testing/cli.fixture.ts';
import { anArtifact, aRun, aWorkflow, id } from '../testing/views.fixture.ts';
import { runCommand } from './create-run.command.ts';

const cwd = mkdtempSync(join(tmpdir(), 'pilothouse-cli-spec-'));
const api = new ApiFixture();
beforeAll(() => api.start());
afterAll(async () => {
  await api.stop();
  rmSync(cwd, { recursive: true });
});

const file = join(cwd, 'order.yaml');
writeFileSync(
  file,
  `name: order
inputs:
  query: { type: string }
  quantity: { type: integer, default: 3 }
  password: { type: string, secret: true, optional: true }
  paper: { type: file, optional: true }
steps:
  - { action: navigate, url: 'http://site/?q={{inputs.query}}', title: Open }
  - { action: click, target: { role: button, name: Log on }, title: Log in }
`,
);
writeFileSync(join(cwd, 'paper.pdf'), '%PDF-1.4');

const now = new Date('2026-05-04T12:00:00.000Z');
const numbered = (drafts: EventDraft[]): RunEvent[] =>
  drafts.map((draft, index) => ({ ...draft, seq: index + 1, run: id(1), epoch: 1 }));
const stepStarted = (step: number, title: string) =>
  createEvent('step.started', title, { step, id: null, action: 'click', title, summary: title }, now);
const stepCompleted = (step: number) =>
  createEvent(
    'step.completed',
    'x',
    {
      step,
      id: null,
      tier: 'replay',
      durationMs: 840,
      outcome: 'completed',
      effect: 'confirmed',
      located: null,
      page: null,
      value: [{ a: 1 }],
    },
    now,
  );
const error = {
  code: 'TARGET_NOT_FOUND' as const,
  message: 'No element found',
  retry: 'no' as const,
  details: {
    tried: [{ locator: 'role=button[name="Log on"]', found: 'nothing' }],
    nearby: [{ kind: 'button', names: ['Log in'] }],
  },
};
const queued = { fleet: 'browser', priority: 0, retryOf: null };
const started = [
  createEvent('run.queued', 'Queued', { ...queued, steps: 2 }, now),
  createEvent('run.assigned', 'Assigned', { worker: 'w-1', fleet: 'browser' }, now),
  stepStarted(0, 'Open'),
  stepCompleted(0),
  stepStarted(1, 'Log in'),
];
const completed = numbered([
  ...started,
  stepCompleted(1),
  createEvent('run.completed', 'Completed', { output: null, durationMs: 1700 }, now),
]);
const failed = numbered([
  ...started,
  createEvent(
    'step.failed',
    'no',
    { step: 1, id: null, error, outcome: 'refused', effect: 'none', durationMs: 30_000 },
    now,
    'error',
  ),
  createEvent('run.failed', 'no', { error, step: 1 }, now, 'error'),
]);

/** API responses for a run with these events. */
function eventsOf(end: Partial<RunView>, events: RunEvent[], open = false) {
  api.requests.splice(0);
  Object.assign(api.handlers, {
    createRun: () => aRun({ status: 'queued', stepCount: 2 }),
    readRun: () => aRun({ stepCount: 2, startedAt: now.toISOString(), finishedAt: '2026-05-04T12:00:31.700Z', ...end }),
    listRunEvents: () => ({ events, open }),
    listRunArtifacts: () => ({
      items: [anArtifact({ step: 1, name: 'failure.png', url: `${api.url}/v1/objects/a.png?sig=1` })],
    }),
    readObject: () => Buffer.from('PNG'),
    readWorkflow: ({ query }: { query: { version?: number } }) =>
      aWorkflow({ version: query.version ?? 3, publishedVersion: 2, latestVersion: 3 }),
  });
}
const run = (args: string[], around: Partial<ProcessOptions> = {}) =>
  runCli(runCommand, args, { url: api.url, cwd, ...around });
const submitted = () => api.of('createRun')[0]?.body as SubmitRun;

test('a file is sent inline, its steps are lines, and the result is a table: exit 0', async () => {
  eventsOf({ status: 'completed', output: { rows: [{ sku: 'ROPE', price: 9.5 }] } }, completed);
  const { code, out, err } = await run([
    'order.yaml',
    '--input',
    'query=rope',
    '--label',
    'team=buy',
    '--priority',
    '5',
    '--screenshots',
    'before-and-after',
    '--har',
    'bodies',
    '--browser-console',
    '--video',
    '--max-duration',
    '2m',
    '--max-tokens',
    '50000',
    '--max-cost',
    '0.25',
  ]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(submitted()).toMatchObject({
    definition: { name: 'order', surface: 'browser' },
    inputs: { query: 'rope' },
    labels: { team: 'buy' },
    priority: 5,
    capture: { screenshots: 'before-and-after', video: 'small', har: 'bodies', console: true },
    budget: { seconds: 120, tokens: 50_000, usd: 0.25 },
  });
  expect(api.of('createRun')[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
  const lines = out.split('\n');
  expect(lines[0]).toBe(`order run ${id(1).slice(0, 13)} on fleet browser`);
  expect(lines[1]).toBe('· on w-1');
  expect(lines[2]).toMatch(/^✓ 1\/2 {2}Open +0\.8 s {2}1 row \(a\)$/);
  expect(lines[3]).toMatch(/^✓ 2\/2 {2}Log in/);
  expect(out).toContain('Completed in 32 s (2 steps)');
  expect(out).toContain('rows (1 row)\n  sku   price\n  ROPE    9.5\n');
  expect(out).not.toContain('\u001b');
});

test('a failure shows tried locators, page elements, the screenshot and next steps: exit 1', async () => {
  eventsOf({ status: 'failed', error }, failed);
  const { code, out } = await run(['order.yaml', '-i', 'query=rope']);
  expect(code).toBe(1);
  expect(out).toMatch(/✗ 2\/2 {2}Log in +30 s {2}TARGET_NOT_FOUND/);
  expect(out).toContain('Failed at step 2 (Log in) after 32 s');
  expect(out).toContain('role=button[name="Log on"]  nothing');
  expect(out).toContain('on the page  button: "Log in"');
  expect(out).toContain(`screenshot  ${api.url}/v1/objects/a.png?sig=1`);
  expect(out).toContain('Then: npx pilothouse run order.yaml');
});

test('a cancelled run: exit 3', async () => {
  eventsOf(
    { status: 'cancelled', currentStep: 1 },
    numbered([...started, createEvent('run.cancelled', 'x', { requestedBy: 'k' }, now)]),
  );
  const { code, out } = await run(['order.yaml', '-i', 'query=rope']);
  expect(code).toBe(3);
  expect(out).toContain('Cancelled after 32 s (1 of 2 steps)');
});

test('a run with loops has no total of steps', async () => {
  const [, ...others] = started;
  const cancelled = createEvent('run.cancelled', 'x', { requestedBy: 'k' }, now);
  eventsOf(
    { status: 'cancelled', currentStep: 1 },
    numbered([createEvent('run.queued', 'Queued', queued, now), ...others, cancelled]),
  );
  const { out } = await run(['order.yaml', '-i', 'query=rope']);
  expect(out).toMatch(/^✓ 1 +Open /m);
  expect(out).toContain('Cancelled after 32 s (1 step)');
});

test('--json is one document; with --events each event is a line and the document the last', async () => {
  eventsOf({ status: 'failed', error }, failed);
  const result = await run(['order.yaml', '-i', 'query=rope', '--json']);
  expect(result.code).toBe(1);
  expect(JSON.parse(result.out)).toMatchObject({
    run: { id: id(1) },
    output: null,
    error: { code: 'TARGET_NOT_FOUND' },
  });
  const withEvents = await run(['order.yaml', '-i', 'query=rope', '--json', '--events']);
  const lines = withEvents.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.slice(0, -1).map(({ seq }) => seq)).toEqual(failed.map(({ seq }) => seq));
  expect(lines.at(-1)).toMatchObject({ run: { id: id(1) }, error: { code: 'TARGET_NOT_FOUND' } });
});

test('--detach prints the id and does not wait', async () => {
  eventsOf({}, []);
  const { code, out } = await run(['order.yaml', '-i', 'query=rope', '--detach', '--idempotency-key', 'mine']);
  expect({ code, out }).toEqual({ code: 0, out: `${id(1)}\n` });
  expect(api.of('listRunEvents')).toEqual([]);
  expect(api.of('createRun')[0]?.headers['idempotency-key']).toBe('mine');
});

test('--download fetches the files without the key', async () => {
  eventsOf({ status: 'completed' }, completed);
  const { out } = await run(['order.yaml', '-i', 'query=rope', '--download', 'kept']);
  const path = join(cwd, 'kept', 'failure.png');
  expect(out).toContain(`Downloaded\n  ${path}`);
  expect(readFileSync(path, 'utf8')).toBe('PNG');
  expect(api.of('readObject')[0]?.headers.authorization).toBeUndefined();
});

test('a file input is uploaded, its id is the value', async () => {
  eventsOf({ status: 'completed' }, completed);
  const transfer = {
    method: 'PUT',
    url: `${api.url}/v1/objects/up?sig=1`,
    headers: { 'x-own': '1' },
    expiresAt: now.toISOString(),
  };
  api.handlers.createUpload = ({ body }) => ({ id: id(7), ...(body as object), transfer });
  api.handlers.writeObject = () => undefined;
  const { code } = await run(['order.yaml', '-i', 'query=rope', '-i', 'paper=@paper.pdf']);
  expect(code).toBe(0);
  expect(api.of('createUpload')[0]?.body).toEqual({ name: 'paper.pdf', contentType: 'application/pdf', size: 8 });
  expect(String(api.of('writeObject')[0]?.body)).toBe('%PDF-1.4');
  expect(api.of('writeObject')[0]?.headers['x-own']).toBe('1');
  expect(submitted().inputs).toEqual({ query: 'rope', paper: id(7) });
});

test('a secret from a variable is sent and never printed', async () => {
  eventsOf({ status: 'completed' }, completed);
  const environment = { PORTAL: 'hunter2' };
  const { out, err } = await run(['order.yaml', '-i', 'query=rope', '--input-from-env', 'password=PORTAL'], {
    environment,
  });
  expect(submitted().inputs).toEqual({ query: 'rope', password: 'hunter2' });
  expect(out + err).not.toContain('hunter2');
  const literal = await run(['order.yaml', '-i', 'query=rope', '-i', 'password=hunter2']);
  expect(literal.code).toBe(2);
  expect(literal.out + literal.err).not.toContain('hunter2');
});

test('a goal is sent with its URL and output schema', async () => {
  eventsOf({ status: 'completed', output: { price: 4 } }, completed);
  writeFileSync(join(cwd, 'price.yaml'), 'type: object\nproperties: { price: { type: number } }\n');
  const goalArguments = ['--goal', 'What does it cost?', '--url', 'http://site/rope', '--output-schema', 'price.yaml'];
  const { code, out } = await run([...goalArguments, '--max-tokens', '9000']);
  expect({ code, first: out.split('\n')[0] }).toEqual({
    code: 0,
    first: expect.stringContaining('What does it cost? run'),
  });
  expect(submitted()).toMatchObject({
    goal: 'What does it cost?',
    url: 'http://site/rope',
    outputSchema: { type: 'object', properties: { price: { type: 'number' } } },
    budget: { tokens: 9000 },
  });
  expect(submitted()).not.toHaveProperty('definition');
});

test('a workflow name runs its published version, or the one of --version', async () => {
  eventsOf({ status: 'completed' }, completed);
  await run(['harbour-order', '--detach']);
  expect(submitted()).toMatchObject({ workflow: 'harbour-order', version: 2 });
  eventsOf({ status: 'completed' }, completed);
  await run(['harbour-order', '--detach', '--version', '3']);
  expect(submitted()).toMatchObject({ workflow: 'harbour-order', version: 3 });
  api.handlers.readWorkflow = () => aWorkflow({ version: 3, publishedVersion: null, latestVersion: 3 });
  const { code, err } = await run(['harbour-order']);
  expect(code).toBe(2);
  expect(err).toContain('npx pilothouse workflows publish harbour-order');
});

test('Ctrl-C stops watching, prints how to resume, and does not cancel the run: exit 130', async () => {
  eventsOf({}, numbered(started), true);
  let press: () => void = () => undefined;
  const { code, err } = await run(['order.yaml', '-i', 'query=rope'], {
    onListen: (then) => void (press = then),
    onOut: (text) => void (text.startsWith('✓ 1/2') && press()),
  });
  expect(code).toBe(130);
  expect(err).toBe(
    `Stopped following. The run continues. Follow it: npx pilothouse logs -f ${id(1).slice(0, 13)}   Cancel it: npx pilothouse runs cancel ${id(1).slice(0, 13)}\n`,
  );
  expect(api.of('cancelRun')).toEqual([]);
});

test('--wait-timeout stops watching: exit 5, as JSON too', async () => {
  eventsOf({}, numbered(started), true);
  const { code, out, err } = await run(['order.yaml', '-i', 'query=rope', '--wait-timeout', '0.2s', '--json']);
  expect(code).toBe(5);
  expect(JSON.parse(out)).toMatchObject({ run: { id: id(1) }, error: { code: 'TIMED_OUT' } });
  expect(err).toContain('Still running after 0.2 s. The run continues.');
});

describe('a run that waits for an answer', () => {
  const askedAt = now.toISOString();
  const expiresAt = '2026-05-05T12:00:00.000Z';
  const asked = {
    ...{ step: 1, id: null, key: '1.1.0', reason: 'Which rope?' },
    choices: [{ choice: 'continue' as const, title: 'The gray rope' }],
  };
  const question = { ...asked, askedAt, expiresAt };
  const awaiting = [...started, createEvent('run.awaiting_user', 'Which rope?', { ...asked, expiresAt }, now)];
  const waiting = { status: 'awaiting_user', question, finishedAt: null } as const;
  const answerCommand = `npx pilothouse runs answer ${id(1).slice(0, 13)} continue --question 1.1.0`;

  test('without a terminal ends the command, with the question and its answers: exit 6', async () => {
    eventsOf(waiting, numbered(awaiting), true);
    const { code, out, err } = await run(['order.yaml', '-i', 'query=rope']);
    expect(code).toBe(6);
    expect(out).toContain(`? Which rope?\n  ${answerCommand}\n    The gray rope\n`);
    expect(err).toMatch(/^Run \S+ waits for an answer[.] Answer it with a command above[.] The run continues[.]/);
  });

  test('is JSON with its question', async () => {
    eventsOf(waiting, numbered(awaiting), true);
    const { code, out, err } = await run(['order.yaml', '-i', 'query=rope', '--json']);
    expect(code).toBe(6);
    expect(JSON.parse(out)).toMatchObject({ run: { question: { key: '1.1.0' } }, error: { code: 'NEEDS_ANSWER' } });
    expect(err).toContain(answerCommand);
  });

  test('is waited for with --wait-timeout', async () => {
    eventsOf(waiting, numbered(awaiting), true);
    const startedAt = performance.now();
    const { code, err } = await run(['order.yaml', '-i', 'query=rope', '--wait-timeout', '0.5s']);
    expect(code).toBe(6);
    expect(performance.now() - startedAt).toBeGreaterThan(450);
    expect(err).toContain('waits for an answer');
  });

  test('is followed when its question is answered already', async () => {
    const answer = createEvent('run.answered', 'Continued', { step: 1, choice: 'continue' } as never, now);
    const end = createEvent('run.completed', 'Completed', { output: null, durationMs: 1700 }, now);
    eventsOf({ status: 'completed' }, numbered([...awaiting, answer, end]));
    expect((await run(['order.yaml', '-i', 'query=rope'])).code).toBe(0);
  });

  test('is followed on a terminal', async () => {
    const later = createEvent('run.log', 'The page changed', { facts: {} }, now, 'warn');
    eventsOf(waiting, numbered([...awaiting, later]), true);
    let interrupt = () => {};
    const { code } = await run(['order.yaml', '-i', 'query=rope'], {
      answer: 'x',
      onListen: (press) => (interrupt = press),
      onOut: (text) => text.includes('The page changed') && interrupt(),
    });
    expect(code).toBe(130);
  });
});

describe('invalid usage exits with 2 and creates no run', () => {
  beforeEach(() => eventsOf({ status: 'completed' }, completed));
  afterEach(() => expect(api.of('createRun')).toEqual([]));

  test.each([
    ['nothing', [], 'Specify a workflow file, a workflow name, or --goal'],
    ['a workflow and a goal', ['order.yaml', '--goal', 'x'], 'Specify a workflow or --goal, not both.'],
    [
      'a page without a goal',
      ['order.yaml', '-i', 'query=x', '--url', 'http://x'],
      '--url and --output-schema require --goal.',
    ],
    ['a schema that is not there', ['--goal', 'x', '--output-schema', 'none.json'], 'none.json: invalid JSON or YAML'],
    ['an option that is unknown', ['order.yaml', '--inptu', 'x'], "unknown option '--inptu'"],
    ['a file that is not there', ['none.yaml'], 'File not found: none.yaml.'],
    ['an input that is missing', ['order.yaml'], 'query: This input is required. Use --input query=...'],
    [
      'a priority that is too high',
      ['order.yaml', '-i', 'query=x', '--priority', '101'],
      '--priority must be -100 to 100.',
    ],
    ['a time that is none', ['order.yaml', '--wait-timeout', 'soon'], 'Use a duration, e.g. 90, 90s, 5m, 2h.'],
    ['a version of a file', ['order.yaml', '--version', '2'], '--version requires a workflow name.'],
  ])('%s', async (_flag, args, message) => {
    const { code, err } = await run(args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  test('a workflow that is not valid, with file, line and column', async () => {
    writeFileSync(join(cwd, 'bad.yaml'), 'name: bad\nsteps:\n  - action: clik\n');
    const { code, err } = await run(['bad.yaml']);
    expect(code).toBe(2);
    expect(err).toMatch(/^error {2}bad\.yaml is not a valid workflow\.\n {2}bad\.yaml:3:\d+ /);
  });
});

test('a rejected request is shown field by field: exit 2; as JSON on stdout', async () => {
  eventsOf({}, []);
  const fields = [{ pointer: '/inputs/query', detail: 'is too short; use 3 letters' }];
  api.handlers.createRun = () =>
    new PilothouseError('VALIDATION_FAILED', `Not valid at /inputs/query: ${fields[0]?.detail}`, { fields });
  const { code, err } = await run(['order.yaml', '-i', 'query=x']);
  expect(code).toBe(2);
  expect(err).toBe('error  The request is not valid\n  inputs.query: is too short; use 3 letters\n');
  const asJson = await run(['order.yaml', '-i', 'query=x', '--json']);
  expect(JSON.parse(asJson.out)).toEqual({
    error: { code: 'VALIDATION_FAILED', message: 'The request is not valid', errors: fields },
  });
});

describe('without an API, or with an invalid key: exit 4', () => {
  test('nothing listens', async () => {
    const { code, err } = await run(['order.yaml', '-i', 'query=x'], { url: 'http://127.0.0.1:9' });
    expect(code).toBe(4);
    expect(err).toContain('http://127.0.0.1:9 does not answer');
    expect(err).toContain('./scripts/up');
  });

  test('the key is rejected and not printed', async () => {
    eventsOf({}, []);
    const { code, err } = await run(['order.yaml', '-i', 'query=x'], {
      environment: { PILOTHOUSE_API_KEY: 'ph_wrong' },
    });
    expect(code).toBe(4);
    expect(err).toContain('--api-key-file');
    expect(err).not.toContain('ph_wrong');
  });

  test('--api-url and --api-key-file go before the environment', async () => {
    eventsOf({}, []);
    const keyFile = join(cwd, 'key');
    writeFileSync(keyFile, `${KEY}\n`);
    const environment = { PILOTHOUSE_API_KEY: 'ph_wrong' };
    const args = ['order.yaml', '-i', 'query=x', '--detach', '--api-url', api.url, '--api-key-file', keyFile];
    expect((await run(args, { url: 'http://127.0.0.1:9', environment })).code).toBe(0);
  });
});
