import type { RunAnswer, Checkpoint, Step, StepStatus } from '@pilothouse/contract';
import type { StepPosition } from '../interpreter/interpreter-state.ts';
import {
  recoveryQuestion,
  stepsNotToRepeat,
  planRecovery,
  type UncertainStep,
  type PreviousAttempts,
} from './run-recovery.ts';

const look: Step = { action: 'extract', target: { css: 'h1' }, value: {} };
const click: Step = { action: 'click', target: { text: 'Next' } };
const order: Step = { action: 'click', id: 'order', target: { text: 'Order' }, idempotent: false };
const get: Step = { action: 'http', url: 'https://api.test' };
const post: Step = { ...get, method: 'POST' };
const at = (step: number, status: StepStatus, verifiable = false): Checkpoint => ({
  step,
  status,
  epoch: 1,
  value: null,
  verifiable: verifiable,
});
const placesOf = (steps: readonly Step[]): StepPosition[] =>
  steps.map((step, number) => ({ number, path: String(number + 1), step }));
const plan = (steps: Step[], left: Partial<PreviousAttempts>, onWorkerLost?: 'resume' | 'restart' | 'fail') =>
  planRecovery({ places: placesOf(steps), onWorkerLost }, { checkpoints: [], safePoint: null, answer: null, ...left });

/** Where an attempt goes on, and what is in doubt: `from`, `from+restored`, with the step, whether it is looked at, what is done otherwise. */
function words(of: ReturnType<typeof plan>): string {
  if (of.kind !== 'go-on') return of.kind;
  const { from, restore, uncertainStep: doubt } = of;
  const begin = `${from}${restore ? '+restored' : ''}`;
  const said = ({ verify, step, otherwise, earlier }: UncertainStep): string =>
    `${verify ? 'verify ' : ''}${step} or ${otherwise}${earlier ? `, then ${said(earlier)}` : ''}`;
  return doubt ? `${begin} ${said(doubt)}` : begin;
}

