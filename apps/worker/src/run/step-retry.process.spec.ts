import type { Action } from '@pilothouse/contract/actions/action-sets';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { EventData } from '@pilothouse/contract/events/event-log.schema';
import type { Assignment, Checkpoint } from '@pilothouse/contract/worker/to-worker.messages';
import type { StepRetryPolicy } from '@pilothouse/contract/workflow/step-retry.schema';
import type { ActionServices } from '@pilothouse/core/ports/surface-action.port';
import { until } from '@pilothouse/testing/test-helpers';
import { NullSurfaceHost } from '../surface/null.surface.ts';
import { WorkerHarness } from '../testing/worker-harness.fixture.ts';

/* Retry of a step: durable state, interruptions and the total number of attempts. */

const open = (name: string, retry?: StepRetryPolicy) => ({
  action: 'navigate' as const,
  id: name,
  url: `https://portal.test/${name}`,
  ...(retry && { retry }),
});
const order = { action: 'press' as const, id: 'order', key: 'Enter', idempotent: false };

const notReady = () => new PilothouseError('TARGET_NOT_ACTIONABLE', 'It is covered');
const notOpened = () => new PilothouseError('NAVIGATION_FAILED', 'The site did not answer');

let attempts: WorkerHarness;
/** Called before each action. */
let beforeAction: (action: Action, context: ActionServices) => void;

const failTimes = (times: number, error: () => PilothouseError) => {
  let remainingFailures = times;
  beforeAction = () => {
    remainingFailures -= 1;
    if (remainingFailures >= 0) throw error();
  };
};

beforeEach(async () => {
  beforeAction = () => undefined;
  const host = new NullSurfaceHost({
    beforeAction: (action, context) => Promise.resolve(beforeAction(action, context)),
  });
  attempts = await WorkerHarness.start(host);
});
afterEach(() => attempts.stop());

/** Events of steps in order, with the number of the attempt if they have one. */
const stepEvents = (run: Assignment) =>
  attempts.gateway.log
    .of(run)
    .filter(({ type }) => type.startsWith('step.'))
    .map(({ type, data }) => (data['attempt'] === undefined ? type : `${type} ${String(data['attempt'])}`));

const retries = (run: Assignment) =>
  attempts.events(run, 'step.retrying').map(({ data }) => data as unknown as EventData<'step.retrying'>);

const inBackoff = (run: Assignment) => until('the step waits for its next attempt', () => retries(run).length > 0);

test('a step is retried until it succeeds', async () => {
  failTimes(2, notOpened);
  const run = attempts.assign({ steps: [open('a', { maxAttempts: 3, backoffSeconds: 0.01 }), open('b')] });
  expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed' });
  expect(stepEvents(run)).toEqual([
    'step.started',
    'step.retrying 1',
    'step.started 2',
    'step.retrying 2',
    'step.started 3',
    'step.completed',
    'step.started',
    'step.completed',
  ]);
  const [first, second] = attempts.events(run, 'step.retrying');
  expect(first?.data).toMatchObject({
    path: 'a',
    attempt: 1,
    maxAttempts: 3,
    errorCode: 'NAVIGATION_FAILED',
    error: { message: 'The site did not answer' },
  });
  // The backoff doubles.
  const backoff = (event: typeof first) =>
    Date.parse(String(event?.data['nextAttemptAt'])) - Date.parse(event?.at ?? '');
  expect([first?.message, second?.message]).toEqual([
    expect.stringContaining('next in 0.01 s'),
    expect.stringContaining('next in 0.02 s'),
  ]);
  // The event is created a moment after its backoff starts.
  expect(backoff(first)).toBeLessThanOrEqual(10);
  expect(backoff(second)).toBeLessThanOrEqual(20);
});

