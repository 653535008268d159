import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { raceDeadline, remainingMs, poll } from '@pilothouse/core/time/deadlines';
import type { ElementRef } from './pages/element-ref.ts';
import type { ActionContext } from './action-context.ts';

/** Timeout for Playwright's own call. `raceDeadline` enforces the deadline in any case. */
export const playwrightTimeout = (ctx: ActionContext) => Math.max(1, remainingMs(ctx));

/**
 * Sends input and checks the guard in the same tick. Input that closes its own page counts as received.
 * @param subject begins the error message of a timeout
 * @param isBlocked returns, after the input was sent, whether the page stopped all of it
 * @throws PilothouseError STEP_TIMED_OUT, also if the deadline had passed and nothing was sent
 */
export async function sendInput<Value>(
  ctx: ActionContext,
  subject: string,
  input: () => Promise<Value>,
  isBlocked?: () => Promise<boolean>,
): Promise<void> {
  const { page } = ctx;
  ctx.guard();
  if (remainingMs(ctx) === 0)
    throw new PilothouseError('STEP_TIMED_OUT', `${subject} was not sent: the time of the step was over before`);
  try {
    await raceDeadline(input(), ctx, subject);
  } catch (error) {
    ctx.signal.throwIfAborted();
    if (!page.isClosed()) throw error;
  }
  if (await isBlocked?.()) ctx.inputBlocked();
  else ctx.inputSent();
}

/**
 * Runs code on the element of a locator and retries while the page replaces that element.
 * @param subject begins the error message of a timeout
 */
export async function evaluateOn<Argument, Result>(
  ctx: ActionContext,
  element: ElementRef,
  run: (elements: Element[], argument: Argument) => { value: Result } | null,
  argument: Argument,
  subject: string,
): Promise<Result> {
  const evaluate = () => raceDeadline(element.evaluateAll(run, argument), ctx, subject);
  const result = await poll(async () => (await evaluate()) ?? undefined, ctx);
  if (!result) throw new PilothouseError('STEP_TIMED_OUT', `${subject} did not end within the time of the step`);
  return result.value as Result;
}
