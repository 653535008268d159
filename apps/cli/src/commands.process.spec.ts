import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { createEvent, type RunEvent } from '@pilothouse/contract/events/event-log.schema';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { processSource } from './api/define-command.ts';
import { ApiFixture } from './testing/api.fixture.ts';
import { runCli } from './testing/cli.fixture.ts';
import { anArtifact, aRun, aWorkflow, id } from './testing/views.fixture.ts';
import { artifactsCommand } from './runs/run-artifacts.command.ts';
import { answerCommand } from './runs/answer-run.command.ts';
import { cancelCommand } from './runs/cancel-run.command.ts';
import { deadLettersCommand } from './runs/dead-letters.command.ts';
import { dryRunCommand } from './workflows/dry-run.command.ts';
import { fleetsCommand } from './fleets/fleets.command.ts';
import { auditCommand } from './project/audit.command.ts';
import { keysCommand } from './project/keys.command.ts';
import { lintCommand } from './workflows/lint.command.ts';
import { logsCommand } from './runs/run-logs.command.ts';
import { projectCommand } from './project/project.command.ts';
import { retentionCommand } from './project/retention.command.ts';
import { retryCommand } from './runs/retry-run.command.ts';
import { runCommand } from './runs/create-run.command.ts';
import { runsCommand } from './runs/runs.command.ts';
import { workersCommand } from './fleets/worker.command.ts';
import { workflowsCommand } from './workflows/workflows.command.ts';
import { program } from './program.ts';
import { proposalsCommand } from './workflows/proposals.command.ts';
import { elementsCommand } from './workflows/elements.command.ts';
import { profilesCommand } from './project/profiles.command.ts';

const cwd = mkdtempSync(join(tmpdir(), 'pilothouse-cli-spec-'));
const api = new ApiFixture();
beforeAll(() => api.start());
beforeEach(() => {
  api.requests.splice(0);
  for (const route of Object.keys(api.handlers)) delete api.handlers[route as keyof typeof api.handlers];
});
afterAll(async () => {
  await api.stop();
  rmSync(cwd, { recursive: true });
});

const now = new Date('2026-05-04T12:04:00.000Z');
const startedAt = new Date('2026-05-04T12:00:00.000Z');
const execute = (createCommand: Parameters<typeof runCli>[0], ...args: string[]) =>
  runCli(createCommand, args, { url: api.url, cwd, now });
const short = id(1).slice(0, 13);

writeFileSync(join(cwd, 'good.yaml'), 'name: good\nsteps:\n  - { action: navigate, url: http://x }\n');
writeFileSync(join(cwd, 'bad.yaml'), 'name: good\nsteps:\n  - { action: navigate, ur: http://x }\n');

describe('runs', () => {
  test('are a table, and the filters reach the API', async () => {
    const error = { code: 'TARGET_NOT_FOUND' as const, message: 'x', retry: 'no' as const };
    const times = { startedAt: startedAt.toISOString(), finishedAt: '2026-05-04T12:00:31.000Z' };
    const items = [aRun({ status: 'failed', error, ...times }), aRun({ id: id(9), goal: 'Order\nropes' })];
    api.handlers.listRuns = () => ({ items, nextCursor: null });
    api.handlers.readRun = () => aRun({ id: id(7) });
    const args = [
      '--status',
      'failed,queued',
      '--origin',
      'api,retry',
      '--error-code',
      'target_not_found',
      '--workflow',
      'order',
      '--parent',
      id(7),
      '--label',
      'team=buy',
      '--label',
      'x=y',
    ];
    const { code, out } = await execute(runsCommand, 'list', ...args);
    expect(code).toBe(0);
    expect(api.of('listRuns')[0]?.query).toMatchObject({
      status: ['failed', 'queued'],
      origin: ['api', 'retry'],
      error: ['TARGET_NOT_FOUND'],
      workflow: 'order',
      parentRunId: id(7),
      labels: ['team:buy', 'x:y'],
      limit: 20,
    });
    const [head, failed, queued] = out.split('\n');
    expect(head).toMatch(/^run +workflow or goal +status +started by +created +duration +unverified +error$/);
    // Two ids of one millisecond are printed with more characters.
    expect(failed).toMatch(
      /^0197f3c2-1a2b-7c3d-8e4f-000000000001 {2}order +failed +api +4 min ago +31 s +TARGET_NOT_FOUND$/,
    );
    expect(queued).toMatch(/^\S+9 {2}Order ropes +queued +api +4 min ago$/);
  });

  test('are read page by page up to the limit', async () => {
    api.handlers.listRuns = ({ query }) => ({
      items: [aRun({ id: id(query.cursor ? 2 : 1) })],
      nextCursor: query.cursor ? null : 'next',
    });
    const { out } = await execute(runsCommand, 'list', '--limit', '5', '--json');
    expect(JSON.parse(out).items).toHaveLength(2);
  });

  test('a hint is printed when more runs exist', async () => {
    api.handlers.listRuns = () => ({ items: [aRun()], nextCursor: 'next' });
    const { err } = await execute(runsCommand, 'list', '--limit', '1');
    expect(err).toBe('More runs exist. To list more, use --limit 10.\n');
  });

  test('an unknown status or origin is invalid usage', async () => {
    expect(await execute(runsCommand, 'list', '--status', 'done')).toMatchObject({ code: 2 });
    expect(await execute(runsCommand, 'list', '--origin', 'cron')).toMatchObject({ code: 2 });
  });

  test('show prints a run, found by the prefix of its id', async () => {
    const run = aRun({ status: 'completed', output: { order: 'HS-1' }, inputs: { query: 'rope' } });
    api.handlers.listRuns = () => ({ items: [run], nextCursor: null });
    const step = {
      id: null,
      action: 'click',
      epoch: 1,
      attempts: 1,
      tier: 'replay',
      error: null,
      startedAt: null,
      finishedAt: null,
    };
    const items = [
      { ...step, index: 0, path: '1', title: 'Read\u001b[2J it', status: 'completed' as const, value: [{ sku: 'A' }] },
      {
        ...{ ...step, index: 1, path: '2', title: 'Drag', status: 'completed' as const, value: null },
        ...{ outcome: 'completed', effect: 'unverifiable', effectReason: 'Nothing visible changed' },
      },
    ];
    api.handlers.listRunSteps = () => ({ items });
    api.handlers.listRunArtifacts = () => ({ items: [anArtifact()] });
    const { out } = await execute(runsCommand, 'show', short);
    expect(out).toContain(`run         ${id(1)}`);
    expect(out).toContain('inputs      query="rope"');
    expect(out).toMatch(/✓ +1 {2}Read it +1 row \(sku\)/);
    expect(out).toMatch(/✓ +2 {2}Drag +not verified: Nothing visible changed/);
    expect(out).toContain('order  HS-1');
    expect(out).toMatch(/page\.png +screenshot +1 +1\.4 MB +image\/png/);
    expect(out).not.toContain('\u001b');
  });
});

