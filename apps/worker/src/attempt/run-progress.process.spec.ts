import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Action } from '@pilothouse/contract/actions/action-sets';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { Assignment, Checkpoint } from '@pilothouse/contract/worker/to-worker.messages';
import { buildAssignment, ScriptedGateway } from '@pilothouse/infra-link/testing';
import { NullSurfaceHost, type NullSurfaceScript } from '../surface/null.surface.ts';
import { startWorker } from '../testing/test-worker.fixture.ts';
import type { Worker } from '../worker.ts';

type Source = Parameters<typeof buildAssignment>[0];

const open = (name: string, fields = {}) => ({
  action: 'navigate' as const,
  url: `https://portal.test/${name}`,
  ...fields,
});
const list = { action: 'extract' as const, id: 'list', target: { css: 'li' }, list: {} };
const nameOf = (action: Action) =>
  action.action === 'navigate' ? (action.url.split('/').at(-1) ?? '') : action.action;
const statuses = {
  'step.started': 'running',
  'step.completed': 'completed',
  'step.failed': 'failed',
  'step.skipped': 'skipped',
} as const;

describe('control flow over the wire', () => {
  let gateway: ScriptedGateway;
  let root: string;
  let host: NullSurfaceHost;
  let worker: Worker;
  /** Rows that the page lists now. */
  let rows: Json;
  /** The worker is lost when it starts this step, once. */
  let crashesAt: string | undefined;
  let failingSteps: Set<string>;

  beforeEach(async () => {
    gateway = await ScriptedGateway.start();
    root = await mkdtemp(join(tmpdir(), 'pilothouse-course-spec-'));
    rows = ['a', 'b', 'c'];
    crashesAt = undefined;
    failingSteps = new Set();
    const script: NullSurfaceScript = {
      beforeAction: (action) => {
        const name = nameOf(action);
        if (failingSteps.has(name)) throw new PilothouseError('TARGET_NOT_FOUND', `Nothing is called ${name}`);
        if (crashesAt !== name) return;
        crashesAt = undefined;
        // The gateway receives nothing more from this attempt, as if the process had been killed.
        throw lostSurfaceError(name);
      },
      outcome: (action) => (action.action === 'extract' ? { value: rows } : undefined),
    };
    host = new NullSurfaceHost(script);
    worker = await startWorker(root, { url: gateway.url, surfaceHost: host });
    await gateway.until(() => gateway.all('ready').length > 0);
  });

  afterEach(async () => {
    gateway.terminateConnections();
    worker.abort('the spec is over');
    await worker.completion.catch(() => undefined);
    await gateway.close();
    await rm(root, { recursive: true });
  });

  const lostSurfaceError = (name: string) => new PilothouseError('SURFACE_LOST', `Lost at ${name}`);
  const performedActions = () => host.inputs.map(({ action }) => nameOf(action));
  const waitForEnd = (run: Assignment) =>
    gateway.until(
      () => gateway.log.outcome(run) !== undefined || gateway.all('handback').some(({ epoch }) => epoch === run.epoch),
      'the attempt ended',
    );

  /** Durable state of an attempt, as the gateway stores it for the next. */
  function storedStateOf(run: Assignment): Pick<Assignment, 'checkpoints' | 'safePoint'> {
    const checkpointsByStep = new Map(run.checkpoints.map((checkpoint) => [checkpoint.step, checkpoint]));
    for (const { type, data } of gateway.log.of(run)) {
      if (!(type in statuses)) continue;
      const { step, path, value = null, error, verifiable } = data as unknown as Checkpoint;
      const status = statuses[type as keyof typeof statuses];
      const previous = checkpointsByStep.get(step);
      checkpointsByStep.set(step, {
        step,
        status,
        epoch: run.epoch,
        value,
        verifiable: verifiable ?? previous?.verifiable ?? false,
        ...(path !== undefined && { path }),
        ...(error && { error }),
      });
    }
    let { safePoint } = run;
    for (const { epoch, safePoint: point } of gateway.all('append')) {
      if (epoch === run.epoch && point) safePoint = { step: point.step, state: point.state ?? safePoint?.state ?? '' };
    }
    return { checkpoints: [...checkpointsByStep.values()], safePoint };
  }

  /** Executes a run over as many attempts as needed. */
  async function runToEnd(source: Source, fields: Partial<Assignment> = {}, beforeRetry: () => void = () => undefined) {
    let run = buildAssignment(source, fields);
    for (;;) {
      gateway.assign(run);
      await waitForEnd(run);
      const outcome = gateway.log.outcome(run);
      if (outcome) return { run, outcome, events: gateway.log.of(run) };
      beforeRetry();
      run = { ...run, ...storedStateOf(run), epoch: run.epoch + 1 };
    }
  }

  const loopWorkflow = (fields = {}): Source => ({
    steps: [
      open('start'),
      list,
      {
        action: 'forEach',
        id: 'all',
        in: 'steps.list.value',
        as: 'name',
        steps: [open('{{vars.name}}'), { action: 'extract', id: 'seen', target: { css: 'h1' }, value: {}, ...fields }],
        collect: '{{vars.name}}: {{steps.seen.value}}',
      },
    ],
    output: '{{steps.all.value}}',
  });

  test('a loop iterates over a read list, and events contain the path of each step', async () => {
    const { outcome, events } = await runToEnd(loopWorkflow());
    expect(outcome).toMatchObject({
      status: 'completed',
      output: ['a: a,b,c', 'b: a,b,c', 'c: a,b,c'].map(expect.anything),
    });
    expect(performedActions().filter((name) => name !== 'extract')).toEqual(['start', 'a', 'b', 'c']);
    const startedSteps = events
      .filter(({ type }) => type === 'step.started')
      .map(({ data }) => [data['step'], data['path']]);
    expect(startedSteps.slice(0, 4)).toEqual([
      [0, undefined],
      [1, 'list'],
      [2, 'all[1]/1'],
      [3, 'all[1]/seen'],
    ]);
  });

  test('a worker lost in a loop: the list is unchanged, and every iteration runs once', async () => {
    crashesAt = 'b';
    const { run, outcome } = await runToEnd(loopWorkflow(), {}, () => (rows = ['x', 'y']));
    expect(run.epoch).toBe(2);
    expect(performedActions().filter((name) => name !== 'extract')).toEqual(['start', 'a', 'b', 'c']);
    const output = outcome.status === 'completed' ? (outcome.output as string[]) : [];
    expect(output.map((line) => line.slice(0, 2))).toEqual(['a:', 'b:', 'c:']);
    // Values of the first iteration stay; values after the recovery are new.
    expect(output.map((line) => line.includes('x'))).toEqual([false, true, true]);
  });

  test('a non-repeatable step in a loop asks a person in each iteration', async () => {
    const order = { action: 'click' as const, id: 'order', target: { text: 'Order {{vars.name}}' }, idempotent: false };
    const source: Source = {
      steps: [
        open('start'),
        list,
        { action: 'forEach', in: 'steps.list.value', as: 'name', steps: [order, open('{{vars.name}}')] },
      ],
    };
    crashesAt = 'b';
    const run = buildAssignment(source);
    gateway.assign(run);
    await waitForEnd(run);
    const storedState = storedStateOf(run);
    expect(storedState.checkpoints.map(({ path, status }) => [path, status]).slice(2)).toEqual([
      ['3[1]/order', 'completed'],
      ['3[1]/2', 'completed'],
      ['3[2]/order', 'completed'],
      ['3[2]/2', 'running'],
    ]);
    const next = { ...run, ...storedState, epoch: 2 };
    gateway.assign(next);
    await gateway.until(() => gateway.all('append').some(({ question }) => question), 'a question');
    const question = gateway.all('append').find(({ question }) => question)?.question;
    expect(question).toMatchObject({
      step: 4,
      path: '3[2]/order',
      id: 'order',
      reason: expect.stringContaining('Step 3[2]/1'),
    });
    gateway.answers.set(run.run, { step: 4, choice: 'continue', answeredBy: 'Ada' });
    await waitForEnd(next);
    expect(gateway.log.outcome(next)).toMatchObject({ status: 'completed' });
    expect(performedActions().filter((name) => name === 'click')).toHaveLength(3);
  });

  const branchWorkflow = (fields = {}): Source => ({
    steps: [
      open('start'),
      {
        id: 'both',
        action: 'parallel',
        maxParallel: 1,
        branches: {
          one: [open('a'), { action: 'click', target: { text: 'Order' }, ...fields }, { ...list, id: 'read' }],
          two: [open('b')],
        },
      },
      open('end'),
    ],
    output: '{{steps.both.value.one.read}}',
  });

  test('a worker lost in branches: all of them restart, and earlier steps do not', async () => {
    crashesAt = 'b';
    const { outcome } = await runToEnd(branchWorkflow());
    expect(outcome).toMatchObject({ status: 'completed', output: ['a', 'b', 'c'] });
    const branch = ['a', 'click', 'extract'];
    expect(performedActions()).toEqual(['start', ...branch, ...branch, 'b', 'end']);
  });

  test('a worker lost after branches: they are complete', async () => {
    crashesAt = 'end';
    const { outcome } = await runToEnd(branchWorkflow(), {}, () => (rows = ['x']));
    expect(outcome).toMatchObject({ status: 'completed', output: ['a', 'b', 'c'] });
    expect(performedActions()).toEqual(['start', 'a', 'click', 'extract', 'b', 'end']);
  });

  test('branches with a non-repeatable step ask a person', async () => {
    crashesAt = 'b';
    const run = buildAssignment(branchWorkflow({ idempotent: false }));
    gateway.assign(run);
    await waitForEnd(run);
    gateway.assign({ ...run, ...storedStateOf(run), epoch: 2 });
    await gateway.until(() => gateway.all('append').some(({ question }) => question), 'a question');
    const question = gateway.all('append').find(({ question }) => question)?.question;
    expect(question).toMatchObject({ step: 1, id: 'both' });
    expect(performedActions()).toEqual(['start', 'a', 'click', 'extract']);
  });

  const tryWorkflow: Source = {
    steps: [
      open('start'),
      {
        action: 'try',
        steps: [open('bad'), open('good')],
        catch: [open('sorry-{{vars.error.code}}'), open('repair')],
        finally: [open('last')],
      },
      open('end'),
    ],
  };

  test('a failure is caught, and the run continues', async () => {
    failingSteps.add('bad');
    const { outcome, events } = await runToEnd(tryWorkflow);
    expect(outcome).toMatchObject({ status: 'completed' });
    expect(performedActions()).toEqual(['start', 'sorry-TARGET_NOT_FOUND', 'repair', 'last', 'end']);
    const failure = events.find(({ type }) => type === 'step.failed');
    expect(failure).toMatchObject({ level: 'warn', data: { path: '2/1', error: { code: 'TARGET_NOT_FOUND' } } });
  });

  test('a worker lost inside `catch` continues there: the failed step is not repeated', async () => {
    failingSteps.add('bad');
    crashesAt = 'repair';
    const { run, outcome } = await runToEnd(tryWorkflow, {}, () => failingSteps.clear());
    expect([run.epoch, outcome.status]).toEqual([2, 'completed']);
    expect(performedActions()).toEqual(['start', 'sorry-TARGET_NOT_FOUND', 'repair', 'last', 'end']);
  });

  test('the same holds when the run restarts from the beginning', async () => {
    failingSteps.add('bad');
    crashesAt = 'repair';
    const { run, outcome } = await runToEnd({ ...tryWorkflow, onWorkerLost: 'restart' }, {}, () =>
      failingSteps.clear(),
    );
    expect([run.epoch, outcome.status]).toEqual([2, 'completed']);
    const sorry = 'sorry-TARGET_NOT_FOUND';
    expect(performedActions()).toEqual(['start', sorry, 'start', sorry, 'repair', 'last', 'end']);
  });

  test('a lost worker inside `try` is not a failure of the step', async () => {
    crashesAt = 'good';
    const { run, outcome } = await runToEnd(tryWorkflow);
    expect([run.epoch, outcome.status]).toEqual([2, 'completed']);
    expect(performedActions()).toEqual(['start', 'bad', 'good', 'last', 'end']);
  });

  test('an uncaught failure ends the run after `finally`', async () => {
    failingSteps.add('bad');
    const [, block] = tryWorkflow.steps;
    const { outcome } = await runToEnd({ steps: [{ ...block, catch: undefined } as Source['steps'][number]] });
    expect(outcome).toMatchObject({ status: 'failed', step: null, error: { code: 'TARGET_NOT_FOUND' } });
    expect(performedActions()).toEqual(['last']);
  });

  test('a decision based on the page does not change after a recovery', async () => {
    crashesAt = 'b';
    const source: Source = {
      steps: [
        open('here'),
        { action: 'group', if: { url: 'here' }, steps: [open('a'), open('b')], else: [open('never')] },
        open('end'),
      ],
    };
    const { run, outcome } = await runToEnd(source);
    expect([run.epoch, outcome.status]).toEqual([2, 'completed']);
    // The condition does not hold on the page after the recovery.
    expect(performedActions()).toEqual(['here', 'a', 'b', 'end']);
  });

  test('budgets bound loops', async () => {
    const source: Source = { steps: [{ action: 'loop', until: 'false', steps: [open('again')] }] };
    const { outcome } = await runToEnd(source, { budget: { steps: 5, usedSteps: 0, usedSeconds: 0 } });
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'BUDGET_EXCEEDED' } });
    expect(performedActions()).toHaveLength(5);
    const withCatch = await runToEnd(
      { steps: [{ action: 'try', steps: source.steps, catch: [open('sorry')] }] },
      { budget: { steps: 5, usedSteps: 0, usedSeconds: 0 } },
    );
    expect(withCatch.outcome).toMatchObject({ status: 'failed', error: { code: 'BUDGET_EXCEEDED' } });
  });

  test('a secret is passed to a called workflow by name, typed, and masked', async () => {
    gateway.secrets.set('password', 's3cret-w0rd');
    rows = '{{inputs.password}}';
    const source: Source = {
      inputs: { password: { type: 'string', secret: true } },
      workflows: {
        'log-in': {
          inputs: { word: { type: 'string', secret: true }, page: { type: 'string' } },
          steps: [open('{{inputs.page}}'), { action: 'fill', target: { label: 'Password' }, text: '{{inputs.word}}' }],
        },
      },
      steps: [{ action: 'call', workflow: 'log-in', inputs: { word: '{{inputs.password}}', page: 'in' } }],
    };
    const { outcome, run } = await runToEnd(source, { secrets: ['password'] });
    expect(outcome.status).toBe('completed');
    expect(host.inputs.map(({ typed }) => typed).filter((typed) => typed !== undefined)).toEqual(['s3cret-w0rd']);
    expect(JSON.stringify(gateway.log.of(run))).not.toContain('s3cret');
    // Text of a page never becomes the name of a secret, even inside a call.
    const stolen: Source = {
      ...source,
      workflows: {
        say: {
          inputs: { text: { type: 'string' } },
          steps: [{ action: 'fill', target: { label: 'Say' }, text: '{{inputs.text}}' }],
        },
      },
      steps: [
        { action: 'extract', id: 'page', target: { css: 'p' }, value: {} },
        { action: 'call', workflow: 'say', inputs: { text: '{{steps.page.value}}' } },
      ],
    };
    const { outcome: stolenOutcome } = await runToEnd(stolen, { secrets: ['password'] });
    expect(stolenOutcome).toMatchObject({ status: 'failed', error: { code: 'TEMPLATE_INVALID' } });
  });
});
