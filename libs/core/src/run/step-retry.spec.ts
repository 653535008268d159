import type { Checkpoint, Step, StepRetryPolicy } from '@pilothouse/contract';
import { nextAttemptOf, retryBackoffSeconds, secondsToNextAttempt } from './step-retry.ts';

const step = (retry: StepRetryPolicy | undefined, more: Partial<Step> = {}) =>
  ({ action: 'click', target: { text: 'Order' }, retry, ...more }) as Step;

test.each([
  [{}, [1, 2, 4, 8, 16, 32, 60, 60, 60]],
  [{ backoffSeconds: 0 }, [0, 0, 0, 0, 0, 0, 0, 0, 0]],
  [{ backoffSeconds: 20 }, [20, 40, 60, 60, 60, 60, 60, 60, 60]],
])('the backoff of %j doubles up to a minute', (more, seconds) => {
  expect(seconds.map((_, index) => retryBackoffSeconds({ maxAttempts: 10, ...more }, index + 1))).toEqual(seconds);
});

describe('whether a step is attempted again', () => {
  const policy = { maxAttempts: 3, backoffSeconds: 1 };
  test.each([
    ['without a policy', undefined, 'TARGET_NOT_ACTIONABLE', 1, null],
    ['after an error whose cause may go away', policy, 'TARGET_NOT_ACTIONABLE', 1, 1],
    ['after the second attempt', policy, 'TARGET_NOT_ACTIONABLE', 2, 2],
    ['after the last attempt', policy, 'TARGET_NOT_ACTIONABLE', 3, null],
    ['after an error of the workflow', policy, 'TEMPLATE_INVALID', 1, null],
    ['after an error that has to be listed', policy, 'GOAL_FAILED', 1, null],
    ['after an error that is listed', { ...policy, on: ['GOAL_FAILED' as const] }, 'GOAL_FAILED', 1, 1],
    [
      'after an error that is not listed',
      { ...policy, on: ['GOAL_FAILED' as const] },
      'TARGET_NOT_ACTIONABLE',
      1,
      null,
    ],
  ] as const)('%s', (_when, retry, code, attempt, seconds) => {
    const given = retry && ({ ...retry } as StepRetryPolicy);
    expect(secondsToNextAttempt(step(given), { code, attempt, inputSent: true })).toBe(seconds);
  });

  test.each([
    [true, null],
    [false, 1],
  ])('of a step that is not idempotent, where input was sent: %s', (inputSent, seconds) => {
    const once = step(policy, { idempotent: false });
    expect(secondsToNextAttempt(once, { code: 'TARGET_NOT_ACTIONABLE', attempt: 1, inputSent })).toBe(seconds);
  });
});

/** Draws of a seeded generator, so that a failure can be repeated. */
function* draws(seed: number): Generator<number> {
  for (let state = seed; ;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state / 2_147_483_648;
  }
}

test.each(Array.from({ length: 200 }, (_, seed) => seed))(
  'seed %i: however often workers are lost, as many attempts fail as the policy allows',
  (seed) => {
    const random = draws(seed + 1);
    const draw = () => random.next().value as number;
    const maxAttempts = 2 + Math.floor(draw() * 9);
    const one = step({ maxAttempts, backoffSeconds: draw() * 60 });
    const failed: number[] = [];
    let clockMs = 0;
    /** What is durable: the row of the step, as events write it. */
    let row: Checkpoint | undefined;
    const write = (more: Pick<Checkpoint, 'status'> & Partial<Checkpoint>) =>
      (row = {
        step: 0,
        epoch: 1,
        value: null,
        verifiable: false,
        ...more,
        attempts: Math.max(row?.attempts ?? 1, more.attempts ?? 1),
      });
    for (let ended = false, losses = 0; !ended;) {
      // A worker begins.
      let { attempt, notBeforeMs } = nextAttemptOf(one, row);
      for (;;) {
        const isLost = () => losses < 50 && draw() < 0.3 && (losses += 1) > 0;
        if (notBeforeMs !== null && notBeforeMs > clockMs) {
          // Lost in the backoff.
          if (isLost()) break;
          clockMs = notBeforeMs;
        }
        // Lost before the intent is durable, or in the middle of the attempt.
        if (isLost()) break;
        write({ status: 'running', attempts: attempt });
        if (isLost()) break;
        const seconds = secondsToNextAttempt(one, { code: 'TARGET_NOT_ACTIONABLE', attempt, inputSent: false });
        failed.push(attempt);
        if (seconds === null) {
          write({ status: 'failed' });
          ended = true;
          break;
        }
        write({ status: 'retrying', attempts: attempt, failedAt: new Date(clockMs).toISOString() });
        notBeforeMs = clockMs + seconds * 1000;
        attempt += 1;
      }
    }
    expect(failed).toEqual(Array.from({ length: maxAttempts }, (_, index) => index + 1));
    expect(row?.attempts).toBe(maxAttempts);
  },
);
