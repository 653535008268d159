import type { Action, ActionOf, Locator, Target, PageInput } from '@pilothouse/contract';
import type { InputTarget } from '../ports/surface.port.ts';
import { MASK } from '../secret/secret-masker.ts';

/** An input of a person as the action of a step. */
export interface RecordedAction {
  readonly move: Action;
  /** The typed text, if it must be hidden; null: nothing to hide. */
  readonly secret: string | null;
}

/** Thousandths by which a button may come up elsewhere and it still is a click. */
const STEADY = 8;

/** Most ways to find an element that an action names. */
export const MAX_LOCATORS = 9;

interface Place {
  readonly x: number;
  readonly y: number;
}

/** Input that is not a complete action yet. */
export interface PendingInput {
  /** A button is down. */
  readonly heldButton: (Place & { readonly touched: InputTarget | null; readonly count: number }) | null;
  /** A click that may become a double one. */
  readonly click: Action | null;
  readonly typing: { readonly target: Target; readonly text: string; readonly isSecret: boolean } | null;
  readonly scroll: (Place & { readonly dx: number; readonly dy: number }) | null;
  /** A choice that may become another one. */
  readonly choice: ActionOf<'selectOption'> | null;
}

export const NO_PENDING_INPUT: PendingInput = {
  heldButton: null,
  click: null,
  typing: null,
  scroll: null,
  choice: null,
};

/** Pending input, and the actions that an input completed. */
export interface RecordedInput {
  readonly unfinished: PendingInput;
  readonly actions: readonly RecordedAction[];
}

/**
 * Converts the inputs of a person into actions, one input at a time.
 * @param touched the element that received the input
 */
export function recordInput(unfinished: PendingInput, input: PageInput, touched: InputTarget | null): RecordedInput {
  if (touched?.chosen !== undefined && input.kind !== 'down') return chose(unfinished, touched, touched.chosen);
  switch (input.kind) {
    case 'move':
      return { unfinished, actions: [] };
    case 'down': {
      const { x, y, count } = input;
      const isContinued = count > 1 && unfinished.click !== null;
      const { actions: actions, unfinished: rest } = isContinued
        ? { actions: [], unfinished: { ...unfinished, click: null } }
        : flushPendingInput(unfinished);
      return { unfinished: { ...rest, heldButton: { x, y, touched, count } }, actions: actions };
    }
    case 'up':
      return released(unfinished, input);
    case 'scroll': {
      const { scroll } = unfinished;
      const { x, y, dx, dy } = input;
      if (scroll)
        return { unfinished: { ...unfinished, scroll: { x, y, dx: scroll.dx + dx, dy: scroll.dy + dy } }, actions: [] };
      const { actions: actions } = flushPendingInput(unfinished);
      return { unfinished: { ...NO_PENDING_INPUT, scroll: { x, y, dx, dy } }, actions: actions };
    }
    case 'text':
    case 'paste':
      return addTypedText(unfinished, input.text, touched);
    case 'key':
      return pressed(unfinished, input.key, touched);
    case 'selectOption':
      return { unfinished, actions: [] };
  }
}

/** Completes all pending input. A pressed button stays pressed. */
export function flushPendingInput({
  heldButton: heldButton,
  click,
  typing,
  scroll,
  choice,
}: PendingInput): RecordedInput {
  const moves: RecordedAction[] = [];
  if (click) moves.push({ move: click, secret: null });
  if (typing && typing.text !== '') {
    const { target, text, isSecret } = typing;
    const move = { action: 'fill', target, text: isSecret ? MASK : text, append: true } as const;
    moves.push({ move, secret: isSecret ? text : null });
  }
  if (scroll) {
    const by = { x: Math.round(scroll.dx), y: Math.round(scroll.dy) };
    if (by.x !== 0 || by.y !== 0) moves.push({ move: { action: 'scroll', target: placeOf(scroll), by }, secret: null });
  }
  if (choice) moves.push({ move: choice, secret: null });
  return { unfinished: { ...NO_PENDING_INPUT, heldButton: heldButton }, actions: moves };
}

/** On the way to a choice others may be chosen: the last one counts. */
function chose(
  unfinished: PendingInput,
  touched: InputTarget,
  chosen: NonNullable<InputTarget['chosen']> | null,
): RecordedInput {
  if (chosen === null) return { unfinished, actions: [] };
  const choice = { action: 'selectOption', target: targetOf(touched, null), ...chosen } as const;
  const isSame = JSON.stringify(unfinished.choice?.target) === JSON.stringify(choice.target);
  const { actions: actions } = isSame ? { actions: [] } : flushPendingInput(unfinished);
  return { unfinished: { ...NO_PENDING_INPUT, heldButton: unfinished.heldButton, choice }, actions: actions };
}

function released(unfinished: PendingInput, { x, y, button }: Extract<PageInput, { kind: 'up' }>): RecordedInput {
  const { heldButton: heldButton } = unfinished;
  if (!heldButton) return { unfinished, actions: [] };
  const rest = { ...unfinished, heldButton: null };
  // The dropdown stayed closed, so nothing was selected.
  if (heldButton.touched?.chosen === null) return { unfinished: rest, actions: [] };
  const target = targetOf(heldButton.touched, heldButton);
  if (Math.hypot(x - heldButton.x, y - heldButton.y) > STEADY)
    return { unfinished: rest, actions: [{ move: { action: 'drag', target, to: placeOf({ x, y }) }, secret: null }] };
  const click: Action = {
    action: 'click',
    target,
    ...(button !== 'left' && { button }),
    ...(heldButton.count > 1 && { count: heldButton.count }),
  };
  return { unfinished: { ...rest, click }, actions: [] };
}

function addTypedText(unfinished: PendingInput, text: string, touched: InputTarget | null): RecordedInput {
  const target = targetOf(touched, null);
  // The text may be a secret if its field is unknown.
  const isSecret = touched?.isSecret ?? true;
  const { typing } = unfinished;
  if (typing && typing.isSecret === isSecret && JSON.stringify(typing.target) === JSON.stringify(target))
    return { unfinished: { ...unfinished, typing: { ...typing, text: typing.text + text } }, actions: [] };
  const { actions: actions } = flushPendingInput(unfinished);
  return { unfinished: { ...NO_PENDING_INPUT, typing: { target, text, isSecret } }, actions: actions };
}

function pressed(unfinished: PendingInput, key: string, touched: InputTarget | null): RecordedInput {
  const isCharacter = [...key].length === 1 || /^Shift\+.$/u.test(key);
  if (isCharacter && (touched?.isSecret ?? true)) return addTypedText(unfinished, [...key].at(-1) ?? '', touched);
  const { typing } = unfinished;
  if (key === 'Backspace' && typing && typing.text !== '') {
    const text = [...typing.text].slice(0, -1).join('');
    return { unfinished: { ...unfinished, typing: { ...typing, text } }, actions: [] };
  }
  const { actions: actions } = flushPendingInput(unfinished);
  return { unfinished: NO_PENDING_INPUT, actions: [...actions, { move: { action: 'press', key }, secret: null }] };
}

const placeOf = ({ x, y }: Place): Locator => ({ point: { x: Math.round(x), y: Math.round(y) } });

/** Locators of an element, with its point as the last resort; the focus if there is no element. */
function targetOf(touched: InputTarget | null, place: Place | null): Target {
  const last: Locator = place ? placeOf(place) : { css: ':focus' };
  return [...(touched?.locators ?? []).slice(0, MAX_LOCATORS), ...(place || !touched?.locators.length ? [last] : [])];
}
