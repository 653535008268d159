import type { RunAnswer } from '@pilothouse/contract/run/run-question.schema';
import type { StepStatus } from '@pilothouse/contract/run/run-status';
import type { Checkpoint } from '@pilothouse/contract/worker/to-worker.messages';
import type { Step } from '@pilothouse/contract/workflow/step.schema';
import type { StepPosition } from '../interpreter/interpreter-state.ts';
import {
  recoveryPolicyOf,
  recoveryQuestion,
  stepsNotToRepeat,
  planRecovery,
  type UncertainStep,
  type PreviousAttempts,
  type RecoveryPolicy,
} from './run-recovery.ts';

const extract: Step = { action: 'extract', target: { css: 'h1' }, value: {} };
const click: Step = { action: 'click', target: { text: 'Next' } };
const order: Step = { action: 'click', id: 'order', target: { text: 'Order' }, idempotent: false };
const get: Step = { action: 'http', url: 'https://api.test' };
const post: Step = { ...get, method: 'POST' };
const openApp: Step = { action: 'openApp', app: 'mousepad' };
const observe: Step = { action: 'observe' };
const goal: Step = { action: 'goal', goal: 'Write a note' };
const profile = (onWorkerLost: 'restart' | 'fail') => ({ profile: { onWorkerLost } });
const checkpoint = (step: number, status: StepStatus, verifiable = false): Checkpoint => ({
  step,
  status,
  epoch: 1,
  value: null,
  verifiable,
});
const positionsOf = (steps: readonly Step[]): StepPosition[] =>
  steps.map((step, number) => ({ number, path: String(number + 1), step }));
const plan = (steps: Step[], previous: Partial<PreviousAttempts>, policy?: RecoveryPolicy) =>
  planRecovery(
    { positions: positionsOf(steps), policy },
    { checkpoints: [], safePoint: null, answer: null, ...previous },
  );

/** A plan as text: `from` or `from+restored`, and the uncertain step with `verify` and its fallback. */
function describePlan(recoveryPlan: ReturnType<typeof plan>): string {
  if (recoveryPlan.kind !== 'resume') return recoveryPlan.kind;
  const { startStep: firstStep, restore, uncertainStep } = recoveryPlan;
  const start = `${firstStep}${restore ? '+restored' : ''}`;
  const describeUncertain = ({ verify, step, fallback: otherwise, earlier }: UncertainStep): string =>
    `${verify ? 'verify ' : ''}${step} or ${otherwise}${earlier ? `, then ${describeUncertain(earlier)}` : ''}`;
  return uncertainStep ? `${start} ${describeUncertain(uncertainStep)}` : start;
}

