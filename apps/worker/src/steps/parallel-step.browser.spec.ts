import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import { isNonIdempotent } from '@pilothouse/contract/workflow/step.schema';
import type { WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';
import { parseHostRules } from '@pilothouse/core/egress/host-rules';
import { buildAssignment, ScriptedGateway } from '@pilothouse/infra-link/testing';
import { BrowserHost } from '@pilothouse/surface-browser';
import { headlessShellOptions } from '@pilothouse/testing/headless-shell';
import { until } from '@pilothouse/testing/test-helpers';
import { TestServer } from '@pilothouse/testing/test-server';
import { startWorker } from '../testing/test-worker.fixture.ts';
import type { Worker } from '../worker.ts';

type Steps = WorkflowDefinitionInput['steps'];
type Branches = Extract<Steps[number], { action: 'parallel' }>['branches'];

const secret = 'hush-hush-42';
const html = { 'content-type': 'text/html' };
const page = (title: string, body = '') => `<!doctype html><title>${title}</title><h1>${title}</h1>${body}`;

describe('branches on separate pages', () => {
  let site: TestServer;
  let origin: string;
  let host: BrowserHost;
  let gateway: ScriptedGateway;
  let root: string;
  let worker: Worker;
  /** Requests for `/meet` that wait for another one. */
  let meeting: ServerResponse[] = [];
  /** Requests for pages of `/busy`, and the maximum number that were open at once. */
  let busy = { now: 0, most: 0 };
  let hangStarted = Promise.withResolvers<unknown>();
  let requestClosed = Promise.withResolvers<unknown>();
  let typedTexts: string[] = [];
  let requestedPaths: string[] = [];
  let lateResponse = Promise.withResolvers<unknown>();

  beforeAll(async () => {
    site = new TestServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', origin);
      const respond = (title: string, body?: string) => void response.writeHead(200, html).end(page(title, body));
      requestedPaths.push(pathname);
      switch (pathname) {
        case '/late':
          return void lateResponse.promise.then(() => respond('Late'));
        // Responds to pairs only. They have two addresses, because Chromium requests one address once at a time.
        case '/meet':
          meeting.push(response);
          if (meeting.length < 2) return;
          for (const [index, response] of meeting.splice(0).entries())
            response.writeHead(200, html).end(page(`Met ${index}`));
          return;
        case '/in':
          return respond(
            'In',
            `<script>document.title = 'Came from ' + ${JSON.stringify(searchParams.get('from'))}</script>`,
          );
        case '/busy':
          busy = { now: busy.now + 1, most: Math.max(busy.most, busy.now + 1) };
          return respond('Busy');
        case '/free':
          busy.now -= 1;
          return respond('Free');
        case '/hangs':
          response.on('close', () => requestClosed.resolve(null));
          return hangStarted.resolve(null);
        case '/then-wrong':
          return void hangStarted.promise.then(() => respond('Wrong'));
        case '/form':
          return respond(
            'Form',
            '<label>Key <input oninput="fetch(`/typed?${this.value}`).then(() => (document.title = `Told`))"></label>',
          );
        case '/typed':
          typedTexts.push(decodeURIComponent(request.url?.split('?')[1] ?? ''));
          return void response.end();
        case '/order':
          return respond('Order', '<button onclick="document.title = `Ordered`">Order</button>');
        default:
          return respond(pathname.slice(1));
      }
    });
    await site.start();
    origin = site.origin;
    host = new BrowserHost(headlessShellOptions());
  }, 60_000);

  afterAll(async () => {
    await host.close();
    await site.stop();
  });

  beforeEach(async () => {
    meeting = [];
    busy = { now: 0, most: 0 };
    typedTexts = [];
    requestedPaths = [];
    lateResponse = Promise.withResolvers();
    hangStarted = Promise.withResolvers();
    requestClosed = Promise.withResolvers();
    gateway = await ScriptedGateway.start();
    root = await mkdtemp(join(tmpdir(), 'pilothouse-branches-spec-'));
    worker = await startWorker(root, {
      url: gateway.url,
      surfaceHost: host,
      allowedPrivateHosts: parseHostRules(['127.0.0.1']),
    });
    await gateway.until(() => gateway.all('ready').length > 0);
  });

  afterEach(async () => {
    worker.abort('the spec is over');
    await worker.completion.catch(() => undefined);
    await gateway.close();
    await rm(root, { recursive: true });
  });

  const navigateTo = (path: string) => ({ action: 'navigate' as const, url: `${origin}${path}` });
  const title = { id: 'title', action: 'extract' as const, target: { css: 'h1' }, value: {} };
  const parallel = (branches: Branches, fields: object = {}) => ({
    id: 'all',
    action: 'parallel' as const,
    branches,
    ...fields,
  });
  const eventsOf = (run: Assignment, ...types: RunEvent['type'][]) =>
    gateway.log.of(run).filter(({ type }) => types.includes(type));

  async function runToEnd(source: Omit<WorkflowDefinitionInput, 'name'>, fields: Partial<Assignment> = {}) {
    const run = buildAssignment(source, { capture: { screenshots: 'none' }, ...fields });
    gateway.assign(run);
    const outcome = await until('the run ends', () => gateway.log.outcome(run), 50_000);
    return { run, outcome };
  }

  test('run concurrently, and each returns the values of its steps', async () => {
    gateway.secrets.set('key', secret);
    const { run, outcome } = await runToEnd(
      {
        inputs: { key: { type: 'string', secret: true } },
        steps: [
          navigateTo('/before'),
          parallel({
            left: [
              navigateTo('/meet?left'),
              title,
              navigateTo('/in?from={{steps.title.value}}'),
              { action: 'waitFor', condition: { title: 'Came from Met' } },
            ],
            right: [
              navigateTo('/meet?right'),
              title,
              navigateTo('/form'),
              { action: 'fill', target: { label: 'Key' }, text: '{{inputs.key}}' },
              { action: 'waitFor', condition: { title: 'Told' } },
            ],
            data: { action: 'http', url: `${origin}/plain` },
          }),
          { id: 'after', action: 'extract', target: { css: 'h1' }, value: {} },
        ],
        output: {
          met: ['{{steps.all.value.left.title}}', '{{steps.all.value.right.title}}'],
          data: '{{steps.all.value.data.status}}',
          after: '{{steps.after.value}}',
        },
      },
      { secrets: ['key'] },
    );
    expect(outcome).toMatchObject({ status: 'completed', output: { data: 200, after: 'before' } });
    const { met } = (outcome.status === 'completed' ? outcome.output : {}) as { met: string[] };
    expect([...met].sort()).toEqual(['Met 0', 'Met 1']);
    expect(typedTexts.at(-1)).toBe(secret);
    const events = eventsOf(run, 'step.started', 'branch.step_started', 'branch.step_completed', 'step.completed');
    expect(
      events.filter(({ data }) => data['branch'] === 'left').map(({ type, data }) => [type, data['sequence']]),
    ).toEqual(
      [1, 2, 3, 4].flatMap((n) => [
        ['branch.step_started', n],
        ['branch.step_completed', n],
      ]),
    );
    // All of them are between intent and outcome of their step.
    const stepIndexes = events.flatMap(({ data, type }, index) =>
      data['step'] === 1 && type.startsWith('step.') ? [index] : [],
    );
    const inside = events.flatMap(({ type }, index) => (type.startsWith('branch.') ? [index] : []));
    expect([Math.min(...inside) > (stepIndexes[0] ?? 0), Math.max(...inside) < (stepIndexes[1] ?? 0)]).toEqual([
      true,
      true,
    ]);
    expect(JSON.stringify(gateway.log.of(run))).not.toContain(secret);
  }, 60_000);

  test('end with the first failure, which is named; the others are stopped', async () => {
    const wrong = { ...title, value: { type: 'number' as const } };
    const { run, outcome } = await runToEnd({
      steps: [
        parallel({ slow: [navigateTo('/hangs'), navigateTo('/never')], wrong: [navigateTo('/then-wrong'), wrong] }),
      ],
    });
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { code: 'EXTRACTION_FAILED', message: expect.stringMatching(/^wrong: /), details: { branch: 'wrong' } },
    });
    await requestClosed.promise;
    const failures = eventsOf(run, 'branch.step_completed').filter(({ data }) => data['error'] !== null);
    expect(failures.map(({ data }) => data['branch'])).toEqual(['wrong']);
    expect(JSON.stringify(eventsOf(run, 'branch.step_started'))).not.toContain('never');
  }, 60_000);

  test('respect the page limit of the step, and a failure is caught like one of the step', async () => {
    const branch = [navigateTo('/busy'), navigateTo('/free')];
    const no = { ...title, value: { type: 'number' as const } };
    const { outcome } = await runToEnd({
      steps: [
        parallel({ a: branch, b: branch, c: branch }, { maxParallel: 1 }),
        {
          action: 'try',
          steps: [parallel({ a: [navigateTo('/x'), no], b: [navigateTo('/y')] }, { id: 'wrong' })],
          catch: [{ ...parallel({ a: [navigateTo('/x'), title], b: [navigateTo('/y'), title] }), id: 'again' }],
        },
      ],
      output: '{{steps.again.value}}',
    });
    expect(outcome).toMatchObject({ status: 'completed', output: { a: { title: 'x' }, b: { title: 'y' } } });
    expect(busy).toEqual({ now: 0, most: 1 });
  }, 60_000);

  test('have control flow of their own: loops, page conditions, failures, variables', async () => {
    const asNumber = { ...title, id: 'number', value: { type: 'number' as const } };
    const { run, outcome } = await runToEnd({
      steps: [
        { action: 'set', vars: { low: ['none'] } },
        parallel({
          stock: [
            {
              id: 'rows',
              action: 'forEach',
              in: ['1', 'two', '3'],
              as: 'sku',
              steps: [
                navigateTo('/{{vars.sku}}'),
                {
                  action: 'try',
                  steps: [asNumber],
                  catch: [{ action: 'set', vars: { low: 'vars.low + [vars.sku]' } }],
                },
                { ...title, id: 'three', if: { text: '3' } },
              ],
              collect: { number: '{{steps.number.value}}', three: '{{steps.three.value}}', low: '{{vars.low}}' },
            },
          ],
          other: [navigateTo('/other'), { ...title, if: 'vars.low == ["none"]' }],
        }),
      ],
      output: { all: '{{steps.all.value}}', low: '{{vars.low}}' },
    });
    const rows = [
      { number: 1, three: null, low: ['none'] },
      { number: null, three: null, low: ['none', 'two'] },
      { number: 3, three: '3', low: ['none', 'two'] },
    ];
    expect(outcome).toMatchObject({
      status: 'completed',
      output: { all: { stock: { rows }, other: { title: 'other' } }, low: ['none'] },
    });
    const failures = eventsOf(run, 'branch.step_completed').filter(({ data }) => data['error'] !== null);
    expect(failures.map(({ data }) => [data['branch'], data['branchPath']])).toEqual([['stock', 'rows[2]/2/number']]);
  }, 60_000);

  test('an uncaught failure of a branch fails the step; an exceeded budget is never caught', async () => {
    const wrong = { ...title, value: { type: 'number' as const } };
    const tryBlock = (steps: Branches[string]) => ({ action: 'try', steps, catch: [navigateTo('/caught')] }) as const;
    const failing = await runToEnd({
      steps: [parallel({ a: [tryBlock([navigateTo('/x'), wrong]) as never, wrong], b: [navigateTo('/y')] })],
    });
    expect(failing.outcome).toMatchObject({ status: 'failed', error: { code: 'EXTRACTION_FAILED' } });
    expect(JSON.stringify(eventsOf(failing.run, 'branch.step_started'))).toContain('/caught');
    const overBudget = await runToEnd(
      {
        steps: [
          parallel(
            { a: [tryBlock([navigateTo('/x'), navigateTo('/y'), navigateTo('/z')]) as never], b: [navigateTo('/w')] },
            { maxParallel: 1 },
          ),
        ],
      },
      { budget: { steps: 3, usedSteps: 0, usedSeconds: 0 } },
    );
    expect(overBudget.outcome).toMatchObject({ status: 'failed', error: { code: 'BUDGET_EXCEEDED' } });
    expect(JSON.stringify(eventsOf(overBudget.run, 'branch.step_started'))).not.toContain('/caught');
  }, 60_000);

  test('all stop when the run is cancelled or exceeds its budget', async () => {
    const { outcome } = await runToEnd(
      {
        steps: [
          parallel(
            { a: [navigateTo('/a'), navigateTo('/b')], b: [navigateTo('/c'), navigateTo('/d')] },
            { maxParallel: 1 },
          ),
        ],
      },
      { budget: { steps: 3, usedSteps: 0, usedSeconds: 0 } },
    );
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'BUDGET_EXCEEDED' } });

    const run = buildAssignment(
      { steps: [parallel({ a: [navigateTo('/hangs')], b: [navigateTo('/x'), { action: 'wait', seconds: 60 }] })] },
      { capture: { screenshots: 'none' } },
    );
    gateway.assign(run);
    await hangStarted.promise;
    gateway.cancelledAttempts.add(`${run.run}/${run.epoch}`);
    await requestClosed.promise;
    expect(await until('the run ends', () => gateway.log.outcome(run), 20_000)).toMatchObject({ status: 'cancelled' });
  }, 60_000);

  test('share the timeout of the step', async () => {
    const { outcome } = await runToEnd({
      steps: [parallel({ a: [navigateTo('/hangs')], b: [navigateTo('/x')] }, { timeout: 1 })],
    });
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'STEP_TIMED_OUT' } });
  }, 60_000);

  test('after a recovery completed read-only branches are not repeated', async () => {
    const source = {
      steps: [
        parallel({
          reads: [navigateTo('/x'), title],
          acts: [navigateTo('/order'), { action: 'click' as const, target: { css: 'button' } }],
          late: [navigateTo('/late'), title],
        }),
      ],
      output: '{{steps.all.value}}',
    };
    const run = buildAssignment(source, { capture: { screenshots: 'none' } });
    gateway.assign(run);
    const savedWith = (text: string) =>
      gateway.all('append').find(({ safePoint }) => safePoint?.state?.includes(text) === true)?.safePoint;
    await gateway.until(() => savedWith('"reads"') !== undefined, 'the branch is kept');
    const isOrderSent = () =>
      eventsOf(run, 'branch.step_completed').some(({ data }) => data['branch'] === 'acts' && data['sequence'] === 2);
    await until(
      'the order is sent, and the last page asked for',
      () => isOrderSent() && requestedPaths.includes('/late'),
      20_000,
    );
    gateway.cancelledAttempts.add(`${run.run}/${run.epoch}`);
    await until('the run ends', () => gateway.log.outcome(run), 20_000);
    const { step = -1, state = '' } = savedWith('"reads"') ?? {};
    requestedPaths = [];
    lateResponse.resolve(null);
    const next = await runToEnd(source, {
      epoch: 2,
      checkpoints: [{ step: 0, status: 'running', epoch: 1, value: null, verifiable: false }],
      safePoint: { step, state },
    });
    expect(next.outcome).toEqual({
      status: 'completed',
      output: { reads: { title: 'x' }, acts: {}, late: { title: 'Late' } },
    });
    expect(requestedPaths.filter((path) => path !== '/favicon.ico').sort()).toEqual(['/late', '/order']);
  }, 60_000);

  test('a branch with a non-repeatable step is not repeated', () => {
    const order = { action: 'click' as const, target: { text: 'Order' } };
    const isBranchNonIdempotent = (fields: object, options: object = {}) =>
      isNonIdempotent(
        buildAssignment({
          steps: [parallel({ a: [navigateTo('/order'), { ...order, ...fields }], b: [navigateTo('/x')] }, options)],
        }).definition.steps[0] as never,
      );
    expect([
      isBranchNonIdempotent({}),
      isBranchNonIdempotent({ idempotent: false }),
      isBranchNonIdempotent({ idempotent: false }, { idempotent: true }),
    ]).toEqual([false, true, true]);
  });
});
