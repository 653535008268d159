import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { backoffMs, jitteredMs, retry } from './backoff.ts';
import {
  delayWithin,
  holdsWithin,
  limitDeadline,
  linkAbort,
  newDeadline,
  poll,
  raceAbort,
  raceDeadline,
  remainingMs,
  settlesWithin,
  waitWithGrace,
  withDeadline,
  withTimeout,
} from './deadlines.ts';
import { sleep, systemTimers, WakeableTimer } from './timers.ts';

const never = new Promise<never>(() => undefined);
const stopError = new Error('stopped');

/** Follows a promise. */
function follow<Value>(promise: Promise<Value>) {
  const outcome: { value?: Value; error?: unknown } = {};
  promise.then(
    (value) => (outcome.value = value),
    (error: unknown) => (outcome.error = error),
  );
  return outcome;
}

describe('timers', () => {
  it('delays, and rejects with the reason of the signal', async () => {
    const timers = new ManualTimers();
    const stop = new AbortController();
    const [first, second] = [follow(timers.delay(100).then(() => 'done')), follow(timers.delay(100, stop.signal))];
    await timers.advance(99);
    expect(first).toEqual({});
    stop.abort(stopError);
    await timers.advance(1);
    expect([first, second]).toEqual([{ value: 'done' }, { error: stopError }]);
    await expect(timers.delay(1, stop.signal)).rejects.toBe(stopError);
    await expect(systemTimers.delay(1, stop.signal)).rejects.toBe(stopError);
    expect(timers.delays).toEqual([]);
  });

  it('sleeps until the signal aborts, without an error', async () => {
    const timers = new ManualTimers();
    const stop = new AbortController();
    const result = follow(sleep(100, stop.signal, timers).then(() => 'awake'));
    stop.abort(stopError);
    await timers.advance(0);
    expect(result).toEqual({ value: 'awake' });
  });

  it('remembers a wake between two waits', async () => {
    const timers = new ManualTimers();
    const timer = new WakeableTimer(timers);
    const { signal } = new AbortController();
    timer.wake();
    await timer.wait(1_000, signal);
    const next = follow(timer.wait(1_000, signal).then(() => 'over'));
    await timers.advance(999);
    expect(next).toEqual({});
    timer.wake();
    await timers.advance(0);
    expect(next).toEqual({ value: 'over' });
  });

  it('repeats an interval until it is cleared', async () => {
    const timers = new ManualTimers();
    const times: number[] = [];
    const timer = timers.setInterval(() => times.push(timers.monotonic()), 10);
    await timers.advance(35);
    timers.clearInterval(timer);
    await timers.advance(100);
    expect(times).toEqual([10, 20, 30]);
  });
});

describe('backoff', () => {
  const backoff = { firstMs: 100, maxMs: 1_000 };

  it.each([
    [1, 100],
    [2, 200],
    [4, 800],
    [5, 1_000],
    [500, 1_000],
  ])('after %d failures it is %d ms', (failures, ms) => expect(backoffMs(backoff, failures)).toBe(ms));

  it.each([
    [0.5, 0, 50],
    [0.5, 1, 100],
    [1, 0, 0],
    [1, 0.25, 25],
  ])('with the jitter %d and the random number %d it is %d ms', (jitter, random, ms) =>
    expect(backoffMs({ ...backoff, jitter }, 1, () => random)).toBe(ms),
  );

  it('spreads an interval in both directions', () =>
    expect([0, 0.5, 1].map((random) => jitteredMs(1_000, 0.1, () => random))).toEqual([900, 1_000, 1_100]));

  it('retries until the call succeeds', async () => {
    const timers = new ManualTimers();
    const times: number[] = [];
    const result = follow(
      retry(
        async ({ failures }) => {
          times.push(timers.monotonic());
          if (failures < 3) throw new Error(`failure ${failures}`);
          return 'done';
        },
        { backoff, timers, isRetryable: (_, { delayMs }) => delayMs < 1_000 },
      ),
    );
    await timers.advance(10_000);
    expect([result, times]).toEqual([{ value: 'done' }, [0, 100, 300, 700]]);
  });

  it('throws errors that are not retryable, and the reason of the signal', async () => {
    const timers = new ManualTimers();
    const refused = new Error('refused');
    const call = () => Promise.reject(refused);
    await expect(retry(call, { backoff, timers, isRetryable: () => false })).rejects.toBe(refused);
    const stop = new AbortController();
    const result = follow(retry(call, { backoff, timers, signal: stop.signal, isRetryable: () => true }));
    await timers.advance(150);
    stop.abort(stopError);
    await timers.advance(0);
    expect(result).toEqual({ error: stopError });
  });
});