test('show prints the title that a step had when it started', async () => {
  api.handlers.readRun = () => aRun({ status: 'running' });
  const step = {
    id: null,
    action: 'fill',
    epoch: 1,
    attempts: 1,
    tier: null,
    error: null,
    startedAt: null,
    finishedAt: null,
  };
  const title = 'Type {{inputs.sku}}';
  api.handlers.listRunSteps = () => ({
    items: [
      { ...step, index: 0, path: '1', title, status: 'running' as const, value: null },
      { ...step, index: 1, path: '2', title, status: 'pending' as const, value: null },
    ],
  });
  api.handlers.listRunArtifacts = () => ({ items: [] });
  const data = { step: 0, id: null, action: 'fill' as const, title: 'Type HS-1', summary: '' };
  const event: RunEvent = { ...createEvent('step.started', '', data, startedAt), seq: 1, run: id(1), epoch: 1 };
  api.handlers.listRunEvents = () => ({ events: [event] });
  const { out } = await execute(runsCommand, 'show', id(1));
  expect(out).toContain('Type HS-1');
  expect(out).toContain('Type …');
});

test('a run with model calls shows the usage of each tier', async () => {
  const run = aRun({ status: 'completed', usage: { calls: 3, tokens: 4_500, usd: 0.01 } });
  const none = { calls: 0, tokens: 0, usd: 0, modelSeconds: 0 };
  const tiers = [
    { ...none, tier: 'replay', steps: 4, seconds: 2.5 },
    { tier: 'text', steps: 1, seconds: 61, calls: 3, tokens: 4_500, usd: 0.01, modelSeconds: 6.4 },
  ];
  api.handlers.listRuns = () => ({ items: [run], nextCursor: null });
  api.handlers.readRun = () => ({ ...run, tiers });
  api.handlers.listRunSteps = () => ({ items: [] });
  api.handlers.listRunArtifacts = () => ({ items: [] });
  const { out } = await execute(runsCommand, 'show', 'last');
  expect(out).toMatch(/tier +steps +duration +calls +tokens +model time\n/i);
  expect(out).toMatch(/^replay +4 +2\.5 ?s *$/m);
  expect(out).toMatch(/^text +1 +1 ?min? 0?1 ?s +3 +4,500 +6\.4 ?s *$/m);
});

test('a run whose steps were deleted is shown without them', async () => {
  api.handlers.readRun = () => aRun({ status: 'completed' });
  api.handlers.listRunSteps = () => new PilothouseError('GONE', 'They were removed');
  api.handlers.listRunArtifacts = () => ({ items: [] });
  const { code, out, err } = await execute(runsCommand, 'show', id(1));
  expect([code, err]).toEqual([0, 'Steps and events were deleted by the retention policy.\n']);
  expect(out).toContain(id(1));
  expect(JSON.parse((await execute(runsCommand, 'show', id(1), '--json')).out)).toMatchObject({ steps: null });
  api.handlers.readRun = () => aRun({ status: 'completed' });
  api.handlers.listRunEvents = () => new PilothouseError('GONE', 'They were removed');
  expect(await execute(logsCommand, id(1))).toMatchObject({ code: 2, err: 'error  They were removed\n' });
});

describe('logs', () => {
  const draft = createEvent('run.log', 'Slow\u0007 page', { facts: {} }, startedAt, 'warn');
  const event: RunEvent = { ...draft, seq: 1, run: id(1), epoch: 1 };
  beforeEach(() => {
    api.handlers.readRun = () => aRun();
    api.handlers.listRunEvents = () => ({ events: [event] });
  });

  test.each([
    ['those there are', [], 'json'],
    ['those to come', ['-f'], undefined],
  ])('%s, one a line: time, level, type, message', async (_flag, flags, format) => {
    const { code, out } = await execute(logsCommand, id(1), ...flags);
    expect(code).toBe(0);
    expect(out).toMatch(/^2026-05-0\d \d\d:\d\d:00\.000 {2}warn {3}run\.log {15} {2}Slow\uFFFD page\n$/);
    expect(api.of('listRunEvents')[0]?.query.format).toBe(format);
  });

  test('as JSON lines', async () => {
    const { out } = await execute(logsCommand, id(1), '--json');
    expect(JSON.parse(out)).toEqual(event);
  });
});