describe('how an attempt begins', () => {
  test.each<[string, Step[], Checkpoint[], number | null, string]>([
    ['first attempt', [click], [], null, 'start'],
    ['the former one only looked at the list', [order], [at(0, 'pending')], null, 'start'],
    ['a skipped step is done', [order, click], [at(0, 'skipped')], null, '0'],
    ['idempotent steps happened', [click, look], [at(0, 'completed'), at(1, 'running')], null, '0 1 or retry'],
    [
      'at the safe point before them',
      [click, look],
      [at(0, 'completed'), at(1, 'running')],
      1,
      '1+restored 1 or retry',
    ],
    ['the state is newer than the step at work', [click, look], [at(0, 'completed')], 1, '1+restored'],
    ['what it leads to may be seen', [click], [at(0, 'running', true)], 0, '0+restored verify 0 or retry'],
    ['nothing is seen on a blank surface', [click], [at(0, 'running', true)], null, '0 0 or retry'],
    ['a request may be sent again', [get], [at(0, 'running')], null, '0 0 or retry'],
    ['one that may do something may not', [post], [at(0, 'running')], null, '0 0 or ask'],
    ['unless it says so', [{ ...post, idempotent: true }], [at(0, 'running')], null, '0 0 or retry'],
    ['or says what else', [{ ...post, onInterrupted: 'fail' }], [at(0, 'running')], null, 'fail'],
    ['one that was answered is done', [post, click], [at(0, 'completed'), at(1, 'running')], null, '0 1 or retry'],
    ['a step waits for its next attempt', [click, order], [at(0, 'completed'), at(1, 'retrying')], 1, '1+restored'],
    ['so does the first one', [order], [at(0, 'retrying')], null, '0'],
    ['the order comes later', [click, order], [at(0, 'completed')], null, '0'],
    ['the order may have happened', [click, order], [at(0, 'completed'), at(1, 'running')], 1, '1+restored 1 or ask'],
    ['and it may be seen', [click, order], [at(1, 'running', true)], 0, '0+restored verify 1 or ask'],
    [
      'the order happened, the page is lost',
      [order, look],
      [at(0, 'completed'), at(1, 'running')],
      0,
      '0+restored 0 or ask',
    ],
    [
      'the order happened, the page is kept',
      [order, look],
      [at(0, 'completed'), at(1, 'running')],
      1,
      '1+restored 1 or retry',
    ],
    ['the order failed half-way', [order], [at(0, 'failed')], null, '0 0 or ask'],
    ['half an order, to be repeated', [{ ...order, onInterrupted: 'rerun' }], [at(0, 'running')], null, '0 0 or retry'],
    [
      'a whole order is repeated by nobody alone',
      [{ ...order, onInterrupted: 'rerun' }],
      [at(0, 'completed')],
      null,
      '0 0 or ask',
    ],
    ['half a click that wants to fail', [{ ...click, onInterrupted: 'fail' }], [at(0, 'running')], null, 'fail'],
    [
      'half a click that wants to be asked about',
      [{ ...click, onInterrupted: 'ask' }],
      [at(0, 'running', true)],
      0,
      '0+restored 0 or ask',
    ],
    ['a whole click that would have asked', [{ ...click, onInterrupted: 'ask' }], [at(0, 'completed')], null, '0'],
    ['a step that is not there', [click], [at(7, 'running')], null, '0 7 or ask'],
  ])('%s', (_, steps, checkpoints, saved, expected) => {
    expect(words(plan(steps, { checkpoints, safePoint: saved === null ? null : { step: saved } }))).toBe(expected);
  });

  // The order happened, its page is lost, and a click after it was at work.
  test.each<[string, Step['onInterrupted'], Step['onInterrupted'], boolean, number | null, string]>([
    ['a click without a policy leaves it to the order', undefined, undefined, true, 0, '0+restored verify 0 or ask'],
    ['as does one that is to be repeated', undefined, 'rerun', true, 0, '0+restored verify 0 or ask'],
    ['one that wants to fail ends all', undefined, 'fail', true, 0, 'fail'],
    ['also on a blank surface', undefined, 'fail', true, null, 'fail'],
    ['whatever the order wants', 'ask', 'fail', true, 0, 'fail'],
    ['a click asks first', undefined, 'ask', true, 0, '0+restored 1 or ask, then verify 0 or ask'],
    ['before the order fails', 'fail', 'ask', true, 0, '0+restored 1 or ask, then 0 or fail'],
    ['what a click led to is not looked for on the page before the order', 'fail', 'verify', true, 0, 'fail'],
    ['but what the order led to is', undefined, 'verify', true, 0, '0+restored verify 0 or ask'],
    ['nothing of the order is done again behind it', undefined, 'fail', true, 1, 'fail'],
  ])('an order that happened, and a click at work: %s', (_, ofOrder, ofClick, verifiable, saved, expected) => {
    const steps = [
      { ...order, ...(ofOrder && { onInterrupted: ofOrder }) },
      { ...click, ...(ofClick && { onInterrupted: ofClick }) },
    ] as Step[];
    const left = { checkpoints: [at(0, 'completed', true), at(1, 'running', verifiable)] };
    expect(words(plan(steps, { ...left, safePoint: saved === null ? null : { step: saved } }))).toBe(expected);
  });

  test.each([
    ['what it is asked of the click', 1, 'continue', '0+restored 1 or continue, then 0 or ask'],
    ['that it is to be done', 1, 'retry', '0+restored 1 or retry, then 0 or ask'],
    ['what it is asked of the order afterwards', 0, 'continue', '0+restored 0 or continue'],
    ['that the order is to be done once more', 0, 'retry', '0+restored 0 or retry'],
  ] as const)('a person says %s', (_, step, choice, expected) => {
    const left = { checkpoints: [at(0, 'completed'), at(1, 'running')], safePoint: { step: 0 } };
    const answer = { step, choice, answeredBy: 'Ada' };
    expect(words(plan([order, { ...click, onInterrupted: 'ask' }], { ...left, answer }))).toBe(expected);
  });

  test.each([
    ['continue', '0+restored 1 or continue'],
    ['retry', '0+restored 1 or retry'],
    ['fail', '0+restored 1 or fail'],
  ] as const)('a person said %s', (choice, expected) => {
    const left = { checkpoints: [at(0, 'completed'), at(1, 'running', true)], safePoint: { step: 0 } };
    expect(words(plan([click, order], { ...left, answer: { step: 1, choice, answeredBy: 'Ada' } }))).toBe(expected);
    const other = plan([click, order], { ...left, answer: { step: 0, choice, answeredBy: 'Ada' } });
    expect(words(other)).toBe('0+restored verify 1 or ask');
  });

  test.each([
    ['continue', 'retry'],
    ['fail', 'retry'],
    // Nobody knows how far the worker came with that.
    ['retry', 'ask'],
  ] as const)(
    'a person said %s where its element was looked for: that is for the step to obey',
    (choice, otherwise) => {
      const left = { checkpoints: [at(0, 'completed'), at(1, 'running', true)], safePoint: { step: 0 } };
      const of = plan([click, order], {
        ...left,
        answer: { step: 1, questionNumber: 1, acceptsTarget: true, choice, answeredBy: 'Ada' },
      });
      expect(of).toMatchObject({ uncertainStep: { step: 1, otherwise } });
      const allowed = plan([click, order], {
        ...left,
        answer: { step: 1, questionNumber: 1, choice, answeredBy: 'Ada' },
      });
      expect(allowed).toMatchObject({ uncertainStep: { step: 1, otherwise: 'ask' } });
    },
  );

  test('a person answered something else about a step that wants to fail: it is asked about, and ends nothing unheard', () => {
    const steps = [order, { ...click, onInterrupted: 'fail' as const }];
    const left = { checkpoints: [at(0, 'completed'), at(1, 'running')], safePoint: { step: 0 } };
    for (const points of [{ acceptsTarget: true as const }, {}]) {
      const answer = { step: 1, questionNumber: 1, choice: 'retry' as const, answeredBy: 'Ada', ...points };
      expect(words(plan(steps, { ...left, answer }))).toBe('0+restored 1 or ask, then 0 or ask');
    }
    expect(words(plan(steps, left))).toBe('fail');
  });

  test.each([
    ['continue', '0+restored 1 or continue'],
    ['retry', '0+restored 1 or retry'],
    ['fail', '0+restored 1 or fail'],
  ] as const)('and says %s to that: so it is done, by every attempt that comes to it', (choice, expected) => {
    const left = { checkpoints: [at(0, 'completed'), at(1, 'running')], safePoint: { step: 0 } };
    const answer = { step: 1, choice, answeredBy: 'Ada' };
    for (const steps of [
      [click, { ...click, onInterrupted: 'fail' as const }],
      [click, { ...order, onInterrupted: 'fail' as const }],
    ])
      expect(words(plan(steps, { ...left, answer }))).toBe(expected);
    const behindAnOrder = plan([order, { ...click, onInterrupted: 'fail' }], { ...left, answer });
    expect(words(behindAnOrder)).toBe(`${expected}, then 0 or ask`);
    const ofAnOther = plan([click, { ...click, onInterrupted: 'fail' }], { ...left, answer: { ...answer, step: 0 } });
    expect(words(ofAnOther)).toBe('fail');
  });

  test('a person answered about a step with that number on another path: nothing is said of this one', () => {
    const checkpoints = [at(0, 'completed'), at(1, 'running')];
    const said = (answer: Partial<RunAnswer>) =>
      words(
        plan([click, order], { checkpoints, answer: { step: 1, choice: 'continue', answeredBy: 'Ada', ...answer } }),
      );
    expect(said({ path: '2' })).toBe('0 1 or continue');
    expect(said({ path: '1/1' })).toBe('0 1 or ask');
    expect(said({ path: '2', questionNumber: 1, acceptsTarget: true })).toBe('0 1 or retry');
    expect(said({ path: '1/1', questionNumber: 1, acceptsTarget: true })).toBe('0 1 or ask');
  });

  test('a workflow may want to begin again, or no second attempt', () => {
    const left = { checkpoints: [at(0, 'completed'), at(1, 'running', true)], safePoint: { step: 1 } };
    expect(words(plan([click, look], left, 'restart'))).toBe('0 1 or retry');
    expect(plan([click, look], left, 'fail')).toMatchObject({ kind: 'fail', step: 1, error: { code: 'WORKER_LOST' } });
    expect(plan([click], {}, 'fail').kind).toBe('start');
  });

  test('what must not be repeated and did happen is not done again with the steps around it', () => {
    const steps = [order, click, { ...order, id: 'second' }, click];
    const checkpoints = [at(0, 'completed'), at(1, 'completed'), at(2, 'completed'), at(3, 'skipped')];
    const places = placesOf(steps);
    expect([...stepsNotToRepeat(places, checkpoints, { step: 2 })]).toEqual([0, 3]);
    expect([...stepsNotToRepeat(places, checkpoints, null)]).toEqual([0, 2, 3]);
  });

  test('says which step nobody knows about', () => {
    const failing = plan([click, { ...order, onInterrupted: 'fail' }], {
      checkpoints: [at(1, 'running'), at(0, 'completed')],
    });
    expect(failing).toMatchObject({
      step: 1,
      error: { code: 'STEP_STATUS_UNKNOWN', message: expect.stringContaining('Step 2 ("order", click)') },
    });
    const asking = plan([order, look], { checkpoints: [at(0, 'running')] });
    const doubt = asking.kind === 'go-on' ? asking.uncertainStep : null;
    expect(doubt && recoveryQuestion(doubt, placesOf([order, look]))).toEqual({
      step: 0,
      id: 'order',
      reason: 'Step 1 (Click “Order”) may have happened before the worker was lost, and must not simply be repeated',
      choices: [
        { choice: 'continue', title: 'It happened: go on with step 2: Read value h1' },
        { choice: 'retry', title: 'It did not happen: do it' },
        { choice: 'fail', title: 'End the run as failed' },
      ],
    });
  });
});