test('a step fails with the error of its last attempt', async () => {
  failTimes(9, notOpened);
  const run = attempts.assign({ steps: [open('a', { maxAttempts: 2, backoffSeconds: 0 })] });
  expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'failed', error: { code: 'NAVIGATION_FAILED' } });
  expect(stepEvents(run)).toEqual(['step.started', 'step.retrying 1', 'step.started 2', 'step.failed']);
});

test('a `try` around the step catches only the failure of the last attempt', async () => {
  failTimes(2, notOpened);
  const tryStep = {
    action: 'try' as const,
    steps: [open('a', { maxAttempts: 2, backoffSeconds: 0 })],
    catch: [open('b')],
  };
  const run = attempts.assign({ steps: [tryStep] });
  expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed' });
  expect(stepEvents(run)).toEqual([
    'step.started',
    'step.retrying 1',
    'step.started 2',
    'step.failed',
    'step.started',
    'step.completed',
  ]);
});

test('only errors listed in `on` are retried', async () => {
  failTimes(1, notOpened);
  const run = attempts.assign({ steps: [open('a', { maxAttempts: 3, backoffSeconds: 0, on: ['STEP_TIMED_OUT'] })] });
  expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'failed', error: { code: 'NAVIGATION_FAILED' } });
  expect(stepEvents(run)).toEqual(['step.started', 'step.failed']);
});

describe('a step that is not idempotent', () => {
  const once = { ...order, retry: { maxAttempts: 3, backoffSeconds: 0, on: ['TARGET_NOT_ACTIONABLE' as const] } };

  test('is retried if no input was sent', async () => {
    failTimes(1, notReady);
    const run = attempts.assign({ steps: [once] });
    expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed' });
    expect(stepEvents(run)).toEqual(['step.started', 'step.retrying 1', 'step.started 2', 'step.completed']);
    expect(retries(run)[0]?.error.details).toEqual({ inputSent: false });
  });

  test('is retried if the page blocked all input', async () => {
    let remainingFailures = 1;
    beforeAction = (_action, context) => {
      if (remainingFailures-- === 0) return;
      context.guard();
      context.onNotSent?.();
      throw notReady();
    };
    const run = attempts.assign({ steps: [once] });
    expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed' });
    expect(retries(run)).toHaveLength(1);
  });

  test('is not retried after input was sent, and its error reports it', async () => {
    beforeAction = (_action, context) => {
      context.guard();
      throw notReady();
    };
    const run = attempts.assign({ steps: [once] });
    expect(await attempts.waitForOutcome(run)).toMatchObject({
      status: 'failed',
      error: { code: 'TARGET_NOT_ACTIONABLE', details: { inputSent: true } },
    });
    expect(stepEvents(run)).toEqual(['step.started', 'step.failed']);
  });
});

