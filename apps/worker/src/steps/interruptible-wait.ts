import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { linkAbort } from '@pilothouse/core/time/deadlines';
import type { OperatorInterruption } from '../context/attempt-context.ts';

/** Minimum remaining time after control is released: the operator may have satisfied the condition. */
const MIN_REMAINING_MS = 1_000;

interface WaitScope {
  readonly interruption: OperatorInterruption | null;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Aborts when the attempt ends. */
  readonly signal: AbortSignal;
}

/** Reason of the abort when a person takes control. */
const CONTROL_TAKEN = new Error('A person took control');

/**
 * Runs a step that only waits. When a person takes control, the wait stops at once. The rest of its time continues after control is
 * released.
 * @param ms total milliseconds
 * @param wait waits for the given milliseconds, with a scope whose signal aborts earlier
 * @throws as `wait`
 */
export async function runInterruptibly<Scope extends WaitScope, Value>(
  ms: number,
  scope: Scope,
  wait: (ms: number, scope: Scope) => Promise<Value>,
): Promise<Value> {
  const { interruption, clock, signal } = scope;
  if (!interruption) return wait(ms, scope);
  for (let remainingMs = ms; ;) {
    const startedAt = clock.monotonic();
    const controller = new AbortController();
    const unlink = linkAbort(signal, (reason) => controller.abort(reason));
    const removeCallback = interruption.onControlTaken(() => controller.abort(CONTROL_TAKEN));
    try {
      return await wait(remainingMs, { ...scope, signal: controller.signal });
    } catch (thrown) {
      if (thrown !== CONTROL_TAKEN) throw thrown;
    } finally {
      removeCallback();
      unlink();
    }
    remainingMs = Math.max(MIN_REMAINING_MS, remainingMs - (clock.monotonic() - startedAt));
    await interruption.yieldToOperator(remainingMs);
  }
}
