import { PilothouseError } from '@pilothouse/contract';
import { raceDeadline, remainingMs, poll, type Deadline } from '@pilothouse/core';
import { clipboardUse } from './clipboard/run-clipboard.ts';
import { playwrightMessage } from './playwright-errors.ts';
import { waitForTarget } from './targeting/locate-element.ts';
import type { ElementRef } from './targeting/element-ref.ts';
import { NO_TARGET, withDeadline, type ActionContext, type ActionHandler } from './action-context.ts';
import { elementFunction } from './injected/evaluate-functions.ts';

/** Time for Playwright's own call, which `bounded` cuts anyway. */
export const playwrightTimeout = (hand: ActionContext) => Math.max(1, remainingMs(hand));

/**
 * Sends input, checked in the same tick. A page that its own input closes has taken it.
 * @param what begins the sentence when it does not end in time
 * @param isBlocked whether the page let none of the input through; asked after it was sent
 * @throws PilothouseError STEP_TIMED_OUT, also when the time is over before: then nothing was sent
 */
export async function sendInput<Value>(
  hand: ActionContext,
  what: string,
  input: () => Promise<Value>,
  isBlocked?: () => Promise<boolean>,
): Promise<void> {
  const { page } = hand;
  hand.guard();
  if (remainingMs(hand) === 0)
    throw new PilothouseError('STEP_TIMED_OUT', `${what} was not sent: the time of the step was over before`);
  try {
    await raceDeadline(input(), hand, what);
  } catch (thrown) {
    hand.signal.throwIfAborted();
    if (!page.isClosed()) throw thrown;
  }
  if (await isBlocked?.()) hand.notSent();
  else hand.sent();
}

/**
 * Runs code on the one element that a locator means, waiting for it when the page is putting another one in its place.
 * @param what begins the sentence when it does not end in time
 */
export async function evaluateOn<Argument, Result>(
  hand: ActionContext,
  one: ElementRef,
  run: (elements: Element[], argument: Argument) => { value: Result } | null,
  argument: Argument,
  what: string,
): Promise<Result> {
  const ran = () => raceDeadline(one.evaluateAll(run, argument), hand, what);
  const done = await poll(async () => (await ran()) ?? undefined, hand);
  if (!done) throw new PilothouseError('STEP_TIMED_OUT', `${what} did not end within the time of the step`);
  return done.value as Result;
}

const takeFocus = elementFunction((element: Element) => {
  if (element instanceof HTMLElement || element instanceof SVGElement) element.focus();
});

/** Gives an element the focus, as a person does who tabs there. */
export const focus = (hand: ActionContext, element: ElementRef) =>
  evaluateOn(hand, element, takeFocus, undefined, 'The focus');

/** Presses a key or a chord where the focus is, or on a target. */
export const press: ActionHandler<'press'> = async (hand, { key, target, times = 1 }) => {
  const found = target ? await waitForTarget(hand, target, 'input') : null;
  if (found) await focus(hand, found.one);
  else await hand.settled();
  try {
    const use = clipboardUse(key);
    const press = async (input: () => Promise<void>, { deadline }: Deadline) => {
      const inTime = withDeadline(hand, deadline);
      for (let time = 0; time < times; time += 1) await sendInput(inTime, `The key ${key}`, input);
    };
    const { page } = hand;
    if (use) await hand.clipboard.press(page, key, use, press, hand);
    else await press(() => page.keyboard.press(key), hand);
  } catch (thrown) {
    hand.signal.throwIfAborted();
    if (thrown instanceof PilothouseError) throw thrown;
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `The key "${key}" cannot be pressed: ${playwrightMessage(thrown)}; keys are named as in Enter, ArrowDown, a, Control+A`,
    );
  }
  return found ? { located: found.located } : NO_TARGET;
};
