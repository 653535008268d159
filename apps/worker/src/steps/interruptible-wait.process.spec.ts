import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import { NullSurfaceHost } from '../surface/null.surface.ts';
import { WorkerHarness } from '../testing/worker-harness.fixture.ts';
import type { OperatorInterruption } from '../context/attempt-context.ts';
import { runInterruptibly } from './interruptible-wait.ts';

describe('a step that only waits', () => {
  const clockAt = (now: { ms: number }) => ({ monotonic: () => now.ms, now: () => new Date(now.ms) });
  const scopeWith = (now: { ms: number }, interruption: OperatorInterruption | null) => ({
    interruption,
    clock: clockAt(now),
    signal: new AbortController().signal,
  });
  /** Waits forever, unless it is stopped. */
  const waitForAbort = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

  test('stops when a person takes control, and continues for the rest of its time', async () => {
    const now = { ms: 0 };
    const lasts: number[] = [];
    const yields: number[] = [];
    let takeControl = () => {};
    const scope = scopeWith(now, {
      onControlTaken: (stop) => {
        takeControl = stop;
        return () => {};
      },
      yieldToOperator: async (remainingMs) => void yields.push(remainingMs),
    });
    const result = runInterruptibly(10_000, scope, (ms, { signal: abortSignal }) => {
      lasts.push(ms);
      if (lasts.length === 3) return Promise.resolve('done');
      now.ms += lasts.length === 1 ? 4_000 : 5_900;
      const waiting = waitForAbort(abortSignal);
      takeControl();
      return waiting;
    });
    expect(await result).toBe('done');
    // Manual input may have satisfied the condition.
    expect(lasts).toEqual([10_000, 6_000, 1_000]);
    expect(yields).toEqual([6_000, 1_000]);
  });

  test('ends with its attempt, and is not interrupted where manual control is unavailable', async () => {
    const controller = new AbortController();
    const scope = {
      ...scopeWith({ ms: 0 }, { onControlTaken: () => () => {}, yieldToOperator: async () => {} }),
      signal: controller.signal,
    };
    const waiting = runInterruptibly(10_000, scope, (_, { signal: abortSignal }) => waitForAbort(abortSignal));
    controller.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
    expect(await runInterruptibly(10, scopeWith({ ms: 0 }, null), async (ms) => ms)).toBe(10);
  });
});

describe('a step with a long wait', () => {
  let attempts: WorkerHarness;
  beforeEach(async () => (attempts = await WorkerHarness.start(new NullSurfaceHost({}))));
  afterEach(() => attempts.stop());

  const sendControl = ({ run }: Assignment, token: number, validMs: number) =>
    attempts.gateway.broadcast({
      type: 'control.input',
      run,
      epoch: 1,
      token,
      operator: 'Ada',
      validMs,
      sequence: 0,
      inputs: [],
    });
  const logged = (run: Assignment) => attempts.events(run, 'run.log').map(({ message }) => message);

  test.each([
    ['wait', { action: 'wait', seconds: 300 } as const],
    ['waitFor', { action: 'waitFor', condition: { text: 'never' }, timeout: 300 } as const],
    ['checkCondition', { action: 'checkCondition', condition: { text: 'never' }, timeout: 300 } as const],
  ])('yields control at once, each time it is taken, and continues to wait: %s', async (action, step) => {
    const { gateway } = attempts;
    const run = attempts.assign({ steps: [step] });
    await gateway.until(() => attempts.events(run, 'step.started').length === 1);
    for (const token of [1, 2]) {
      sendControl(run, token, 60_000);
      expect(await attempts.question(token)).toMatchObject({
        step: 0,
        controlToken: token,
        reason: 'Ada has control',
      });
      sendControl(run, token, 0);
      const answer = { step: 0, controlToken: token, choice: 'continue' as const, answeredBy: 'Ada' };
      gateway.broadcast({ type: 'question.answered', run: run.run, epoch: 1, answer });
      await gateway.until(() => logged(run).length === 2 * token, 'it waits on');
    }
    expect(logged(run)).toEqual([
      expect.stringMatching(/^Step 1 .* stopped waiting: Ada has control\. (?:2\d\d|300) s left$/),
      expect.stringMatching(/^Step 1 .* continues to wait, (?:2\d\d|300) s left$/),
      expect.stringContaining('stopped waiting'),
      expect.stringContaining('continues to wait'),
    ]);
    expect(attempts.events(run, 'step.started').map(({ data }) => data['action'])).toEqual([action]);
    gateway.broadcast({ type: 'cancel', run: run.run, epoch: 1 });
    expect(await attempts.waitForOutcome(run)).toEqual({ status: 'cancelled' });
  });
});
