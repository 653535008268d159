import type { Action, ActionOf } from '@pilothouse/contract/actions/action-sets';
import type { Locator, Target } from '@pilothouse/contract/actions/locator.schema';
import type { PageInput } from '@pilothouse/contract/control/control.schema';
import type { InputTarget, InputWindow } from '../ports/surface-action.port.ts';
import type { Anchors } from '../ports/surface.port.ts';
import { namesSecretField } from '../secret/secret-names.ts';
import { MASK } from '../secret/secret-masker.ts';
import { exactLocator } from '../workflow/exact-locator.ts';

/** An input of a person as the action of a step. */
export interface RecordedAction {
  readonly action: Action;
  /** The typed text if it must be masked, otherwise null. */
  readonly secret: string | null;
}

/** URL and title of a page. */
export type PageLocation = Pick<Anchors, 'url' | 'title'>;

/** A completed action with the pages at its start and at its end; null: unknown. */
export interface ReportedAction extends RecordedAction {
  readonly pageBefore: PageLocation | null;
  readonly page: PageLocation | null;
}

/** Maximum distance of press and release of a click, in thousandths of the viewport. */
const CLICK_TOLERANCE = 8;

/** Maximum locators of an action. */
export const MAX_LOCATORS = 9;

interface PagePoint {
  readonly x: number;
  readonly y: number;
}

/** Input that is not a complete action yet. */
export interface PendingInput {
  /** A button is down. */
  readonly heldButton: (PagePoint & { readonly element: InputTarget | null; readonly count: number }) | null;
  /** A click that may become a double click. */
  readonly click: Action | null;
  readonly typing: {
    readonly target: Target;
    readonly text: string;
    readonly isSecret: boolean;
    /** As in `InputTarget`. */
    readonly textAction: InputTarget['textAction'];
  } | null;
  readonly scroll: { readonly target: Target; readonly dx: number; readonly dy: number } | null;
  /** A selection that may still change. */
  readonly choice: ActionOf<'selectOption'> | null;
  /** Window of the last input; null: unknown, so that the next input sets it. */
  readonly window: InputWindow | null;
}

export const NO_PENDING_INPUT: PendingInput = {
  heldButton: null,
  click: null,
  typing: null,
  scroll: null,
  choice: null,
  window: null,
};

/** Pending input, and the actions that an input completed. */
export interface RecordedInput {
  readonly pending: PendingInput;
  readonly actions: readonly RecordedAction[];
}

/**
 * Converts the inputs of a person into actions, one input at a time.
 * @param element the element that received the input
 */
export function recordInput(unfinished: PendingInput, input: PageInput, element: InputTarget | null): RecordedInput {
  // The window of a release is that of its press.
  const window = input.kind === 'up' ? null : element?.window;
  if (!window || window.id === unfinished.window?.id) return recordInWindow(unfinished, input, element);
  const isSwitch = unfinished.window !== null || !window.isActive;
  const flushed = isSwitch ? flushPendingInput(unfinished) : { pending: unfinished, actions: [] };
  const { pending, actions } = recordInWindow({ ...flushed.pending, window }, input, element);
  return { pending, actions: [...flushed.actions, ...(isSwitch ? [switchTo(window)] : []), ...actions] };
}

/** Waits for a window and brings it to the front. */
function switchTo({ app, title }: InputWindow): RecordedAction {
  const selector = { ...(app !== '' && { app }), ...(title !== null && { window: title }) };
  return { action: { action: 'switchWindow', ...selector }, secret: null };
}

function recordInWindow(unfinished: PendingInput, input: PageInput, element: InputTarget | null): RecordedInput {
  if (element?.chosen !== undefined && input.kind !== 'down') return recordChoice(unfinished, element, element.chosen);
  switch (input.kind) {
    case 'move':
      return { pending: unfinished, actions: [] };
    case 'down': {
      const { x, y, count } = input;
      const isContinued = count > 1 && unfinished.click !== null;
      const { actions, pending: rest } = isContinued
        ? { actions: [], pending: { ...unfinished, click: null } }
        : flushPendingInput(unfinished);
      return { pending: { ...rest, heldButton: { x, y, element, count } }, actions };
    }
    case 'up':
      return recordRelease(unfinished, input, element);
    case 'scroll': {
      const { scroll } = unfinished;
      const { dx, dy } = input;
      const target = element ? targetOf(element, input) : pointLocator(input);
      if (scroll)
        return { pending: { ...unfinished, scroll: { target, dx: scroll.dx + dx, dy: scroll.dy + dy } }, actions: [] };
      const { actions, pending } = flushPendingInput(unfinished);
      return { pending: { ...pending, heldButton: null, scroll: { target, dx, dy } }, actions };
    }
    case 'text':
    case 'paste':
      return addTypedText(unfinished, input.text, element);
    case 'key':
      return recordKey(unfinished, input.key, element);
    case 'selectOption':
      return { pending: unfinished, actions: [] };
    case 'openApp': {
      const { pending, actions } = flushPendingInput(unfinished);
      const action = { action: 'openApp', app: input.app } as const;
      // The action waits for the new window, which the next input is for.
      return { pending: { ...pending, window: null }, actions: [...actions, { action, secret: null }] };
    }
  }
}