describe('cancel, answer, retry, artifacts', () => {
  test('cancel waits until the worker has stopped, for each run', async () => {
    api.handlers.readRun = ({ query }) => aRun({ status: query.wait ? 'cancelled' : 'running' });
    api.handlers.cancelRun = () => aRun({ status: 'running' });
    expect(await execute(cancelCommand, id(1))).toMatchObject({ code: 0, out: `Run ${short} is cancelled.\n` });
    const { out } = await execute(cancelCommand, id(1), id(2), '--json');
    expect(JSON.parse(out).items).toHaveLength(2);
  });

  test('answer a run that needs input, and complete it', async () => {
    const requestBodies: unknown[] = [];
    api.handlers.answerRun = ({ body }) => {
      requestBodies.push(body);
      return aRun({ status: 'running' });
    };
    const question = {
      ...{ step: 3, id: null, key: '1.3.0', reason: 'It may have happened' },
      choices: [{ choice: 'retry' as const, title: 'It did not' }],
      ...{ askedAt: '2026-11-22T12:00:00.000Z', expiresAt: '2026-11-23T12:00:00.000Z' },
    };
    api.handlers.readRun = () => aRun({ status: 'awaiting_user', question });
    api.handlers.completeRun = ({ body }) => {
      requestBodies.push(body);
      return aRun({ status: 'completed' });
    };
    const { code, out, err } = await execute(answerCommand, id(1), 'continue');
    expect(err).toBe('');
    expect({ code, out }).toEqual({
      code: 0,
      out: `Run ${short} resumed. Follow it: npx pilothouse logs -f ${short}\n`,
    });
    expect(requestBodies).toEqual([{ question: '1.3.0', choice: 'continue' }]);
    const target = { role: 'button', name: 'Enter' };
    await execute(answerCommand, id(1), 'retry', '--target', JSON.stringify(target));
    expect(requestBodies.at(-1)).toEqual({ question: '1.3.0', choice: 'retry', target });
    await execute(answerCommand, id(1), 'retry');
    expect(requestBodies.at(-1)).toEqual({ question: '1.3.0', choice: 'retry' });
    await execute(answerCommand, id(1), 'retry', '--question', '1.4.0');
    expect(requestBodies.at(-1)).toEqual({ question: '1.4.0', choice: 'retry' });
    for (const wrong of ['{', '{"role":1}'])
      expect(await execute(answerCommand, id(1), 'retry', '--target', wrong)).toMatchObject({ code: 2 });
    expect(await execute(answerCommand, id(1), 'complete')).toMatchObject({
      code: 0,
      out: `Run ${short} is completed.\n`,
    });
    expect(requestBodies.at(-1)).toEqual({ question: '1.3.0' });
    await execute(answerCommand, id(1), 'complete', '--question', '1.4.0');
    expect(requestBodies.at(-1)).toEqual({ question: '1.4.0' });
    expect(await execute(answerCommand, id(1), 'perhaps')).toMatchObject({ code: 2 });
  });

  test('answer sends no request without an open question', async () => {
    const requestBodies: unknown[] = [];
    api.handlers.answerRun = api.handlers.completeRun = ({ body }) => {
      requestBodies.push(body);
      return aRun({ status: 'running' });
    };
    api.handlers.readRun = () => aRun({ status: 'running', question: null });
    for (const choice of ['retry', 'complete'])
      expect(await execute(answerCommand, id(1), choice)).toMatchObject({
        code: 2,
        err: `error  Run ${short} is running; it has no open question.\n  Follow it: npx pilothouse logs -f ${short}\n`,
      });
    expect(requestBodies).toEqual([]);
    // With a key, the API decides whether that question is open.
    await execute(answerCommand, id(1), 'retry', '--question', '1.3.0');
    expect(requestBodies).toEqual([{ question: '1.3.0', choice: 'retry' }]);
  });

  test('a finished run cannot be cancelled: exit 2', async () => {
    api.handlers.readRun = () => aRun({ status: 'completed' });
    api.handlers.cancelRun = () => new PilothouseError('CONFLICT', 'The run has completed');
    expect(await execute(cancelCommand, id(1))).toMatchObject({ code: 2, err: 'error  The run has completed\n' });
  });

  test('retry creates a new run', async () => {
    api.handlers.readRun = () => aRun({ status: 'failed' });
    api.handlers.retryRun = () => aRun({ id: id(2) });
    expect(await execute(retryCommand, id(1), '--detach')).toMatchObject({ code: 0, out: `${id(2)}\n` });
    expect(api.of('retryRun')[0]?.headers['idempotency-key']).toBeTruthy();
  });

  test('artifacts are listed, or saved', async () => {
    api.handlers.readRun = () => aRun();
    api.handlers.listRunSteps = () => ({ items: [] });
    api.handlers.listRunArtifacts = () => ({ items: [anArtifact({ url: `${api.url}/v1/objects/a` })] });
    api.handlers.readObject = () => Buffer.from('PNG');
    expect((await execute(artifactsCommand, id(1))).out).toContain('page.png');
    const { out } = await execute(artifactsCommand, id(1), '--download', 'files');
    expect(out).toBe(`${join(cwd, 'files', 'page.png')}\n`);
    expect(readFileSync(out.trim(), 'utf8')).toBe('PNG');
  });

  test('artifacts are listed with the paths of their steps', async () => {
    const step = {
      id: null,
      action: 'click',
      epoch: 1,
      attempts: 1,
      tier: 'replay',
      error: null,
      startedAt: null,
      finishedAt: null,
    };
    api.handlers.readRun = () => aRun();
    api.handlers.listRunSteps = () => ({
      items: [{ ...step, index: 3, path: '2/catch/1', title: 'Close it', status: 'completed' as const, value: null }],
    });
    api.handlers.listRunArtifacts = () => ({ items: [anArtifact({ step: 3, name: '02-catch-1-click.png' })] });
    expect((await execute(artifactsCommand, id(1))).out).toMatch(/02-catch-1-click\.png +screenshot +2\/catch\/1 /);
    api.handlers.listRunSteps = () => new PilothouseError('GONE', 'They were removed');
    expect((await execute(artifactsCommand, id(1))).out).toMatch(/02-catch-1-click\.png +screenshot +1\.4 MB/);
  });

  test('a failed download leaves no file: exit 4', async () => {
    api.handlers.readRun = () => aRun();
    api.handlers.listRunArtifacts = () => ({
      items: [anArtifact({ name: 'gone.png', url: `${api.url}/v1/objects/a` })],
    });
    api.handlers.readObject = () => new PilothouseError('GONE', 'expired');
    const { code, err } = await execute(artifactsCommand, id(1), '--download', 'gone');
    expect(code).toBe(4);
    expect(err).toContain('HTTP 410 from the object store');
  });
});