describe('deadlines', () => {
  const openSignal = () => new AbortController().signal;

  it('times out with the error of the caller', async () => {
    const timers = new ManualTimers();
    const error = new Error('late');
    const results = [
      follow(withTimeout(never, 50, { timers })),
      follow(withTimeout(never, 50, { timers, error: () => error })),
      follow(withTimeout(Promise.resolve('early'), 50, { timers })),
    ];
    await timers.advance(50);
    expect(results).toEqual([
      { error: expect.objectContaining({ name: 'TimeoutError' }) },
      { error },
      { value: 'early' },
    ]);
    expect(timers.delays).toEqual([]);
  });

  it('aborts the work at its deadline or with the signal', async () => {
    const timers = new ManualTimers();
    const stop = new AbortController();
    const reasons: unknown[] = [];
    const work = (signal: AbortSignal) => {
      linkAbort(signal, (reason) => reasons.push(reason));
      return never;
    };
    const lateError = new Error('late');
    const results = [
      follow(withDeadline(50, openSignal(), work, { timers, error: () => lateError })),
      follow(withDeadline(500, stop.signal, work, { timers })),
    ];
    await timers.advance(50);
    stop.abort(stopError);
    await timers.advance(0);
    expect([results, reasons]).toEqual([
      [{ error: lateError }, { error: stopError }],
      [lateError, stopError],
    ]);
    await expect(raceAbort(never, stop.signal)).rejects.toBe(stopError);
  });

  it('ends a wait at the deadline of its context', async () => {
    const timers = new ManualTimers();
    const context = { signal: openSignal(), deadline: 100 };
    const raced = follow(raceDeadline(never, context, 'The click', timers));
    const delayed = follow(delayWithin(1_000, context, timers).then(() => timers.monotonic()));
    const polled = follow(
      poll(async () => undefined, context, { timers }).then((value) => [value, timers.monotonic()]),
    );
    await timers.advance(100);
    expect([raced, delayed, polled]).toEqual([
      {
        error: expect.objectContaining({
          code: 'STEP_TIMED_OUT',
          message: expect.stringMatching(/^The click did not/),
        }),
      },
      { value: 100 },
      { value: [undefined, 100] },
    ]);
  });

  it('measures the deadline with the timers of its context', async () => {
    const timers = new ManualTimers();
    await timers.advance(1_000);
    const context = { signal: openSignal(), deadline: 1_100, timers };
    const limited = limitDeadline(context, 40);
    const renewed = newDeadline(limited, 500);
    expect([context, limited, renewed].map((each) => [remainingMs(each), each.timers])).toEqual([
      [100, timers],
      [40, timers],
      [500, timers],
    ]);
    const raced = follow(raceDeadline(never, limited, 'The click'));
    const delayed = follow(delayWithin(1_000, limited).then(() => timers.monotonic()));
    const polled = follow(poll(async () => undefined, renewed).then(() => timers.monotonic()));
    await timers.advance(500);
    expect([raced, delayed, polled]).toEqual([
      { error: expect.objectContaining({ code: 'STEP_TIMED_OUT' }) },
      { value: 1_040 },
      { value: 1_500 },
    ]);
  });

  it('probes until there is a value', async () => {
    const timers = new ManualTimers();
    const times: number[] = [];
    const probe = async () => (times.push(timers.monotonic()) === 4 ? 'found' : undefined);
    const result = follow(poll(probe, { signal: openSignal(), deadline: 1_000 }, { timers, everyMs: [10, 50] }));
    const holds = [
      follow(holdsWithin(() => timers.monotonic() >= 100, 1_000, 25, timers)),
      follow(holdsWithin(() => false, 60, 25, timers)),
    ];
    await timers.advance(1_000);
    expect([result, times, holds]).toEqual([{ value: 'found' }, [0, 10, 60, 110], [{ value: true }, { value: false }]]);
  });

  it('returns whether a promise settles in time', async () => {
    const timers = new ManualTimers();
    const results = [Promise.reject(stopError), Promise.resolve(), never].map((promise) =>
      follow(settlesWithin(promise, 50, timers)),
    );
    await timers.advance(50);
    expect(results).toEqual([{ value: true }, { value: true }, { value: false }]);
  });

  it('waits for aborted work within the grace period', async () => {
    const timers = new ManualTimers();
    const stop = new AbortController();
    const lostError = new Error('lost');
    const ends = Promise.withResolvers<string>();
    const results = [ends.promise, never].map((work) =>
      follow(waitWithGrace(work, stop.signal, { graceMs: 100, timers, error: () => lostError })),
    );
    await timers.advance(1_000);
    stop.abort(stopError);
    await timers.advance(99);
    ends.resolve('cleaned up');
    await timers.advance(1);
    expect(results).toEqual([{ value: 'cleaned up' }, { error: lostError }]);
  });
});
