import type { DeadLetter } from '@pilothouse/contract/api/dead-letters.routes';
import type { ProjectView } from '@pilothouse/contract/api/project.routes';
import type { FleetView } from '@pilothouse/contract/fleet/fleet.schema';
import { ApiFixture, KEY } from './testing/api.fixture.ts';
import { runCli } from './testing/cli.fixture.ts';
import { aRun, id } from './testing/views.fixture.ts';
import { deadLettersCommand } from './runs/dead-letters.command.ts';
import { fleetsCommand } from './fleets/fleets.command.ts';
import { checkApi } from './local/check-services.ts';
import { doctorCommand } from './local/doctor.command.ts';
import { projectCommand } from './project/project.command.ts';
import { retentionCommand } from './project/retention.command.ts';

const api = new ApiFixture();
beforeAll(() => api.start());
beforeEach(() => {
  api.requests.splice(0);
  for (const route of Object.keys(api.handlers)) delete api.handlers[route as keyof typeof api.handlers];
});
afterAll(() => api.stop());

const now = new Date('2026-05-04T12:04:00.000Z');
const timestamp = '2026-05-04T12:00:00.000Z';
const execute = (createCommand: Parameters<typeof runCli>[0], ...args: string[]) =>
  runCli(createCommand, args, { url: api.url, now });

const project: ProjectView = {
  id: id(1),
  slug: 'default',
  name: 'Default',
  maxConcurrentRuns: 5,
  retention: { runsDays: 365, eventsDays: null, artifactsDays: 1 },
  egress: { allow: ['example.com', '*.example.com'] },
  agents: null,
  politeness: {
    limits: [
      { domain: '*.example.com', requestsPerMinute: 30, maxConcurrentRuns: 2 },
      { domain: 'a.test', maxConcurrentRuns: 1 },
    ],
  },
  models: {
    default: { use: ['gemini/gemini-2.5-flash', 'openai/gpt-5-mini'] },
    vision: { use: ['gemini/gemini-2.5-pro'] },
  },
  learning: null,
  budgets: { max: { tokens: 50_000, usd: 0.5 }, month: { usd: 20 } },
  usage: { month: '2026-05', tokens: 1_200_000, usd: 3.25, reserved: { tokens: 0, usd: 0 } },
  runs: { queued: 2, running: 1, awaiting_user: 0, completed: 40, failed: 3, cancelled: 0 },
};

