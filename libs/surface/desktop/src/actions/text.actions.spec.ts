import type { DesktopActionContext } from '../action-context.ts';
import { press } from './text.actions.ts';

/** A session that answers no press until the step is aborted. */
function aPress(action: { readonly times?: number; readonly holdSeconds?: number }, restMs: number) {
  const calls: [string, unknown][] = [];
  const abort = new AbortController();
  const session = {
    call: (name: string, args: unknown) => {
      calls.push([name, args]);
      if (name !== 'press') return Promise.resolve(null);
      return new Promise((_, reject) => abort.signal.addEventListener('abort', () => reject(new Error('cancelled'))));
    },
  };
  const timers = { monotonic: () => 0 };
  const screen = { waitUntilStable: () => Promise.resolve() };
  const limits = { signal: abort.signal, deadline: restMs, timers, guard: () => undefined };
  const context = { ...limits, session, screen } as unknown as DesktopActionContext;
  return { pressed: press(context, { action: 'press', key: 'Shift+A', ...action }), calls, abort };
}

test('held keys are released when the step is cancelled', async () => {
  const { pressed, calls, abort } = aPress({ holdSeconds: 4, times: 2 }, 10_000);
  const failed = expect(pressed).rejects.toThrow('cancelled');
  await Promise.resolve();
  // The wait for the application begins after the hold.
  expect(calls).toEqual([['press', expect.objectContaining({ holdMs: 4_000, times: 2, waitMs: 1_500 })]]);
  abort.abort();
  await failed;
  expect(calls.at(-1)).toEqual(['endPress', null]);
});

test('a hold that takes longer than the step is refused before a key is pressed', async () => {
  const { pressed, calls } = aPress({ holdSeconds: 4, times: 3 }, 10_000);
  await expect(pressed).rejects.toMatchObject({ code: 'STEP_TIMED_OUT', message: expect.stringContaining('12 s') });
  expect(calls).toEqual([]);
});