describe('a backoff', () => {
  const long = { maxAttempts: 2, backoffSeconds: 60 };

  test('ends when the run is cancelled', async () => {
    failTimes(1, notOpened);
    const run = attempts.assign({ steps: [open('a', long)] });
    await inBackoff(run);
    attempts.gateway.broadcast({ type: 'cancel', run: run.run, epoch: run.epoch });
    expect(await attempts.waitForOutcome(run)).toEqual({ status: 'cancelled' });
    expect(stepEvents(run)).toEqual(['step.started', 'step.retrying 1', 'step.failed']);
  });

  test('ends with the time budget of the run', async () => {
    failTimes(1, notOpened);
    const run = attempts.assign(
      { steps: [open('a', long)] },
      { budget: { seconds: 1, usedSteps: 0, usedSeconds: 0 } as Assignment['budget'] },
    );
    expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'failed', error: { code: 'BUDGET_EXCEEDED' } });
  });

  test('does not start when the step budget is used up: attempts count as steps', async () => {
    failTimes(9, notOpened);
    const run = attempts.assign(
      { steps: [open('a', { maxAttempts: 9, backoffSeconds: 0 })] },
      { budget: { steps: 2, usedSteps: 0, usedSeconds: 0 } as Assignment['budget'] },
    );
    expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'failed', error: { code: 'BUDGET_EXCEEDED' } });
    expect(stepEvents(run).filter((type) => type.startsWith('step.started'))).toEqual([
      'step.started',
      'step.started 2',
    ]);
  });

  test('ends when the worker drains: the run is handed back with its attempts', async () => {
    failTimes(1, notOpened);
    const run = attempts.assign({ steps: [open('a', long)] });
    await inBackoff(run);
    attempts.drain();
    await until('the run is handed back', () => attempts.gateway.all('handback').length > 0);
    expect(attempts.gateway.all('handback')[0]).toMatchObject({ run: run.run, error: { code: 'RUN_HANDED_BACK' } });
  });

  test('gives the surface to a person who takes control, and continues afterwards', async () => {
    failTimes(1, notOpened);
    const run = attempts.assign({ steps: [open('a', { maxAttempts: 2, backoffSeconds: 2 })] });
    await inBackoff(run);
    const { run: id, epoch } = run;
    const control = {
      type: 'control.input' as const,
      run: id,
      epoch,
      token: 1,
      operator: 'Ada',
      sequence: 0,
      inputs: [],
    };
    attempts.gateway.broadcast({ ...control, validMs: 30_000 });
    const question = await attempts.question();
    expect(question).toMatchObject({ path: 'a', controlToken: 1, reason: 'Ada has control' });
    expect(stepEvents(run)).toEqual(['step.started', 'step.retrying 1']);
    attempts.gateway.broadcast({ ...control, validMs: 0 });
    attempts.gateway.broadcast({
      type: 'question.answered',
      run: id,
      epoch,
      answer: { step: 0, path: 'a', controlToken: 1, choice: 'continue', answeredBy: 'Ada' },
    });
    expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed' });
    expect(stepEvents(run)).toEqual(['step.started', 'step.retrying 1', 'step.started 2', 'step.completed']);
  });
});

describe('a worker that recovers the run', () => {
  const policy = { maxAttempts: 3, backoffSeconds: 1 };
  const interruptedAttempt = (fields: Partial<Checkpoint>): Partial<Assignment> => ({
    epoch: 2,
    checkpoints: [{ step: 0, path: 'a', status: 'retrying', epoch: 1, value: null, verifiable: false, ...fields }],
  });

  test('continues to count after a lost backoff, and waits for the rest of it', async () => {
    failTimes(9, notOpened);
    const failedAt = new Date(Date.now() - 1_000).toISOString();
    const startedAt = performance.now();
    const run = attempts.assign({ steps: [open('a', policy)] }, interruptedAttempt({ attempts: 2, failedAt }));
    expect(await attempts.waitForOutcome(run)).toMatchObject({
      status: 'failed',
      error: { code: 'NAVIGATION_FAILED' },
    });
    expect(stepEvents(run)).toEqual(['step.started 3', 'step.failed']);
    // The second backoff is two seconds, and one of them has elapsed.
    expect(performance.now() - startedAt).toBeGreaterThan(500);
  });

  test('repeats an unfinished attempt under its own number', async () => {
    failTimes(9, notOpened);
    const run = attempts.assign({ steps: [open('a', policy)] }, interruptedAttempt({ status: 'running', attempts: 3 }));
    await attempts.waitForOutcome(run);
    expect(stepEvents(run)).toEqual(['step.started 3', 'step.failed']);
  });

  test('does not treat a non-idempotent step in backoff as unknown', async () => {
    const once = { ...order, retry: { ...policy, on: ['TARGET_NOT_ACTIONABLE' as const] } };
    const run = attempts.assign({ steps: [once] }, interruptedAttempt({ path: 'order', attempts: 1 }));
    expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed' });
    expect(attempts.questions()).toEqual([]);
    expect(stepEvents(run)).toEqual(['step.started 2', 'step.completed']);
  });
});