/** Completes all pending input. A pressed button stays pressed. */
export function flushPendingInput({ heldButton, click, typing, scroll, choice, window }: PendingInput): RecordedInput {
  const actions: RecordedAction[] = [];
  if (click) actions.push({ action: click, secret: null });
  if (typing && typing.text !== '') {
    const { target, isSecret, textAction } = typing;
    const text = isSecret ? MASK : typing.text;
    const action: Action =
      textAction === 'type'
        ? { action: 'type', text }
        : { action: 'fill', target, text, ...(textAction === undefined && { append: true }) };
    actions.push({ action, secret: isSecret ? typing.text : null });
  }
  if (scroll) {
    const distance = { x: Math.round(scroll.dx), y: Math.round(scroll.dy) };
    if (distance.x !== 0 || distance.y !== 0)
      actions.push({ action: { action: 'scroll', target: scroll.target, by: distance }, secret: null });
  }
  if (choice) actions.push({ action: choice, secret: null });
  return { pending: { ...NO_PENDING_INPUT, heldButton, window }, actions };
}

/** Only the last selected option counts. */
function recordChoice(
  pending: PendingInput,
  element: InputTarget,
  selectedOption: NonNullable<InputTarget['chosen']> | null,
): RecordedInput {
  if (selectedOption === null) return { pending, actions: [] };
  const choice = { action: 'selectOption', target: targetOf(element, null), ...selectedOption } as const;
  const isSame = JSON.stringify(pending.choice?.target) === JSON.stringify(choice.target);
  const { actions } = isSame ? { actions: [] } : flushPendingInput(pending);
  return { pending: { ...NO_PENDING_INPUT, heldButton: pending.heldButton, window: pending.window, choice }, actions };
}

function recordRelease(
  pending: PendingInput,
  { x, y, button }: Extract<PageInput, { kind: 'up' }>,
  element: InputTarget | null,
): RecordedInput {
  const { heldButton } = pending;
  if (!heldButton) return { pending, actions: [] };
  const rest = { ...pending, heldButton: null };
  // The dropdown stayed closed, so nothing was selected.
  if (heldButton.element?.chosen === null) return { pending: rest, actions: [] };
  const target = targetOf(heldButton.element, heldButton);
  const position = heldButton.element?.position;
  if (Math.hypot(x - heldButton.x, y - heldButton.y) > CLICK_TOLERANCE) {
    const drag: Action = {
      action: 'drag',
      target,
      ...(position && { fromPosition: position }),
      to: element ? targetOf(element, { x, y }) : pointLocator({ x, y }),
      ...(element?.position && { position: element.position }),
    };
    return { pending: rest, actions: [{ action: drag, secret: null }] };
  }
  const click: Action = {
    action: 'click',
    target,
    ...(button !== 'left' && { button }),
    ...(heldButton.count > 1 && { count: heldButton.count }),
    ...(position && { position }),
  };
  return { pending: { ...rest, click }, actions: [] };
}

/** The text is secret in a field that is a password or names a secret, and if its field is unknown. */
const hasSecretContent = (element: InputTarget | null): boolean =>
  element === null || element.isSecret || element.locators.some(namesSecretField);

function addTypedText(pending: PendingInput, text: string, element: InputTarget | null): RecordedInput {
  const target = targetOf(element, null);
  const isSecret = hasSecretContent(element);
  const { typing } = pending;
  if (typing && typing.isSecret === isSecret && JSON.stringify(typing.target) === JSON.stringify(target))
    return { pending: { ...pending, typing: { ...typing, text: typing.text + text } }, actions: [] };
  const { actions } = flushPendingInput(pending);
  const { window } = pending;
  return {
    pending: { ...NO_PENDING_INPUT, window, typing: { target, text, isSecret, textAction: element?.textAction } },
    actions,
  };
}

function recordKey(pending: PendingInput, key: string, element: InputTarget | null): RecordedInput {
  const isCharacter = [...key].length === 1 || /^Shift\+.$/u.test(key);
  if (isCharacter && hasSecretContent(element)) return addTypedText(pending, [...key].at(-1) ?? '', element);
  const { typing } = pending;
  if (key === 'Backspace' && typing && typing.text !== '') {
    const text = [...typing.text].slice(0, -1).join('');
    return { pending: { ...pending, typing: { ...typing, text } }, actions: [] };
  }
  const { actions } = flushPendingInput(pending);
  return {
    pending: { ...NO_PENDING_INPUT, window: pending.window },
    actions: [...actions, { action: { action: 'press', key }, secret: null }],
  };
}

const pointLocator = ({ x, y }: PagePoint): Locator => ({ point: { x: Math.round(x), y: Math.round(y) } });

/** Locators of an element. In a browser its point is the last resort; without an element it is the point, or the focus. */
function targetOf(element: InputTarget | null, point: PagePoint | null): Target {
  const locators = (element?.locators ?? []).slice(0, MAX_LOCATORS).map(exactLocator);
  const hasWindows = element?.window !== undefined;
  const last: Locator = point ? pointLocator(point) : hasWindows ? { focus: true } : { css: ':focus' };
  return locators.length > 0 && (hasWindows || !point) ? locators : [...locators, last];
}
