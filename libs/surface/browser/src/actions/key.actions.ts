import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ActionEffect } from '@pilothouse/contract/run/outcome';
import { delayWithin, limitDeadline, raceDeadline, remainingMs, type Deadline } from '@pilothouse/core/time/deadlines';
import { NO_TARGET, withDeadline, type ActionContext, type ActionHandler } from '../action-context.ts';
import { evaluateOn, sendInput } from '../browser.input.ts';
import { clipboardUse } from '../clipboard/run-clipboard.ts';
import { elementFunction } from '../injected/evaluate-functions.ts';
import { focusForKeys } from '../injected/focus-target.ts';
import type { HitResult } from '../injected/hit-result.ts';
import type { ElementRef } from '../pages/element-ref.ts';
import { playwrightMessage } from '../playwright-errors.ts';
import { disarm, hitResult } from '../targeting/hit-target.ts';
import { waitForTarget } from '../targeting/locate-element.ts';
import { focusedElement } from '../targeting/pointed-element.ts';
import type { LocatedTarget } from '../targeting/located-target.ts';

/** Time in which a target has to take the focus. */
const FOCUS_TIMEOUT_MS = 1000;

const RETRY_DELAY_MS = 50;

/** Maximum time for reading the text of a field. */
const TEXT_TIMEOUT_MS = 1000;

/**
 * Presses a key or chord on the focused element or on a target. A key that would go elsewhere is stopped.
 * @throws as `waitForTarget`; PilothouseError TARGET_NOT_ACTIONABLE if the target does not take or keep the focus,
 * ACTION_UNSUPPORTED for an unknown key
 */
export const press: ActionHandler<'press'> = async (ctx, { key, target, times = 1, holdSeconds }) => {
  const presses: Presses = { times, holdMs: (holdSeconds ?? 0) * 1000 };
  const mayChange = !isMovementKey(key);
  if (!target) {
    await ctx.waitUntilSettled();
    if (mayChange) await restoreFields(ctx, true);
    const focused = isTextKey(key) ? await raceDeadline(focusedElement(ctx.page), ctx, 'The focus') : null;
    const text = await readFieldText(ctx, focused?.ref ?? null);
    await pressKey(ctx, key, presses, null);
    return { ...NO_TARGET, ...(await keyEffect(ctx, focused?.ref ?? null, text, false)) };
  }
  if (mayChange && !ctx.entered.isEmpty) {
    await waitForTarget(ctx, target, 'input');
    await restoreFields(ctx, false);
  }
  let focusLimit: Deadline | null = null;
  for (;;) {
    const { tab } = ctx;
    try {
      const match = await waitForTarget(ctx, target, 'input', { input: 'key' });
      focusLimit ??= limitDeadline(ctx, FOCUS_TIMEOUT_MS);
      const focused = await evaluateOn(ctx, match.ref, focusForKeys, undefined, 'The focus');
      const text = await readFieldText(ctx, isTextKey(key) && focused === null ? match.ref : null);
      const pressed = focused === null ? await pressKey(ctx, key, presses, match) : null;
      const holder = pressed ? pressed.holder : focused;
      if (pressed && holder === null) {
        return { located: match.located, ...(await keyEffect(ctx, match.ref, text, pressed.isReceived)) };
      }
      if (remainingMs(focusLimit) <= RETRY_DELAY_MS) throw focusError(match, key, holder ?? 'another element');
      await delayWithin(RETRY_DELAY_MS, ctx);
    } finally {
      await disarm(ctx, tab, `The key ${key}`);
    }
  }
};

/** Keys that only move the focus. Arrows, Home, End and page keys change numbers, ranges, lists and radio groups. */
const isMovementKey = (key: string) => /^(?:Shift\+)?Tab$/.test(key);

/** True for a key that enters one character. */
const isTextKey = (key: string) => /^(?:Shift\+)?[^\p{C}\s]$/u.test(key);

/** Returns the text of a field that takes any text, with the state of a number; null for any other element. */
const fieldText = elementFunction((element: Element): string | null => {
  const field = element instanceof HTMLLabelElement ? element.control : element;
  if (field instanceof HTMLTextAreaElement) return field.value;
  if (field instanceof HTMLElement && field.isContentEditable) return field.textContent;
  const types = ['text', 'search', 'tel', 'url', 'email', 'password', 'number'];
  if (!(field instanceof HTMLInputElement) || !types.includes(field.type)) return null;
  return `${field.value} ${field.validity.badInput}`;
});

async function readFieldText(ctx: ActionContext, ref: ElementRef | null): Promise<string | null> {
  if (!ref) return null;
  const limit = limitDeadline(ctx, TEXT_TIMEOUT_MS);
  const read = await raceDeadline(ref.evaluateAll(fieldText, undefined), limit, 'The field').catch(() => null);
  ctx.signal.throwIfAborted();
  return read?.value ?? null;
}

