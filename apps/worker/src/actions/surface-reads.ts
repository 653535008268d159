import type { Condition } from '@pilothouse/contract/actions/condition.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Context } from '@pilothouse/core/ports/runtime.port';
import type { Anchors, Surface } from '@pilothouse/core/ports/surface.port';
import { linkAbort, waitWithGrace } from '@pilothouse/core/time/deadlines';
import type { Timer, Timers } from '@pilothouse/core/time/timers';
import type { ActionScope } from './action-scope.ts';

/** Milliseconds after the deadline in which a surface may still add the page to its error. */
const DEADLINE_GRACE_MS = 1_000;

/** Milliseconds in which a surface must return from an aborted call. */
const ABORT_GRACE_MS = 3_000;

/** Milliseconds to read the address and title of the page. */
const ANCHORS_MS = 2_000;

export type ReadScope = Pick<ActionScope, 'signal' | 'clock' | 'timers' | 'log'>;

/**
 * Reads from the surface. Needs no lease, but ends with the attempt and at the deadline.
 * @throws errors of `read`; the reason of the signal; PilothouseError STEP_TIMED_OUT
 */
export async function readSurface<Value>(
  deadline: number,
  { signal, clock, timers, log }: ReadScope,
  read: (context: Context) => Promise<Value>,
): Promise<Value> {
  const controller = new AbortController();
  const unlink = linkAbort(signal, (reason) => controller.abort(reason));
  const timer = startStepTimeout(controller, deadline - clock.monotonic(), timers);
  try {
    return await waitForSurface(read({ signal: controller.signal, deadline, log }), controller.signal, timers);
  } finally {
    timers.clearTimeout(timer);
    unlink();
  }
}

/** Address and title of the page; null: the surface did not return them. */
export const currentAnchors = (surface: Pick<Surface, 'anchors'>, scope: ReadScope): Promise<Anchors | null> =>
  readSurface(scope.clock.monotonic() + ANCHORS_MS, scope, (context) => surface.anchors(context)).catch(() => null);

/** Waits for a condition. @returns false: it does not hold in time, or cannot be read @throws the reason of the signal */
export async function conditionHolds(
  condition: Condition,
  timeoutMs: number,
  scope: ReadScope & Pick<ActionScope, 'surface'>,
): Promise<boolean> {
  const deadline = scope.clock.monotonic() + timeoutMs;
  const isTrue = await readSurface(deadline, scope, (context) => scope.surface.expect(condition, context)).then(
    () => true,
    () => false,
  );
  scope.signal.throwIfAborted();
  return isTrue;
}

/** Waits for a call of the surface. @throws errors of the call; PilothouseError SURFACE_LOST when it does not return after an abort */
export const waitForSurface = <Value>(call: Promise<Value>, signal: AbortSignal, timers: Timers): Promise<Value> =>
  waitWithGrace(call, signal, {
    graceMs: ABORT_GRACE_MS,
    timers,
    error: () => new PilothouseError('SURFACE_LOST', 'The surface did not return after an aborted action'),
  });

/** Aborts with STEP_TIMED_OUT after the timeout plus a grace period, in which the surface can report the failure itself. */
export function startStepTimeout(controller: AbortController, timeoutMs: number, timers: Timers): Timer {
  return timers.setTimeout(
    () => {
      const seconds = Math.max(0, Math.round(timeoutMs / 100) / 10);
      controller.abort(new PilothouseError('STEP_TIMED_OUT', `The step did not finish within ${seconds} s`));
    },
    Math.max(0, timeoutMs) + DEADLINE_GRACE_MS,
  );
}
