import { ManualTimers } from '@pilothouse/testing/manual-timers';
import type { ActionContext } from '../action-context.ts';
import { wait } from './wait.actions.ts';

/** Starts a wait in a step with this much time. */
function start(seconds: number, stepMs: number) {
  const timers = new ManualTimers();
  const stop = new AbortController();
  const ctx = { signal: stop.signal, deadline: stepMs, timers } as unknown as ActionContext;
  const outcome: { endedAt?: number; error?: unknown } = {};
  wait(ctx, { action: 'wait', seconds }).then(
    () => (outcome.endedAt = timers.monotonic()),
    (error: unknown) => (outcome.error = error),
  );
  return { timers, stop, outcome };
}

it('lasts as long as requested', async () => {
  const { timers, outcome } = start(0.2, 10_000);
  await timers.advance(199);
  expect(outcome).toEqual({});
  await timers.advance(1);
  expect(outcome).toEqual({ endedAt: 200 });
});

it('fails at the deadline of the step if the step has less time', async () => {
  const { timers, outcome } = start(60, 300);
  await timers.advance(299);
  expect(outcome).toEqual({});
  await timers.advance(1);
  expect(outcome.error).toMatchObject({ code: 'STEP_TIMED_OUT', message: expect.stringContaining('60 s') });
});

it('stops with the signal', async () => {
  const { timers, stop, outcome } = start(60, 90_000);
  stop.abort(new Error('enough'));
  await timers.advance(0);
  expect(outcome.error).toEqual(new Error('enough'));
});