/**
 * A page may take a key for something else. Whether it did is not visible.
 * @param text text of the field before the key; null: the key enters none, or there is no field
 * @param isReceived true if the element received the key
 */
async function keyEffect(
  ctx: ActionContext,
  ref: ElementRef | null,
  text: string | null,
  isReceived: boolean,
): Promise<ActionEffect> {
  if (text === null) return { effect: isReceived ? 'confirmed' : 'unverifiable' };
  const current = await readFieldText(ctx, ref);
  if (current === text) return { effect: 'unverifiable', effectReason: 'The key did not change the text of the field' };
  return { effect: current === null && !isReceived ? 'unverifiable' : 'confirmed' };
}

/** Reads the fields again that a key may submit or change. Later changes are effects of the key. */
async function restoreFields(ctx: ActionContext, keepsFocus: boolean): Promise<void> {
  if (ctx.entered.isEmpty) return;
  const { page } = ctx;
  const focused = keepsFocus ? await raceDeadline(focusedElement(page), ctx, 'The focus') : null;
  if ((await ctx.entered.restore(ctx)) && focused)
    await evaluateOn(ctx, focused.ref, focusForKeys, undefined, 'The focus').catch(() => ctx.signal.throwIfAborted());
  ctx.entered.forget(page);
}

function focusError({ located: { locator } }: LocatedTarget, key: string, holder: string): PilothouseError {
  const reason = `it does not take the focus, and ${holder} would receive the key ${key}`;
  return new PilothouseError(
    'TARGET_NOT_ACTIONABLE',
    `${locator} is there, but ${reason}; name the element that takes the key, or omit \`target\` to press the key at the focus`,
    { details: { locator, reason } },
  );
}

interface Presses {
  readonly times: number;
  /** Milliseconds of each press; 0: short. */
  readonly holdMs: number;
}

/** Milliseconds between two repetitions of a key that is held. */
const REPEAT_MS = 50;

/** Holds a chord, which repeats as under a finger. Releases its keys in any case. */
async function holdKey(ctx: ActionContext, chord: string, holdMs: number): Promise<void> {
  const { keyboard } = ctx.page;
  // `Control++` holds the plus sign.
  const keys = chord.endsWith('+') ? [...chord.split('+').filter(Boolean), '+'] : chord.split('+');
  const pressed: string[] = [];
  try {
    for (const key of keys) {
      await keyboard.down(key);
      pressed.unshift(key);
    }
    for (let heldMs = 0; heldMs < holdMs && remainingMs(ctx) > 0; heldMs += REPEAT_MS) {
      await delayWithin(Math.min(REPEAT_MS, holdMs - heldMs), ctx);
      if (heldMs + REPEAT_MS < holdMs) await keyboard.down(keys.at(-1) ?? chord);
    }
  } finally {
    for (const key of pressed) await keyboard.up(key);
  }
}

/**
 * Presses a key. Only the first time has to reach the target, because a key may move the focus.
 * @returns holder: the element that would have received the key; null: the key was sent. isReceived: the target received it
 */
async function pressKey(
  ctx: ActionContext,
  key: string,
  { times, holdMs }: Presses,
  match: LocatedTarget | null,
): Promise<{ holder: string | null; isReceived: boolean }> {
  const subject = `The key ${key}`;
  let holder: string | null = null;
  let isReceived = false;
  const armed = match?.armed;
  const isStopped = async () => {
    if (!armed) return false;
    const result = await raceDeadline(hitResult(ctx, armed), ctx, subject);
    isReceived = result.hit === 'target';
    holder = holderOf(result);
    return holder !== null;
  };
  try {
    const use = clipboardUse(key);
    const press = async (input: () => Promise<void>, { deadline }: Deadline) => {
      const limited = withDeadline(ctx, deadline);
      for (let time = 0; time < times && holder === null; time += 1)
        await sendInput(limited, subject, input, time === 0 ? isStopped : undefined);
    };
    const { page } = ctx;
    if (use) await ctx.clipboard.press(page, key, use, press, ctx);
    else await press(() => (holdMs > 0 ? holdKey(ctx, key, holdMs) : page.keyboard.press(key)), ctx);
    return { holder, isReceived };
  } catch (error) {
    ctx.signal.throwIfAborted();
    if (error instanceof PilothouseError) throw error;
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `The key "${key}" cannot be pressed: ${playwrightMessage(error)}; use a name such as Enter, ArrowDown, a or Control+A`,
    );
  }
}

/** A document that is gone, or that saw no key, cannot tell where the key went. */
const holderOf = (result: HitResult): string | null => (result.hit === 'other' ? result.description : null);
