import type { Checkpoint } from '@pilothouse/contract/worker/to-worker.messages';
import type { StepRetryPolicy } from '@pilothouse/contract/workflow/step-retry.schema';
import type { Step } from '@pilothouse/contract/workflow/step.schema';
import { nextAttemptOf, retryBackoffSeconds, secondsToNextAttempt } from './step-retry.ts';

const step = (retry: StepRetryPolicy | undefined, overrides: Partial<Step> = {}) =>
  ({ action: 'click', target: { text: 'Order' }, retry, ...overrides }) as Step;

test.each([
  [{}, [1, 2, 4, 8, 16, 32, 60, 60, 60]],
  [{ backoffSeconds: 0 }, [0, 0, 0, 0, 0, 0, 0, 0, 0]],
  [{ backoffSeconds: 20 }, [20, 40, 60, 60, 60, 60, 60, 60, 60]],
])('the backoff of %j doubles up to a minute', (policy, seconds) => {
  expect(seconds.map((_, index) => retryBackoffSeconds({ maxAttempts: 10, ...policy }, index + 1))).toEqual(seconds);
});

describe('retry decision of a step', () => {
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
  ] as const)('%s', (_title, retry, code, attempt, seconds) => {
    const retryPolicy = retry && ({ ...retry } as StepRetryPolicy);
    expect(secondsToNextAttempt(step(retryPolicy), { code, attempt, inputSent: true })).toBe(seconds);
  });

  test.each([
    [true, null],
    [false, 1],
  ])('of a step that is not idempotent, where input was sent: %s', (inputSent, seconds) => {
    const nonIdempotent = step(policy, { idempotent: false });
    expect(secondsToNextAttempt(nonIdempotent, { code: 'TARGET_NOT_ACTIONABLE', attempt: 1, inputSent })).toBe(seconds);
  });
});

/** Pseudo-random numbers of a seed, so that a failure is reproducible. */
function* seededRandom(seed: number): Generator<number> {
  for (let state = seed; ;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state / 2_147_483_648;
  }
}

test.each(Array.from({ length: 200 }, (_, seed) => seed))(
  'seed %i: losses of workers do not change the number of attempts',
  (seed) => {
    const random = seededRandom(seed + 1);
    const nextRandom = () => random.next().value as number;
    const maxAttempts = 2 + Math.floor(nextRandom() * 9);
    const retriedStep = step({ maxAttempts, backoffSeconds: nextRandom() * 60 });
    const failedAttempts: number[] = [];
    let clockMs = 0;
    /** The durable checkpoint of the step. */
    let row: Checkpoint | undefined;
    const write = (fields: Pick<Checkpoint, 'status'> & Partial<Checkpoint>) =>
      (row = {
        step: 0,
        epoch: 1,
        value: null,
        verifiable: false,
        ...fields,
        attempts: Math.max(row?.attempts ?? 1, fields.attempts ?? 1),
      });
    for (let isEnded = false, losses = 0; !isEnded;) {
      // A worker starts.
      let { attempt, notBeforeMs } = nextAttemptOf(retriedStep, row);
      for (;;) {
        const isLost = () => losses < 50 && nextRandom() < 0.3 && (losses += 1) > 0;
        if (notBeforeMs !== null && notBeforeMs > clockMs) {
          // Lost in the backoff.
          if (isLost()) break;
          clockMs = notBeforeMs;
        }
        // Lost before the intent is durable, or in the middle of the attempt.
        if (isLost()) break;
        write({ status: 'running', attempts: attempt });
        if (isLost()) break;
        const seconds = secondsToNextAttempt(retriedStep, { code: 'TARGET_NOT_ACTIONABLE', attempt, inputSent: false });
        failedAttempts.push(attempt);
        if (seconds === null) {
          write({ status: 'failed' });
          isEnded = true;
          break;
        }
        write({ status: 'retrying', attempts: attempt, failedAt: new Date(clockMs).toISOString() });
        notBeforeMs = clockMs + seconds * 1000;
        attempt += 1;
      }
    }
    expect(failedAttempts).toEqual(Array.from({ length: maxAttempts }, (_, index) => index + 1));
    expect(row?.attempts).toBe(maxAttempts);
  },
);