describe('project', () => {
  test('shows limit, retention and runs', async () => {
    api.handlers.readProject = () => project;
    const { code, out } = await execute(projectCommand, 'show');
    expect(code).toBe(0);
    expect(out).toContain(
      'runs                  2 queued · 1 running · 0 awaiting_user · 40 completed · 3 failed · 0 cancelled',
    );
    expect(out).toContain('limit                 5 concurrent runs');
    expect(out).toContain('retention: runs       365 days after the run ends');
    expect(out).toContain('retention: events     same as runs');
    expect(out).toContain('retention: artifacts  1 day after the run ends');
    expect(out).toContain('allowed hosts         example.com, *.example.com');
    expect(out).toContain('site limits           *.example.com: 30 pages/min, 2 concurrent · a.test: 1 concurrent');
    expect(out).toContain('robots.txt            reported');
    expect(out).toContain(
      'models                default: gemini/gemini-2.5-flash, openai/gpt-5-mini · vision: gemini/gemini-2.5-pro',
    );
  });

  test('the recording of turns is shown and set, and other learning settings stay', async () => {
    api.handlers.updateProject = () => project;
    api.handlers.readProject = () => project;
    const { out } = await execute(projectCommand, 'show');
    expect(out).toMatch(/^turns recorded {8}off$/m);
    expect(out).toMatch(/^traces shared {9}no$/m);
    await execute(projectCommand, 'set', '--record-turns', 'failures');
    expect(api.of('updateProject').at(-1)?.body).toEqual({
      learning: { record: { turns: 'failures' }, shareTraces: false },
    });
    const learning = { record: { turns: 'sample', samplePercent: 5 }, shareTraces: true } as const;
    api.handlers.readProject = () => ({ ...project, learning });
    expect((await execute(projectCommand, 'show')).out).toMatch(/^turns recorded {8}5 % of runs$/m);
    await execute(projectCommand, 'set', '--sample-percent', '20');
    expect(api.of('updateProject').at(-1)?.body).toEqual({
      learning: { record: { turns: 'sample', samplePercent: 20 }, shareTraces: true },
    });
    await execute(projectCommand, 'set', '--share-traces', 'off', '--record-turns', 'all');
    expect(api.of('updateProject').at(-1)?.body).toEqual({
      learning: { record: { turns: 'all', samplePercent: 5 }, shareTraces: false },
    });
    expect((await execute(projectCommand, 'set', '--record-turns', 'some')).code).toBe(2);
  });

  test('budgets and the usage of the month are shown and set', async () => {
    api.handlers.readProject = () => project;
    const { out } = await execute(projectCommand, 'show');
    expect(out).toContain('default per run       50,000 tokens, $0.5');
    expect(out).toContain('in 2026-05            1,200,000 tokens, $3.25 of $20');
    api.handlers.updateProject = () => project;
    await execute(projectCommand, 'set', '--default-budget', 'tokens=20000,steps=9', '--monthly-budget', 'none');
    expect(api.of('updateProject').at(-1)?.body).toEqual({
      budgets: { default: { tokens: 20_000, steps: 9 }, max: { tokens: 50_000, usd: 0.5 } },
    });
    api.handlers.readProject = () => ({ ...project, budgets: { month: { usd: 20 } } });
    await execute(projectCommand, 'set', '--monthly-budget', 'none');
    expect(api.of('updateProject').at(-1)?.body).toEqual({ budgets: null });
  });

  test.each([
    ['--default-budget', 'tokens'],
    ['--max-budget', 'pages=3'],
    ['--monthly-budget', 'steps=3'],
  ])('set takes no %s %s', async (flag, text) => {
    const { code, err } = await execute(projectCommand, 'set', flag, text);
    expect([code, err]).toEqual([2, expect.stringContaining('Use "tokens=50000,usd=0.25"')]);
  });

  test('set changes one agent setting and keeps the other', async () => {
    api.handlers.updateProject = () => project;
    api.handlers.readProject = () => ({ ...project, agents: { repairPolicy: 'publish' } });
    expect((await execute(projectCommand, 'set', '--action-cache', 'never')).code).toBe(0);
    expect(api.of('updateProject').at(-1)?.body).toEqual({ agents: { repairPolicy: 'publish', actionCache: 'never' } });
    expect((await execute(projectCommand, 'set', '--action-cache', 'sometimes')).code).toBe(2);
    api.handlers.readProject = () => ({ ...project, agents: { actionCache: 'never' } });
    expect((await execute(projectCommand, 'show')).out).toMatch(/^action cache {10}never$/m);
  });

  test('set replaces the notes for agents', async () => {
    api.handlers.updateProject = () => project;
    api.handlers.readProject = () => ({
      ...project,
      agents: { actionCache: 'never', notes: [{ app: 'gimp', text: 'x' }] },
    });
    const notes = ['--note', 'app:mousepad=Control+S = save', '--note', 'site:*.example.com=Prices are net'];
    expect((await execute(projectCommand, 'set', ...notes)).code).toBe(0);
    expect(api.of('updateProject').at(-1)?.body).toEqual({
      agents: {
        actionCache: 'never',
        notes: [
          { app: 'mousepad', text: 'Control+S = save' },
          { site: '*.example.com', text: 'Prices are net' },
        ],
      },
    });
    const { code, err } = await execute(projectCommand, 'set', '--note', 'mousepad=x');
    expect([code, err]).toEqual([2, expect.stringContaining('Use "app:mousepad=text"')]);
    expect((await execute(projectCommand, 'show')).out).toMatch(/^notes {17}gimp$/m);
  });

  test('set takes models by purpose', async () => {
    api.handlers.updateProject = () => project;
    api.handlers.readProject = () => project;
    const modelFlags = [
      '--model',
      'gemini/gemini-2.5-flash,openai/gpt-5-mini',
      '--model',
      'vision=gemini/gemini-2.5-pro',
    ];
    expect((await execute(projectCommand, 'set', ...modelFlags)).code).toBe(0);
    expect(api.of('updateProject').at(-1)?.body).toEqual({ models: project.models });
    await execute(projectCommand, 'set', '--model', 'none');
    expect(api.of('updateProject').at(-1)?.body).toEqual({ models: null });
    await execute(projectCommand, 'set', '--model-log', 'full');
    expect(api.of('updateProject').at(-1)?.body).toEqual({ models: { ...project.models, trace: 'full' } });
    api.handlers.readProject = () => ({ ...project, models: { trace: 'full' } });
    await execute(projectCommand, 'set', '--model', 'gemini/gemini-2.5-flash');
    expect(api.of('updateProject').at(-1)?.body).toEqual({
      models: { default: { use: ['gemini/gemini-2.5-flash'] }, trace: 'full' },
    });
    await execute(projectCommand, 'set', '--model-log', 'none');
    expect(api.of('updateProject').at(-1)?.body).toEqual({ models: null });
    api.handlers.readProject = () => project;
    await execute(projectCommand, 'set', '--model-format', 'vision=ui-tars-1.5');
    const { vision = { use: [] }, ...otherModels } = project.models ?? {};
    const models: ProjectView['models'] = { ...otherModels, vision: { ...vision, dialect: 'ui-tars-1.5' } };
    expect(api.of('updateProject').at(-1)?.body).toEqual({ models });
    api.handlers.readProject = () => ({ ...project, models });
    await execute(projectCommand, 'set', '--model-format', 'vision=auto');
    expect(api.of('updateProject').at(-1)?.body).toEqual({ models: project.models });
    expect((await execute(projectCommand, 'set', '--model-format', 'act=aura')).err).toContain('--model act=');
    expect((await execute(projectCommand, 'set', '--model-format', 'vision=telegram')).err).toContain('ui-tars-1.5');
    const { code, err } = await execute(projectCommand, 'set', '--model', 'look=gemini/x');
    expect([code, err]).toEqual([2, expect.stringContaining('Purposes: plan, act, vision, verify')]);
  });

  test('set sends only changed settings', async () => {
    api.handlers.updateProject = () => ({ ...project, maxConcurrentRuns: null });
    const { code, out } = await execute(projectCommand, 'set', '--concurrency-limit', 'none', '--retain-events', '30');
    expect([code, out]).toEqual([0, expect.stringContaining('limit                 none')]);
    await execute(projectCommand, 'set', '--retain-runs', 'forever');
    expect(api.of('updateProject').map(({ body }) => body)).toEqual([
      { maxConcurrentRuns: null, retention: { eventsDays: 30 } },
      { retention: { runsDays: null } },
    ]);
  });

  test('set changes the allowed hosts', async () => {
    api.handlers.updateProject = () => ({ ...project, egress: { allow: null } });
    const { out } = await execute(projectCommand, 'set', '--allow-host', 'any');
    expect(out).toContain('allowed hosts         any public host');
    await execute(projectCommand, 'set', '--allow-host', 'a.test', '--allow-host', '10.0.0.0/8:443');
    await execute(projectCommand, 'set', '--allow-host', 'none');
    expect(api.of('updateProject').map(({ body }) => body)).toEqual([
      { egress: { allow: null } },
      { egress: { allow: ['a.test', '10.0.0.0/8:443'] } },
      { egress: { allow: [] } },
    ]);
  });

  test('set changes site limits and the robots.txt policy separately', async () => {
    api.handlers.readProject = () => project;
    api.handlers.updateProject = () => ({ ...project, politeness: null });
    const { out } = await execute(
      projectCommand,
      'set',
      '--site-limit',
      'a.test:8443=0.5/min',
      '--site-limit',
      'b.test=6/min,2',
    );
    expect(out).toContain('site limits           none');
    expect(out).toContain('robots.txt            ignored');
    await execute(projectCommand, 'set', '--robots', 'ignore');
    await execute(projectCommand, 'set', '--site-limit', 'none');
    expect(api.of('updateProject').map(({ body }) => body)).toEqual([
      {
        politeness: {
          limits: [
            { domain: 'a.test:8443', requestsPerMinute: 0.5 },
            { domain: 'b.test', requestsPerMinute: 6, maxConcurrentRuns: 2 },
          ],
        },
      },
      { politeness: { ...project.politeness, robots: 'ignore' } },
      { politeness: null },
    ]);
  });

  test.each([
    [[]],
    [['--concurrency-limit', '0']],
    [['--retain-runs', 'long']],
    [['--allow-host', 'https://a.test']],
    [['--site-limit', 'a.test']],
    [['--site-limit', 'a.test=']],
    [['--site-limit', 'a.test=0/min']],
    [['--robots', 'obey']],
  ])('set %j is invalid usage', async (args) => {
    expect(await execute(projectCommand, 'set', ...args)).toMatchObject({ code: 2 });
    expect(api.requests).toEqual([]);
  });
});

