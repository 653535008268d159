import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { raceDeadline, remainingMs, poll, type Deadline } from '@pilothouse/core/time/deadlines';
import { clipboardUse } from './clipboard/run-clipboard.ts';
import { playwrightMessage } from './playwright-errors.ts';
import { waitForTarget } from './targeting/locate-element.ts';
import { focusedElement } from './targeting/pointed-element.ts';
import type { ElementRef } from './pages/element-ref.ts';
import { NO_TARGET, withDeadline, type ActionContext, type ActionHandler } from './action-context.ts';
import { elementFunction } from './injected/evaluate-functions.ts';

/** Timeout for Playwright's own call. `raceDeadline` enforces the deadline in any case. */
export const playwrightTimeout = (ctx: ActionContext) => Math.max(1, remainingMs(ctx));

/**
 * Sends input and checks the guard in the same tick. Input that closes its own page counts as delivered.
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

const focusElement = elementFunction((element: Element) => {
  if (element instanceof HTMLElement || element instanceof SVGElement) element.focus();
});

/** Focuses an element as a person does with the Tab key. */
export const focus = (ctx: ActionContext, element: ElementRef) =>
  evaluateOn(ctx, element, focusElement, undefined, 'The focus');

/** Keys that move the focus or the caret, and neither submit nor change a field. */
const isMovementKey = (key: string) => /^(?:Shift\+)?(?:Tab|Home|End|PageUp|PageDown|Arrow\w+)$/.test(key);

/** Reads the fields again that a key may submit. Later changes are effects of the key. */
async function restoreFields(ctx: ActionContext, keepsFocus: boolean): Promise<void> {
  if (ctx.entered.isEmpty) return;
  const focused = keepsFocus ? await raceDeadline(focusedElement(ctx.page), ctx, 'The focus') : null;
  if ((await ctx.entered.restore(ctx)) && focused)
    await focus(ctx, focused.ref).catch(() => ctx.signal.throwIfAborted());
  ctx.entered.forget();
}

/** Presses a key or chord on the focused element or on a target. */
export const press: ActionHandler<'press'> = async (ctx, { key, target, times = 1 }) => {
  const match = target ? await waitForTarget(ctx, target, 'input') : null;
  if (!match) await ctx.waitUntilSettled();
  if (!isMovementKey(key)) await restoreFields(ctx, match === null);
  if (match) await focus(ctx, match.ref);
  try {
    const use = clipboardUse(key);
    const press = async (input: () => Promise<void>, { deadline }: Deadline) => {
      const limited = withDeadline(ctx, deadline);
      for (let time = 0; time < times; time += 1) await sendInput(limited, `The key ${key}`, input);
    };
    const { page } = ctx;
    if (use) await ctx.clipboard.press(page, key, use, press, ctx);
    else await press(() => page.keyboard.press(key), ctx);
  } catch (error) {
    ctx.signal.throwIfAborted();
    if (error instanceof PilothouseError) throw error;
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `The key "${key}" cannot be pressed: ${playwrightMessage(error)}; use a name such as Enter, ArrowDown, a or Control+A`,
    );
  }
  return match ? { located: match.located } : NO_TARGET;
};