describe('workflows', () => {
  test('are a table', async () => {
    const { version, published, versionCreatedAt, definition, source, ...view } = aWorkflow();
    const stats = {
      usesAgent: false,
      createdBy: null,
      finishedRuns: 0,
      completed: 0,
      retries: 0,
      lastRun: null,
      thumbnail: null,
    };
    api.handlers.listWorkflows = () => ({ items: [{ ...view, stats }], nextCursor: null });
    const { out } = await execute(workflowsCommand, 'list');
    expect(out).toMatch(/^workflow +title +published +latest +changed\nharbour-order +Order +1 +1 +4 min ago\n$/);
  });

  test('create makes a draft and says how to publish it', async () => {
    api.handlers.createWorkflow = () => aWorkflow({ name: 'good', published: false });
    const { code, out, err } = await execute(workflowsCommand, 'create', 'good.yaml');
    expect({ code, out }).toEqual({ code: 0, out: 'good: version 1, a draft\n' });
    expect(err).toContain('npx pilothouse workflows publish good');
    expect(api.of('createWorkflow')[0]?.body).toMatchObject({ name: 'good' });
  });

  test('a problem of a step in an answer of the API has the number of the step', async () => {
    const fields = [
      { pointer: '/steps/1/steps/0/target', detail: 'Use a role' },
      { pointer: '/name', detail: 'Use another name' },
    ];
    api.handlers.createWorkflow = () => new PilothouseError('VALIDATION_FAILED', 'The workflow is invalid', { fields });
    const { code, err } = await execute(workflowsCommand, 'create', 'good.yaml');
    expect(code).toBe(2);
    expect(err).toContain('  step 2/1, target: Use a role\n  name: Use another name\n');
  });

  test('create of an existing workflow prints the update command', async () => {
    api.handlers.createWorkflow = () => new PilothouseError('CONFLICT', 'There is a workflow good already');
    const { code, err } = await execute(workflowsCommand, 'create', 'good.yaml');
    expect(code).toBe(2);
    expect(err).toContain('npx pilothouse workflows update good.yaml');
  });

  test('apply adds a version or creates the workflow, and publishes', async () => {
    api.handlers.readWorkflow = () => aWorkflow({ name: 'good' });
    api.handlers.updateWorkflow = () => aWorkflow({ name: 'good', version: 2 });
    expect((await execute(workflowsCommand, 'apply', 'good.yaml')).out).toBe('good: version 2, published\n');
    expect(api.of('updateWorkflow')[0]).toMatchObject({ params: { workflow: 'good' }, query: { publish: true } });
    api.handlers.readWorkflow = () => new PilothouseError('NOT_FOUND', 'no');
    api.handlers.createWorkflow = () => aWorkflow({ name: 'good' });
    expect((await execute(workflowsCommand, 'apply', 'good.yaml', '--draft')).out).toBe('good: version 1, published\n');
    expect(api.of('createWorkflow')[0]?.query.publish).toBe(false);
  });

  test.each([
    ['equals the published version', true, true, 'unchanged, version 1, published'],
    ['equals a draft', false, false, 'unchanged, version 1, a draft'],
    ['equals a draft that is published now', false, true, 'version 1, published'],
  ])('a file that %s', async (_, wasPublished, isPublished, output) => {
    api.handlers.readWorkflow = () => aWorkflow({ name: 'good', published: wasPublished });
    api.handlers.updateWorkflow = () => aWorkflow({ name: 'good', published: isPublished });
    for (const verb of ['update', 'apply'])
      expect((await execute(workflowsCommand, verb, 'good.yaml')).out).toBe(`good: ${output}\n`);
  });

  test('a file is sent unchanged, with its comments; a JSON file is sent as JSON', async () => {
    api.handlers.readWorkflow = () => aWorkflow({ name: 'good' });
    api.handlers.updateWorkflow = () => aWorkflow({ name: 'good' });
    writeFileSync(join(cwd, 'said.yaml'), `# why\n${readFileSync(join(cwd, 'good.yaml'), 'utf8')}`);
    writeFileSync(join(cwd, 'good.json'), JSON.stringify(parse(readFileSync(join(cwd, 'good.yaml'), 'utf8'))));
    for (const file of ['said.yaml', 'good.json'])
      expect((await execute(workflowsCommand, 'update', file)).code).toBe(0);
    expect(api.of('updateWorkflow').map(({ text, headers }) => [headers['content-type'], text.split('\n')[0]])).toEqual(
      [
        ['application/yaml', '# why'],
        ['application/json', expect.stringMatching(/^{/)],
      ],
    );
  });

  test('show prints the source of a version without control characters', async () => {
    const showSource = async (source: string) => {
      api.handlers.readWorkflow = () => aWorkflow({ source });
      return (await execute(workflowsCommand, 'show', 'harbour-order')).out;
    };
    expect(await showSource('# why\nname: a\n')).toBe('# why\nname: a\n');
    expect(await showSource('# \u001b[2J\nname: a\n')).not.toContain('\u001b');
    expect(await showSource('# \u202e\nname: a\n')).toContain('steps:');
  });

  test('an invalid file is not sent', async () => {
    const { code, err } = await execute(workflowsCommand, 'apply', 'bad.yaml');
    expect(code).toBe(2);
    expect(err).toMatch(/bad\.yaml:3:\d+ /);
    expect(api.requests).toEqual([]);
  });

  test('show prints YAML that parses to the definition', async () => {
    const title = 'a\u001b[2J: "b"\u009b';
    const definition = { ...aWorkflow().definition, title };
    api.handlers.readWorkflow = () => aWorkflow({ definition });
    const { out } = await execute(workflowsCommand, 'show', 'harbour-order');
    expect(parse(out)).toEqual(definition);
    expect(out.indexOf('steps:')).toBeGreaterThan(out.indexOf('surface:'));
    expect(out.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  describe('versions', () => {
    const steps = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `  - { action: navigate, url: http://x/${n} }`);
    const sourceOf = (version: number) =>
      ['name: harbour-order', 'steps:', ...steps.with(7, `  - { action: navigate, url: http://v${version} }`)].join(
        '\n',
      );
    const aVersion = (version: number, source: string | null = sourceOf(version)) =>
      aWorkflow({ version, latestVersion: 3, publishedVersion: 2, published: version === 2, source });
    const handleVersions = (source?: null) => {
      api.handlers.readWorkflow = ({ query }) =>
        Number(query.version ?? 3) > 3
          ? new PilothouseError('NOT_FOUND', 'Version 9 of workflow harbour-order not found (newest: 3).')
          : aVersion(Number(query.version ?? 3), source);
    };

    test('are a table, newest first', async () => {
      api.handlers.listWorkflowVersions = ({ query }) => ({
        items: [3, 2].map((version) => ({ ...aVersion(version), createdAt: startedAt.toISOString() })),
        nextCursor: query.cursor ? null : 'next',
      });
      const { code, out, err } = await execute(workflowsCommand, 'versions', 'harbour-order', '--limit', '2');
      expect(code).toBe(0);
      expect(out).toMatch(
        /^version +state +created +time\n +3 +draft +4 min ago +2026-05-04 \S+\n +2 +published +4 min ago +\S+ \S+\n$/,
      );
      expect(err).toContain('More versions exist.');
    });

    test('a diff is unified, with the newest version by default', async () => {
      handleVersions();
      const { code, out } = await execute(workflowsCommand, 'diff', 'harbour-order', '1');
      expect(code).toBe(0);
      expect(out).toBe(
        [
          '--- harbour-order version 1, draft',
          '+++ harbour-order version 3, draft',
          '@@ -7,5 +7,5 @@',
          ...steps.slice(4, 7).map((line) => ` ${line}`),
          '-  - { action: navigate, url: http://v1 }',
          '+  - { action: navigate, url: http://v3 }',
          ` ${steps[8]}`,
          '',
        ].join('\n'),
      );
      const published = await execute(workflowsCommand, 'diff', 'harbour-order', 'published', '1', '--json');
      const { from, to, diff } = JSON.parse(published.out) as Record<string, unknown>;
      expect([from, to]).toEqual([
        { version: 2, published: true },
        { version: 1, published: false },
      ]);
      expect(diff).toContain('+  - { action: navigate, url: http://v1 }');
    });

    test('equal versions and generated sources have no differences', async () => {
      handleVersions(null);
      const { code, out, err } = await execute(workflowsCommand, 'diff', 'harbour-order', '1', '2');
      expect([code, out]).toEqual([0, '']);
      expect(err).toBe('No differences: harbour-order version 1, draft; harbour-order version 2, published.\n');
    });

    test.each([
      [['9'], 'Version 9 of workflow harbour-order not found (newest: 3).'],
      [['draft'], 'Use a number, "latest" or "published".'],
      [['0'], 'Use a number, "latest" or "published".'],
    ])('diff %j is invalid usage', async (args, message) => {
      handleVersions();
      const { code, out, err } = await execute(workflowsCommand, 'diff', 'harbour-order', ...args);
      expect([code, out]).toEqual([2, '']);
      expect(err).toContain(message);
    });

    test('a workflow with drafts only has no published version to compare', async () => {
      api.handlers.readWorkflow = () => aWorkflow({ published: false, publishedVersion: null });
      const { code, err } = await execute(workflowsCommand, 'diff', 'harbour-order', 'published');
      expect(code).toBe(2);
      expect(err).toContain('harbour-order has no published version: version 1 is a draft.');
      expect(err).toContain('npx pilothouse workflows publish harbour-order');
    });
  });

  test('publish takes a version, archive a name', async () => {
    api.handlers.publishWorkflow = () => aWorkflow({ publishedVersion: 2 });
    expect((await execute(workflowsCommand, 'publish', 'harbour-order', '2')).out).toContain('version 2 is published');
    expect(api.of('publishWorkflow')[0]?.body).toEqual({ version: 2 });
    api.handlers.archiveWorkflow = () => aWorkflow({ archived: true });
    expect((await execute(workflowsCommand, 'archive', 'harbour-order')).out).toBe('Archived harbour-order.\n');
  });
});

describe('lint', () => {
  test('prints valid and invalid files, without an API', async () => {
    const { code, out } = await runCli(lintCommand, ['good.yaml', 'bad.yaml'], { url: 'http://127.0.0.1:9', cwd });
    expect(code).toBe(2);
    expect(out).toMatch(/^✓ good\.yaml {2}good, 1 step\n✗ bad\.yaml:3:\d+ /);
  });

  test('counts `set` as a step, and no other block', async () => {
    writeFileSync(
      join(cwd, 'vars.yaml'),
      'name: vars\nsteps:\n  - action: group\n    steps:\n      - { action: set, vars: { total: 1 } }\n',
    );
    const { out } = await runCli(lintCommand, ['vars.yaml'], { url: 'http://127.0.0.1:9', cwd });
    expect(out).toBe('✓ vars.yaml  vars, 1 step\n');
  });

  test('prints lines and columns as JSON', async () => {
    const { out } = await execute(workflowsCommand, 'lint', 'bad.yaml', '--json');
    expect(JSON.parse(out).files[0]).toMatchObject({
      file: 'bad.yaml',
      ok: false,
      problems: [{ line: 3 }, { line: 3 }],
    });
  });
});

describe('dry-run', () => {
  const workflow = {
    name: 'dry',
    inputs: { query: { type: 'string' }, password: { type: 'string', secret: true } },
    steps: [
      { action: 'fill', target: { label: 'Password' }, text: '{{inputs.password}}' },
      { action: 'extract', id: 'rows', target: { css: 'tr' }, list: { sku: { css: 'td' } } },
      {
        action: 'forEach',
        in: 'steps.rows.value',
        steps: [{ action: 'navigate', url: '{{inputs.query}}/{{vars.item.sku}}' }],
      },
    ],
  };
  const runDry = (...args: string[]) => {
    writeFileSync(join(cwd, 'dry.yaml'), JSON.stringify(workflow));
    return runCli(dryRunCommand, ['dry.yaml', ...args], { url: 'http://127.0.0.1:9', cwd });
  };

  test('shows the steps with their templates filled in, without an API', async () => {
    const { code, out } = await runDry('--input', 'query=q', '--step-output', 'rows=[{"sku":"a"},{"sku":"b"}]');
    expect(code).toBe(0);
    expect(out).toMatch(/^1 +Type “{{inputs\.password}}”/);
    expect(out).toContain('3[1]/1  Open q/a');
    expect(out).toContain('3[2]/1  Open q/b');
    const { out: generated } = await runDry('--input', 'query=q');
    expect(generated).toContain('3[1]/1  Open q/<sku>');
  });

  test('shows positions instead of ids, and no id of an upload', async () => {
    const steps = [
      { action: 'navigate', id: 'open', url: 'http://x' },
      { action: 'forEach', id: 'rows', in: [1, 2], steps: [{ action: 'click', id: 'row', target: { text: 'a' } }] },
      { action: 'upload', target: { label: 'Order' }, file: '{{inputs.paper}}' },
    ];
    writeFileSync(join(cwd, 'ids.yaml'), JSON.stringify({ name: 'ids', inputs: { paper: { type: 'file' } }, steps }));
    const { out } = await runCli(dryRunCommand, ['ids.yaml'], { url: 'http://127.0.0.1:9', cwd });
    expect(out).toMatch(/^1 {7}Open http:\/\/x\n2\[1\]\/1 {2}.*\n2\[2\]\/1 {2}.*\n3 {7}Attach a file to “Order”\n/);
  });

  test('prints missing inputs and the step that fails', async () => {
    expect(await runDry()).toMatchObject({ code: 2, err: expect.stringContaining('--input query=...') });
    const { code, out } = await runDry('--input', 'query=q', '--step-output', 'rows=[{}]', '--json');
    expect([code, JSON.parse(out)]).toMatchObject([1, { end: 'failed', error: { code: 'TEMPLATE_INVALID' } }]);
  });
});

describe('keys', () => {
  const key = {
    id: id(4),
    name: 'ci',
    role: 'operator' as const,
    project: 'default',
    prefix: 'ph_abcd',
    createdAt: startedAt.toISOString(),
    expiresAt: '2026-05-07T12:04:00.000Z',
    lastUsedAt: null,
    revokedAt: null,
  };

  test('a new key is the only output on stdout', async () => {
    api.handlers.createApiKey = () => ({ ...key, key: 'ph_abcdsecret' });
    const { out, err } = await execute(keysCommand, 'create', '--name', 'ci', '--expires-in', '90d');
    expect(out).toBe('ph_abcdsecret\n');
    expect(err).toBe('ci, operator, expires in 3 d. Save it now; it is not shown again.\n');
    expect(api.of('createApiKey')[0]?.body).toEqual({ name: 'ci', role: 'operator', expiresIn: 7_776_000 });
  });

  test('are listed, and revoked by id or prefix', async () => {
    api.handlers.listApiKeys = () => ({ items: [key], nextCursor: null });
    api.handlers.revokeApiKey = () => ({ ...key, revokedAt: now.toISOString() });
    expect((await execute(keysCommand, 'list')).out).toMatch(/ph_abcd… +ci +operator +in 3 d +never/);
    expect((await execute(keysCommand, 'revoke', 'ph_abc')).out).toBe('Revoked ci.\n');
    expect(api.of('revokeApiKey')[0]?.params).toEqual({ key: id(4) });
    expect(await execute(keysCommand, 'revoke', 'ph_zzz')).toMatchObject({ code: 2 });
  });

  test('require a sufficient role: exit 4', async () => {
    api.handlers.listApiKeys = () => new PilothouseError('FORBIDDEN', 'This needs the role admin');
    expect(await execute(keysCommand, 'list')).toMatchObject({ code: 4 });
  });
});

test('the audit log is listed with its filter', async () => {
  const entry = {
    ...{ id: id(9), at: startedAt.toISOString(), action: 'createApiKey', summary: 'Create an API key' },
    ...{ actor: { kind: 'user' as const, id: id(8), name: 'ada@example.com' }, resource: 'api-keys', target: id(4) },
    ...{ details: {}, before: null, after: null, address: '::1', request: 'r' },
  };
  api.handlers.listAudit = () => ({ items: [entry], nextCursor: null });
  const filter = ['--actor', 'ada@example.com', '--action', 'createApiKey', '--since', '2026-05-01T00:00:00Z'];
  const { out } = await execute(auditCommand, 'list', ...filter);
  expect(out).toMatch(/ada@example\.com +createApiKey/);
  expect(api.of('listAudit')[0]?.query).toMatchObject({
    ...{ actor: 'ada@example.com', action: 'createApiKey', since: '2026-05-01T00:00:00.000Z' },
  });
  expect(await execute(auditCommand, 'list', '--since', 'soon')).toMatchObject({ code: 2 });
  const { out: text } = await execute(auditCommand, 'list', '--json');
  expect(JSON.parse(text)).toEqual({ items: [entry] });
});

test('the audit log is exported without changes', async () => {
  const file = 'time,actorName\r\n2026-05-04T12:00:00.000Z,"Zoë, at\nthe quay"\r\n';
  api.handlers.exportAudit = () => Buffer.from(file);
  expect(await execute(auditCommand, 'export', '--action', 'createApiKey')).toMatchObject({ code: 0, out: file });
  expect(api.of('exportAudit')[0]?.query).toMatchObject({ format: 'csv', action: 'createApiKey' });
  await execute(auditCommand, 'export', '--json');
  expect(api.of('exportAudit').at(-1)?.query).toMatchObject({ format: 'ndjson' });
  api.handlers.exportAudit = () => new PilothouseError('FORBIDDEN', 'Ask an admin');
  expect(await execute(auditCommand, 'export')).toMatchObject({
    out: '',
    err: expect.stringContaining('Ask an admin'),
  });
});

test('fleets show their workers without disconnected ones', async () => {
  const worker = {
    name: 'w-1',
    state: 'ready' as const,
    version: '0.2.0',
    slots: 2,
    busy: 1,
    cordoned: false,
    runs: [],
  };
  const times = { startedAt: startedAt.toISOString(), lastSeenAt: now.toISOString() };
  const workers = [
    { ...worker, ...times, id: id(5) },
    { ...worker, ...times, id: id(6), name: 'w-2', state: 'disconnected' as const },
  ];
  const fleet = {
    id: id(1),
    name: 'browser',
    surface: 'browser',
    slots: 2,
    minWorkers: 0,
    maxWorkers: 2,
    idleSlots: 1,
    limitsManagedBy: null,
  };
  const occurrence = { since: startedAt.toISOString(), lastSeenAt: now.toISOString() };
  const conditions = [{ reason: 'ImagePullFailed', message: 'w-3: there is no such image', count: 3, ...occurrence }];
  api.handlers.listFleets = () => ({
    items: [{ ...fleet, paused: false, waiting: 3, running: 1, workers, conditions }],
  });
  const { out } = await execute(fleetsCommand, 'list');
  expect(out).toContain('browser  browser · 1 running, 3 queued · min 0, max 2 workers × 2 slots');
  expect(out).toContain('  ImagePullFailed 3 times, just now: w-3: there is no such image\n');
  expect(out).toMatch(/ {2}w-1 +ready +1\/2 +0\.2\.0 +4 min ago +just now\n/);
  expect(out).not.toContain('w-2');
});

describe('help', () => {
  const commandFactories = {
    program,
    proposalsCommand,
    elementsCommand,
    profilesCommand,
    workersCommand,
    runCommand,
    runsCommand,
    logsCommand,
    workflowsCommand,
    projectCommand,
    deadLettersCommand,
    retentionCommand,
  };
  const commands: Record<string, Parameters<typeof runCli>[0]> = {
    ...commandFactories,
    ...{ keysCommand, fleetsCommand, auditCommand },
  };
  const verbs = Object.entries(commands).flatMap(([name, make]) =>
    make(processSource)
      .commands.filter((command) => name !== 'program' && command.name() !== 'start')
      .map((command) => [`${name} ${command.name()}`, make, [command.name()]] as const),
  );
  const shortcuts = Object.entries({ runCommand, logsCommand, lintCommand }).map(
    ([name, make]) => [name, make as (typeof commands)[string], []] as const,
  );

  test.each([...verbs, ...shortcuts])('%s has two examples and a sentence', async (_name, make, path) => {
    const { code, out } = await execute(make, ...path, '--help');
    expect(code).toBe(0);
    expect(out.match(/^ {2}(\w+=\S+ )?(npx playwright|pilothouse) /gm)?.length).toBeGreaterThanOrEqual(2);
    expect(out.split('\n\n')[1]?.replace(/\s+/g, ' ')).toMatch(/^[A-Z].*[.)]$/);
  });

  test('of run has the exit codes', async () => {
    const { out } = await execute(runCommand, '--help');
    for (const code of ['0', '1', '2', '3', '4', '5', '6', '130'])
      expect(out).toMatch(new RegExp(`^ {2}${code} +\\S`, 'm'));
  });

  test('lists the nouns with one line each', async () => {
    const { code, out } = await execute(program, '--help');
    expect(code).toBe(0);
    for (const noun of ['runs', 'workflows', 'proposals', 'dead-letters', 'elements', 'fleets', 'workers'])
      expect(out).toMatch(new RegExp(`^ {2}${noun} +[A-Z]`, 'm'));
  });

  test('a noun alone prints its help: exit 2', async () => {
    const { code, err } = await execute(program, 'runs');
    expect(code).toBe(2);
    expect(err).toContain('Usage: pilothouse runs');
  });

  test.each([
    [['workflow'], 'Did you mean workflows?'],
    [['runs', 'lst'], 'Did you mean list?'],
    [['runs', 'list', '--worklow', 'x'], 'Did you mean --workflow?'],
    [['runs', 'list', '--error-code', 'TARGET_NOT_FOND'], 'Did you mean TARGET_NOT_FOUND?'],
  ])('%j suggests the nearest: exit 2', async (args, suggestion) => {
    const { code, err } = await execute(program, ...args);
    expect(code).toBe(2);
    expect(err).toContain(suggestion);
    expect(err).toContain('See --help for usage.');
  });
});

describe('an unknown name', () => {
  beforeEach(() => {
    const names = ['harbour-order', 'harbour-orders', 'harbour-ordered', 'harbour-order-2', 'invoices'];
    const { version, published, versionCreatedAt, definition, source, ...view } = aWorkflow();
    const stats = { usesAgent: false, createdBy: null, finishedRuns: 0, completed: 0, retries: 0, lastRun: null };
    api.handlers.listWorkflows = ({ query }) => ({
      items: query.archived ? [] : names.map((name) => ({ ...view, name, stats: { ...stats, thumbnail: null } })),
      nextCursor: null,
    });
    const missing = ({ params }: { params: Readonly<Record<string, string>> }) =>
      new PilothouseError('NOT_FOUND', `Workflow ${params.workflow ?? ''} not found.`);
    Object.assign(api.handlers, { readWorkflow: missing, publishWorkflow: missing, listWorkflowVersions: missing });
  });

  test.each([['workflows', 'show'], ['workflows', 'publish'], ['workflows', 'versions'], ['run']])(
    '%s %s suggests at most three workflows',
    async (...command) => {
      const name = 'harbor-order';
      const { code, out, err } = await execute(program, ...command, name);
      expect([code, out]).toEqual([2, '']);
      expect(err).toBe(
        `error  Workflow ${name} not found. Did you mean harbour-order, harbour-orders or harbour-ordered?\n`,
      );
    },
  );

  test('with JSON the code stays', async () => {
    const { out } = await execute(workflowsCommand, 'show', 'invoice', '--json');
    expect(JSON.parse(out)).toEqual({
      error: { code: 'NOT_FOUND', message: 'Workflow invoice not found. Did you mean invoices?' },
    });
  });

  test('suggests nothing when nothing is near, or the list cannot be read', async () => {
    expect((await execute(workflowsCommand, 'show', 'xyz')).err).toBe('error  Workflow xyz not found.\n');
    api.handlers.listWorkflows = () => new PilothouseError('FORBIDDEN', 'no');
    expect(await execute(workflowsCommand, 'show', 'invoice')).toMatchObject({
      code: 2,
      err: 'error  Workflow invoice not found.\n',
    });
  });

  test('of a profile', async () => {
    api.handlers.deleteProfile = () => new PilothouseError('NOT_FOUND', 'Profile shpo not found.');
    const times = { createdAt: startedAt.toISOString(), updatedAt: startedAt.toISOString() };
    const profile = {
      name: 'shop',
      version: 1,
      size: 9,
      cookies: 0,
      cookieDomains: [],
      origins: [],
      run: null,
      ...times,
    };
    api.handlers.listProfiles = () => ({ items: [profile], nextCursor: null });
    expect((await execute(profilesCommand, 'delete', 'shpo')).err).toContain('Did you mean shop?');
  });
});

describe('workers', () => {
  const worker = {
    id: id(5),
    name: 'w-1',
    state: 'ready' as const,
    version: '0.2.0',
    slots: 2,
    busy: 1,
    cordoned: true,
    runs: [],
    startedAt: startedAt.toISOString(),
    lastSeenAt: now.toISOString(),
  };
  const fleet = {
    id: id(1),
    name: 'browser',
    surface: 'browser',
    slots: 2,
    minWorkers: 0,
    maxWorkers: 2,
    idleSlots: 1,
    limitsManagedBy: null,
    paused: false,
    waiting: 0,
    running: 1,
    workers: [worker],
    conditions: [],
  };
  beforeEach(() => (api.handlers.listFleets = () => ({ items: [fleet] })));

  test('are a table', async () => {
    const { out } = await execute(workersCommand, 'list');
    expect(out).toMatch(/^w-1 +browser +ready, cordoned +1\/2 +0\.2\.0 +just now +\S+$/m);
  });

  test('an unknown worker suggests the nearest', async () => {
    const { code, err } = await execute(workersCommand, 'drain', 'w-2');
    expect([code, err]).toEqual([
      2,
      'error  Worker w-2 not found.\n  Did you mean w-1?\n  List workers: npx pilothouse workers list\n',
    ]);
  });

  test.each([
    ['drain', 'drainWorker', 'draining'],
    ['cordon', 'cordonWorker', 'cordoned'],
    ['uncordon', 'uncordonWorker', 'uncordoned'],
  ] as const)('%s takes a name or an id', async (verb, route, result) => {
    api.handlers[route] = () => fleet;
    expect((await execute(workersCommand, verb, 'w-1')).out).toBe(`Worker w-1 ${result}.\n`);
    await execute(workersCommand, verb, id(5));
    expect(api.of(route).map(({ params }) => params)).toEqual([
      { fleet: 'browser', worker: id(5) },
      { fleet: 'browser', worker: id(5) },
    ]);
    expect(await execute(workersCommand, verb, 'w-9')).toMatchObject({ code: 2 });
  });
});