test('fleets queue shows each fleet: this project, and all', async () => {
  const projectLoad = { backlog: 7, admitted: 2, running: 1, awaitingUser: 0, oldestQueuedAt: timestamp };
  const totalLoad = { backlog: 70, admitted: 20, running: 10, awaitingUser: 3, oldestQueuedAt: null };
  const items = [{ fleet: 'browser', surface: 'browser', pausedAt: timestamp, project: projectLoad, total: totalLoad }];
  api.handlers.listQueues = () => ({ items });
  const { out } = await execute(fleetsCommand, 'queue');
  const [head, projectRow, allRow] = out.split('\n');
  expect(head).toMatch(/^fleet +state +scope +backlog +next +running +needs input +oldest queued$/);
  expect(projectRow).toMatch(/^browser +paused 4 min ago +this project +7 +2 +1 +0 +4 min ago$/);
  expect(allRow).toMatch(/^ +all +70 +20 +10 +3$/);
  expect(JSON.parse((await execute(fleetsCommand, 'queue', '--json')).out)).toEqual({ items });
});

const fleet = {
  ...{ id: id(1), name: 'browser', surface: 'browser', slots: 2, minWorkers: 0, maxWorkers: 2, idleSlots: 1 },
  ...{ limitsManagedBy: null, workers: [], conditions: [], paused: true, waiting: 3, running: 1 },
} as unknown as FleetView;