describe('start of an attempt', () => {
  test.each<[string, Step[], Checkpoint[], number | null, string]>([
    ['first attempt', [click], [], null, 'start'],
    ['the earlier attempt executed no step', [order], [checkpoint(0, 'pending')], null, 'start'],
    ['a skipped step is done', [order, click], [checkpoint(0, 'skipped')], null, '0'],
    [
      'idempotent steps ran',
      [click, extract],
      [checkpoint(0, 'completed'), checkpoint(1, 'running')],
      null,
      '0 1 or retry',
    ],
    [
      'continues at the safe point before them',
      [click, extract],
      [checkpoint(0, 'completed'), checkpoint(1, 'running')],
      1,
      '1+restored 1 or retry',
    ],
    ['the safe point is newer than the current step', [click, extract], [checkpoint(0, 'completed')], 1, '1+restored'],
    ['the surface can show the result', [click], [checkpoint(0, 'running', true)], 0, '0+restored verify 0 or retry'],
    ['a blank surface cannot show the result', [click], [checkpoint(0, 'running', true)], null, '0 0 or retry'],
    ['a request may be sent again', [get], [checkpoint(0, 'running')], null, '0 0 or retry'],
    ['a POST request may not', [post], [checkpoint(0, 'running')], null, '0 0 or ask'],
    ['unless it is idempotent', [{ ...post, idempotent: true }], [checkpoint(0, 'running')], null, '0 0 or retry'],
    [
      'the policy of the request applies',
      [{ ...post, onInterrupted: 'fail' }],
      [checkpoint(0, 'running')],
      null,
      'fail',
    ],
    [
      'a request with a response is done',
      [post, click],
      [checkpoint(0, 'completed'), checkpoint(1, 'running')],
      null,
      '0 1 or retry',
    ],
    [
      'a step waits for its next attempt',
      [click, order],
      [checkpoint(0, 'completed'), checkpoint(1, 'retrying')],
      1,
      '1+restored',
    ],
    ['the first step waits for its next attempt', [order], [checkpoint(0, 'retrying')], null, '0'],
    ['the order has not started', [click, order], [checkpoint(0, 'completed')], null, '0'],
    [
      'the order may have run',
      [click, order],
      [checkpoint(0, 'completed'), checkpoint(1, 'running')],
      1,
      '1+restored 1 or ask',
    ],
    [
      'the surface can show the order',
      [click, order],
      [checkpoint(1, 'running', true)],
      0,
      '0+restored verify 1 or ask',
    ],
    [
      'the order ran, the page is lost',
      [order, extract],
      [checkpoint(0, 'completed'), checkpoint(1, 'running')],
      0,
      '0+restored 0 or ask',
    ],
    [
      'the order ran, the page is restored',
      [order, extract],
      [checkpoint(0, 'completed'), checkpoint(1, 'running')],
      1,
      '1+restored 1 or retry',
    ],
    ['the order failed', [order], [checkpoint(0, 'failed')], null, '0 0 or ask'],
    [
      'an interrupted order with the policy rerun',
      [{ ...order, onInterrupted: 'rerun' }],
      [checkpoint(0, 'running')],
      null,
      '0 0 or retry',
    ],
    [
      'a completed order with the policy rerun',
      [{ ...order, onInterrupted: 'rerun' }],
      [checkpoint(0, 'completed')],
      null,
      '0 0 or ask',
    ],
    [
      'an interrupted click with the policy fail',
      [{ ...click, onInterrupted: 'fail' }],
      [checkpoint(0, 'running')],
      null,
      'fail',
    ],
    [
      'an interrupted click with the policy ask',
      [{ ...click, onInterrupted: 'ask' }],
      [checkpoint(0, 'running', true)],
      0,
      '0+restored 0 or ask',
    ],
    [
      'a completed click with the policy ask',
      [{ ...click, onInterrupted: 'ask' }],
      [checkpoint(0, 'completed')],
      null,
      '0',
    ],
    ['an unknown step', [click], [checkpoint(7, 'running')], null, '0 7 or ask'],
  ])('%s', (_, steps, checkpoints, safePointStep, expected) => {
    expect(
      describePlan(plan(steps, { checkpoints, safePoint: safePointStep === null ? null : { step: safePointStep } })),
    ).toBe(expected);
  });

  // The order ran, its page is lost, and the click after it was interrupted.
  test.each<[string, Step['onInterrupted'], Step['onInterrupted'], boolean, number | null, string]>([
    ['no policy: the order decides', undefined, undefined, true, 0, '0+restored verify 0 or ask'],
    ['click with rerun: the order decides', undefined, 'rerun', true, 0, '0+restored verify 0 or ask'],
    ['click with fail: the run fails', undefined, 'fail', true, 0, 'fail'],
    ['click with fail on a blank surface', undefined, 'fail', true, null, 'fail'],
    ['click with fail, order with ask', 'ask', 'fail', true, 0, 'fail'],
    [
      'click with ask: the click is asked about first',
      undefined,
      'ask',
      true,
      0,
      '0+restored 1 or ask, then verify 0 or ask',
    ],
    ['click with ask, order with fail', 'fail', 'ask', true, 0, '0+restored 1 or ask, then 0 or fail'],
    ['click with verify, order with fail: the result of the click is not verified', 'fail', 'verify', true, 0, 'fail'],
    [
      'click with verify: the result of the order is verified',
      undefined,
      'verify',
      true,
      0,
      '0+restored verify 0 or ask',
    ],
    ['click with fail at a safe point after the order', undefined, 'fail', true, 1, 'fail'],
  ])('a completed order and an interrupted click: %s', (_, ofOrder, ofClick, verifiable, safePointStep, expected) => {
    const steps = [
      { ...order, ...(ofOrder && { onInterrupted: ofOrder }) },
      { ...click, ...(ofClick && { onInterrupted: ofClick }) },
    ] as Step[];
    const previous = { checkpoints: [checkpoint(0, 'completed', true), checkpoint(1, 'running', verifiable)] };
    expect(
      describePlan(plan(steps, { ...previous, safePoint: safePointStep === null ? null : { step: safePointStep } })),
    ).toBe(expected);
  });

  test.each([
    ['continue for the click', 1, 'continue', '0+restored 1 or continue, then 0 or ask'],
    ['retry for the click', 1, 'retry', '0+restored 1 or retry, then 0 or ask'],
    ['continue for the order', 0, 'continue', '0+restored 0 or continue'],
    ['retry for the order', 0, 'retry', '0+restored 0 or retry'],
  ] as const)('answer of a person: %s', (_, step, choice, expected) => {
    const previous = { checkpoints: [checkpoint(0, 'completed'), checkpoint(1, 'running')], safePoint: { step: 0 } };
    const answer = { step, choice, answeredBy: 'Ada' };
    expect(describePlan(plan([order, { ...click, onInterrupted: 'ask' }], { ...previous, answer }))).toBe(expected);
  });

  test.each([
    ['continue', '0+restored 1 or continue'],
    ['retry', '0+restored 1 or retry'],
    ['fail', '0+restored 1 or fail'],
  ] as const)('the answer %s settles the step it was given for', (choice, expected) => {
    const previous = {
      checkpoints: [checkpoint(0, 'completed'), checkpoint(1, 'running', true)],
      safePoint: { step: 0 },
    };
    expect(describePlan(plan([click, order], { ...previous, answer: { step: 1, choice, answeredBy: 'Ada' } }))).toBe(
      expected,
    );
    const nextPlan = plan([click, order], { ...previous, answer: { step: 0, choice, answeredBy: 'Ada' } });
    expect(describePlan(nextPlan)).toBe('0+restored verify 1 or ask');
  });

  test.each([
    ['continue', 'retry'],
    ['fail', 'retry'],
    // It is unknown how far the worker came with the retry.
    ['retry', 'ask'],
  ] as const)('an answer %s to a question about the element does not settle the step', (choice, fallback) => {
    const previous = {
      checkpoints: [checkpoint(0, 'completed'), checkpoint(1, 'running', true)],
      safePoint: { step: 0 },
    };
    const recoveryPlan = plan([click, order], {
      ...previous,
      answer: { step: 1, questionNumber: 1, acceptsTarget: true, choice, answeredBy: 'Ada' },
    });
    expect(recoveryPlan).toMatchObject({ uncertainStep: { step: 1, fallback } });
    const allowed = plan([click, order], {
      ...previous,
      answer: { step: 1, questionNumber: 1, choice, answeredBy: 'Ada' },
    });
    expect(allowed).toMatchObject({ uncertainStep: { step: 1, fallback: 'ask' } });
  });

  test('an answer to another question about a step with the policy fail leads to a question', () => {
    const steps = [order, { ...click, onInterrupted: 'fail' as const }];
    const previous = { checkpoints: [checkpoint(0, 'completed'), checkpoint(1, 'running')], safePoint: { step: 0 } };
    for (const points of [{ acceptsTarget: true as const }, {}]) {
      const answer = { step: 1, questionNumber: 1, choice: 'retry' as const, answeredBy: 'Ada', ...points };
      expect(describePlan(plan(steps, { ...previous, answer }))).toBe('0+restored 1 or ask, then 0 or ask');
    }
    expect(describePlan(plan(steps, previous))).toBe('fail');
  });

  test.each([
    ['continue', '0+restored 1 or continue'],
    ['retry', '0+restored 1 or retry'],
    ['fail', '0+restored 1 or fail'],
  ] as const)('the answer %s applies in every attempt', (choice, expected) => {
    const previous = { checkpoints: [checkpoint(0, 'completed'), checkpoint(1, 'running')], safePoint: { step: 0 } };
    const answer = { step: 1, choice, answeredBy: 'Ada' };
    for (const steps of [
      [click, { ...click, onInterrupted: 'fail' as const }],
      [click, { ...order, onInterrupted: 'fail' as const }],
    ])
      expect(describePlan(plan(steps, { ...previous, answer }))).toBe(expected);
    const afterOrder = plan([order, { ...click, onInterrupted: 'fail' }], { ...previous, answer });
    expect(describePlan(afterOrder)).toBe(`${expected}, then 0 or ask`);
    const answerToOtherStep = plan([click, { ...click, onInterrupted: 'fail' }], {
      ...previous,
      answer: { ...answer, step: 0 },
    });
    expect(describePlan(answerToOtherStep)).toBe('fail');
  });

  test('an answer to a step with the same number on another path does not apply', () => {
    const checkpoints = [checkpoint(0, 'completed'), checkpoint(1, 'running')];
    const describeUncertain = (answer: Partial<RunAnswer>) =>
      describePlan(
        plan([click, order], { checkpoints, answer: { step: 1, choice: 'continue', answeredBy: 'Ada', ...answer } }),
      );
    expect(describeUncertain({ path: '2' })).toBe('0 1 or continue');
    expect(describeUncertain({ path: '1/1' })).toBe('0 1 or ask');
    expect(describeUncertain({ path: '2', questionNumber: 1, acceptsTarget: true })).toBe('0 1 or retry');
    expect(describeUncertain({ path: '1/1', questionNumber: 1, acceptsTarget: true })).toBe('0 1 or ask');
  });

  test('`onWorkerLost` restarts or fails the run', () => {
    const previous = {
      checkpoints: [checkpoint(0, 'completed'), checkpoint(1, 'running', true)],
      safePoint: { step: 1 },
    };
    expect(describePlan(plan([click, extract], previous, 'restart'))).toBe('0 1 or retry');
    expect(plan([click, extract], previous, 'fail')).toMatchObject({
      kind: 'fail',
      step: 1,
      error: { code: 'WORKER_LOST' },
    });
    expect(plan([click], {}, 'fail').kind).toBe('start');
  });

  test.each<[string, Parameters<typeof recoveryPolicyOf>[0], RecoveryPolicy]>([
    ['a browser', {}, 'resume'],
    ['a browser that restarts', { surface: 'browser', onWorkerLost: 'restart' }, 'restart'],
    ['a desktop', { surface: 'desktop' }, 'ask'],
    ['a desktop without a safe point to resume at', { surface: 'desktop', onWorkerLost: 'resume' }, 'ask'],
    ['a desktop that restarts', { surface: 'desktop', onWorkerLost: 'restart' }, 'restart'],
    ['a desktop that fails', { surface: 'desktop', onWorkerLost: 'fail' }, 'fail'],
    ['a desktop whose profile restarts', { surface: 'desktop', desktop: profile('restart') }, 'restart'],
    [
      'a profile before the workflow',
      { surface: 'desktop', onWorkerLost: 'restart', desktop: profile('fail') },
      'fail',
    ],
  ])('policy of %s', (_, definition, policy) => expect(recoveryPolicyOf(definition)).toBe(policy));

  test.each<[string, Step[], Checkpoint[], string]>([
    ['nothing was changed', [openApp, observe], [checkpoint(0, 'completed'), checkpoint(1, 'running')], '0 1 or retry'],
    [
      'a click may have happened',
      [openApp, click],
      [checkpoint(0, 'completed'), checkpoint(1, 'running')],
      '0 1 or ask',
    ],
    ['a click happened', [click, observe], [checkpoint(0, 'completed'), checkpoint(1, 'running')], '0 0 or ask'],
    ['the last of two clicks', [click, click], [checkpoint(0, 'completed'), checkpoint(1, 'completed')], '0 1 or ask'],
    ['a click that may be repeated', [{ ...click, idempotent: true }], [checkpoint(0, 'completed')], '0'],
    ['a goal', [goal], [checkpoint(0, 'running')], '0 0 or ask'],
    ['the policy of the step', [{ ...click, onInterrupted: 'rerun' }], [checkpoint(0, 'running')], '0 0 or retry'],
    ['no step began', [click], [checkpoint(0, 'pending')], 'start'],
  ])('the policy `ask` of a desktop: %s', (_, steps, checkpoints, expected) =>
    expect(describePlan(plan(steps, { checkpoints, safePoint: { step: 0 } }, 'ask'))).toBe(expected),
  );

  test('a person decides about the step of a desktop', () => {
    const checkpoints = [checkpoint(0, 'completed'), checkpoint(1, 'running')];
    const answered = (choice: 'continue' | 'retry') =>
      plan([openApp, click], { checkpoints, answer: { step: 1, choice, answeredBy: 'Ada' } }, 'ask');
    expect(describePlan(answered('continue'))).toBe('0 1 or continue');
    expect(describePlan(answered('retry'))).toBe('0 1 or retry');
  });

  test('non-idempotent steps that ran are not repeated with their neighbors', () => {
    const steps = [order, click, { ...order, id: 'second' }, click];
    const checkpoints = [
      checkpoint(0, 'completed'),
      checkpoint(1, 'completed'),
      checkpoint(2, 'completed'),
      checkpoint(3, 'skipped'),
    ];
    const places = positionsOf(steps);
    expect([...stepsNotToRepeat(places, checkpoints, { step: 2 })]).toEqual([0, 3]);
    expect([...stepsNotToRepeat(places, checkpoints, null)]).toEqual([0, 2, 3]);
  });

  test('names the uncertain step', () => {
    const failing = plan([click, { ...order, onInterrupted: 'fail' }], {
      checkpoints: [checkpoint(1, 'running'), checkpoint(0, 'completed')],
    });
    expect(failing).toMatchObject({
      step: 1,
      error: { code: 'STEP_STATUS_UNKNOWN', message: expect.stringContaining('Step 2 ("order", click)') },
    });
    const asking = plan([order, extract], { checkpoints: [checkpoint(0, 'running')] });
    const uncertainStep = asking.kind === 'resume' ? asking.uncertainStep : null;
    expect(uncertainStep && recoveryQuestion(uncertainStep, positionsOf([order, extract]))).toEqual({
      step: 0,
      id: 'order',
      reason:
        'Step 1 (Click “Order”) may have run before the worker was lost. It is not repeated automatically. The surface is at the last safe point: before you continue, take control and restore the state after the step.',
      choices: [
        { choice: 'continue', title: 'Treat the step as done and continue with step 2: Read value h1' },
        { choice: 'retry', title: 'Run the step again' },
        { choice: 'fail', title: 'End the run as failed' },
      ],
    });
  });
});