test('fleets pause and resume print the state of the fleet', async () => {
  api.handlers.pauseFleet = () => fleet;
  api.handlers.resumeFleet = () => ({ ...fleet, paused: false });
  expect(await execute(fleetsCommand, 'pause', 'browser')).toEqual({
    code: 0,
    out: 'browser paused: 1 running, 3 queued\n',
    err: 'Resume it: npx pilothouse fleets resume browser\n',
  });
  expect(api.of('pauseFleet')[0]?.params).toEqual({ fleet: 'browser' });
  expect((await execute(fleetsCommand, 'resume', 'browser')).out).toBe('browser resumed: 1 running, 3 queued\n');
  expect(JSON.parse((await execute(fleetsCommand, 'resume', 'browser', '--json')).out)).toMatchObject({
    paused: false,
  });
});

describe('doctor', () => {
  test('checks the installation at the API URL, not the one of this machine', async () => {
    api.handlers.readProject = () => project;
    api.handlers.listFleets = () => ({ items: [] });
    const { code, out } = await execute(doctorCommand);
    expect({ code, lines: out.trim().split(/\n\s*/) }).toEqual({
      code: 0,
      lines: [
        `ok       API               ${api.url} (project default)`,
        'note     workers           none connected',
        'The next run starts one.',
      ],
    });
    const remote = await execute(doctorCommand, '--json', '--api-url', api.url);
    expect(JSON.parse(remote.out)).toMatchObject([{ check: 'API', state: 'ok' }, { check: 'workers' }]);
  });

  test('queued runs without a worker are a problem', async () => {
    api.handlers.readProject = () => project;
    api.handlers.listFleets = () => ({ items: [fleet] });
    const { code, out } = await execute(doctorCommand);
    expect(code).toBe(1);
    expect(out).toMatch(/^PROBLEM {2}workers +queued runs but no worker: browser\n +List conditions and workers: npx/m);
  });

  test('an API that serves without Redis is a problem with its reason', async () => {
    const usable = { ok: true, detail: 'It answered in 1 ms' };
    const failure = { ok: false, detail: 'Redis is not responding: refused' };
    api.handlers.readReadiness = () => ({
      status: 'degraded',
      checks: { database: usable, redis: failure, objects: usable },
    });
    expect(await checkApi(api.url, 'See the log.')).toEqual({
      check: 'API',
      state: 'problem',
      message: `${api.url}/readyz: Redis is not responding: refused`,
      fix: 'See the log.',
    });
    api.handlers.readReadiness = () => ({
      status: 'ready',
      checks: { database: usable, redis: usable, objects: usable },
    });
    expect((await checkApi(api.url, '')).state).toBe('ok');
  });

  test('a rejected key and an unreachable API are problems with a fix', async () => {
    const run = (url: string, key: string) =>
      runCli(doctorCommand, [], { url, environment: { PILOTHOUSE_API_KEY: key } });
    const rejected = await run(api.url, 'ph_other_0123456789abcdef');
    expect([rejected.code, rejected.out]).toEqual([
      1,
      expect.stringMatching(/^PROBLEM {2}API .*\n +Set PILOTHOUSE_API_KEY/),
    ]);
    const unreachable = await run('http://127.0.0.1:9', KEY);
    expect([unreachable.code, unreachable.out]).toEqual([
      1,
      expect.stringMatching(
        /^PROBLEM {2}API +http:\/\/127\.0\.0\.1:9: .*\n +Check PILOTHOUSE_URL and that the API runs\./,
      ),
    ]);
  });
});

describe('dead letters', () => {
  const error = (code: 'WORKER_LOST' | 'POISON_RUN') => ({ code, message: 'x', retry: 'no' as const });
  const attempt = { epoch: 1, worker: 'w-1', startedAt: timestamp, endedAt: timestamp, error: error('WORKER_LOST') };
  const run = aRun({ status: 'failed', error: error('POISON_RUN'), finishedAt: timestamp });
  const deadLetter: DeadLetter = {
    run,
    attempts: [attempt],
    retry: { id: id(2), status: 'queued', createdAt: timestamp },
  };

  test('are a table with their attempts and retries, and a summary', async () => {
    const counts = [{ code: 'POISON_RUN', runs: 3, retried: 1 }];
    api.handlers.listDeadLetters = () => ({ items: [deadLetter], nextCursor: null, counts });
    const { out, err } = await execute(deadLettersCommand, 'list', '--error-code', 'poison_run,run_expired');
    expect(out).toMatch(/^0197f3c2-1a2b +order +POISON_RUN +4 min ago +w-1 WORKER_LOST +0197f3c2-1a2b queued$/m);
    expect(err).toBe('3 POISON_RUN (1 retried)\n');
    expect(api.of('listDeadLetters')[0]?.query).toMatchObject({ errorCode: ['POISON_RUN', 'RUN_EXPIRED'], limit: 20 });
    expect(await execute(deadLettersCommand, 'list', '--error-code', 'TARGET_NOT_FOUND')).toMatchObject({ code: 2 });
  });

  test('are listed page by page up to the limit, and the list says when there are more', async () => {
    const counts = [{ code: 'POISON_RUN', runs: 300, retried: 0 }];
    api.handlers.listDeadLetters = ({ query: { limit } }) => ({
      items: Array.from({ length: Number(limit) }, () => deadLetter),
      nextCursor: 'next',
      counts,
    });
    const { out, err } = await execute(deadLettersCommand, 'list', '--limit', '250', '--json');
    expect(JSON.parse(out)).toMatchObject({ items: { length: 250 }, counts });
    expect(err).toBe('More dead letters exist. To list more, use --limit 2500.\n');
  });

  test('are retried; a failed retry: exit 1', async () => {
    const retried = [{ run: id(1), retry: id(2) }];
    const failed = [{ run: id(3), error: { code: 'CONFLICT' as const, message: 'no', retry: 'no' as const } }];
    api.handlers.retryDeadLetters = () => ({ retried, failed: [], remaining: 4 });
    expect(await execute(deadLettersCommand, 'retry', '--include-retried', '--limit', '1')).toEqual({
      code: 0,
      out: `${id(2)} retries ${id(1)}\n`,
      err: '1 run created, 4 left\n',
    });
    expect(api.of('retryDeadLetters')[0]?.body).toEqual({ includeRetried: true, limit: 1 });
    api.handlers.retryDeadLetters = () => ({ retried, failed, remaining: 0 });
    const { code, err } = await execute(deadLettersCommand, 'retry', '--error-code', 'RUN_EXPIRED');
    expect([code, err]).toEqual([1, `${id(3)}  CONFLICT  no\n1 run created\n`]);
    expect(api.of('retryDeadLetters')[1]?.body).toMatchObject({ errorCodes: ['RUN_EXPIRED'], includeRetried: false });
  });
});

test('retention run prints what it deleted, or would delete', async () => {
  const counts = {
    runs: 1,
    events: 40,
    artifacts: 3,
    uploads: 0,
    bytes: 1_400_000,
    oldestRemainingRunAt: timestamp,
    isComplete: true,
  };
  api.handlers.runRetention = ({ body }) => ({ ...counts, ...(body as { dryRun: boolean }) });
  expect(await execute(retentionCommand, 'run', '--dry-run')).toEqual({
    code: 0,
    out: `Would delete 1 run, 40 events, 3 artifacts and 0 uploads (1.4 MB).\nOldest remaining run: ${timestamp}.\n`,
    err: '',
  });
  expect((await execute(retentionCommand, 'run')).out).toContain('Deleted 1 run, 40 events');
  expect(api.of('runRetention').map(({ body }) => body)).toEqual([{ dryRun: true }, { dryRun: false }]);
  api.handlers.runRetention = () => ({ ...counts, dryRun: false, isComplete: false });
  expect((await execute(retentionCommand, 'run')).err).toContain('Stopped at the time limit.');
});
