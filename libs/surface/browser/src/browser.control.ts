import {
  MAX_DROPDOWN_OPTIONS,
  PilothouseError,
  type Locator,
  type DropdownOptions,
  type PageInput,
} from '@pilothouse/contract';
import { type InputTarget, raceDeadline } from '@pilothouse/core';
import { evaluateOn, press, sendInput } from './browser.input.ts';
import { focusedElement, pointInPage, toViewportPixels, viewSize } from './targeting/pointed-element.ts';
import { checkElement, findTarget, type LocatedTarget } from './targeting/locate-element.ts';
import type { ActionContext } from './action-context.ts';
import {
  selectOption,
  selectedOption,
  preventDropdown,
  dropdownContent,
  type SelectedOption,
} from './injected/form-controls.ts';

/** Longest text that is typed key by key, as pages expect of a person; a longer one comes at once, as of an input method. */
const BY_KEYS = 40;

/**
 * Most characters of the label of a choice: many more than are told, because secrets are masked first, and the beginning of one that is cut
 * would not be known as such.
 */
const LABEL = 10_000;

/** Does what a person at the wheel does, at once. @returns what it is done to, where that is to be known */
export async function sendControlInput(hand: ActionContext, input: PageInput): Promise<InputTarget | null> {
  switch (input.kind) {
    case 'move':
      await point(hand, input, (x, y) => hand.page.mouse.move(x, y));
      return null;
    case 'down': {
      const { x, y, button, count } = input;
      const found = await unlessUnknown(hand, () => findTarget(hand, { point: { x, y } }, 'attached'));
      const list = found && button === 'left' ? await listOf(hand, found) : null;
      if (found && list) await shut(hand, found, 'mousedown');
      await point(hand, input, async (left, top) => {
        await hand.page.mouse.move(left, top);
        await hand.page.mouse.down({ button, clickCount: count });
      });
      return found && { ...touchedOf(found), ...(list && { chosen: null }) };
    }
    case 'up': {
      const { button, count } = input;
      await point(hand, input, async (left, top) => {
        await hand.page.mouse.move(left, top);
        await hand.page.mouse.up({ button, clickCount: count });
      });
      return null;
    }
    case 'scroll':
      await point(hand, input, async (left, top) => {
        await hand.page.mouse.move(left, top);
        await hand.page.mouse.wheel(input.dx, input.dy);
      });
      return null;
    case 'text':
    case 'paste':
    case 'key': {
      const found = await unlessUnknown(hand, () => underCaret(hand));
      const list = found && mayChoose(input) ? await listOf(hand, found) : null;
      if (found && list && mayOpen(input)) await shut(hand, found, 'keydown');
      await write(hand, input);
      if (!found || !list) return found && touchedOf(found);
      const now = await listOf(hand, found);
      return { ...touchedOf(found), chosen: now && now.index !== list.index ? saidBy(now) : null };
    }
    case 'selectOption':
      return choose(hand, input);
  }
}

/** What is meant by a number or a place. @returns null when nothing is there */
export async function describeElementAt(
  hand: ActionContext,
  pointed: Pick<Locator, 'elementIndex' | 'point'>,
): Promise<InputTarget | null> {
  const found = await findTarget(hand, pointed, 'attached');
  return found && touchedOf(found);
}

/** What the drop-down list offers that has the focus; null: none has. */
export async function readDropdown(hand: ActionContext): Promise<DropdownOptions['dropdown']> {
  const found = await underCaret(hand);
  const most = { options: MAX_DROPDOWN_OPTIONS, label: LABEL };
  const offer = found && (await evaluateOn(hand, found.one, dropdownContent, most, 'The list'));
  if (!found || !offer) return null;
  const { x, y, width, height, options } = offer;
  const view = await raceDeadline(viewSize(hand.page), hand, 'The size of the page');
  const centre = { x: x + width / 2, y: y + height / 2 };
  const there = await raceDeadline(pointInPage(found.frame, centre, false), hand, 'The place of the list');
  const [left, top] = 'covered' in there ? [0, 0] : [there.x - centre.x, there.y - centre.y];
  const part = (pixels: number, whole: number) => (pixels / whole) * 1000;
  return {
    bounds: {
      x: part(x + left, view.width),
      y: part(y + top, view.height),
      width: part(width, view.width),
      height: part(height, view.height),
    },
    options,
  };
}

/** @throws PilothouseError TARGET_NOT_ACTIONABLE when the list that has the focus does not offer it there */
async function choose(
  hand: ActionContext,
  { index, label }: Extract<PageInput, { kind: 'selectOption' }>,
): Promise<InputTarget> {
  const found = await underCaret(hand);
  let isDone = false as boolean;
  if (found)
    await sendInput(hand, 'The choice', async () => {
      isDone = await evaluateOn(hand, found.one, selectOption, { index, label }, 'The choice');
    });
  const chosen = found && isDone ? await listOf(hand, found) : null;
  if (!found || !isDone) throw new PilothouseError('TARGET_NOT_ACTIONABLE', `No list offers "${label}" there any more`);
  return { ...touchedOf(found), chosen: chosen ? saidBy(chosen) : { option: label } };
}

/** Of a drop-down list what is chosen in it; null: it is none. */
async function listOf(hand: ActionContext, { one, kind }: LocatedTarget): Promise<SelectedOption | null> {
  if (kind.tag !== 'select' || kind.multiple) return null;
  return unlessUnknown(hand, () => evaluateOn(hand, one, selectedOption, undefined, 'The list'));
}

const shut = (hand: ActionContext, { one }: LocatedTarget, press: 'mousedown' | 'keydown') =>
  unlessUnknown(hand, () => evaluateOn(hand, one, preventDropdown, press, 'The list'));

const saidBy = ({ option, by }: SelectedOption) => ({ option, ...(by && { by }) });

/** Whether an input may choose in a list that has the focus: by the first letters, or by going up and down. */
const mayChoose = (input: PageInput) =>
  input.kind === 'text' ||
  (input.kind === 'key' && /(?:^|\+)(?:Arrow\w+|Home|End|Page\w+|Space| |F4|(?:Numpad)?Enter)$/.test(input.key));

/** Whether an input opens a list that has the focus. */
const mayOpen = (input: PageInput) =>
  (input.kind === 'text' && input.text.startsWith(' ')) ||
  (input.kind === 'key' && /^(?:Alt\+Arrow(?:Up|Down)|Space| |F4|(?:Numpad)?Enter)$/.test(input.key));

async function write(
  hand: ActionContext,
  input: Extract<PageInput, { kind: 'text' | 'paste' | 'key' }>,
): Promise<void> {
  if (input.kind === 'text') {
    const { keyboard } = hand.page;
    const { text } = input;
    return sendInput(hand, 'Typing', () => (text.length > BY_KEYS ? keyboard.insertText(text) : keyboard.type(text)));
  }
  if (input.kind === 'paste') hand.clipboard.put(input.text);
  const key = input.kind === 'paste' ? 'ControlOrMeta+V' : input.key;
  await press(hand, { action: 'press', key });
}

async function point(
  hand: ActionContext,
  at: { x: number; y: number },
  input: (x: number, y: number) => Promise<void>,
) {
  const { x, y } = await raceDeadline(toViewportPixels(hand.page, at), hand, 'The size of the page');
  await sendInput(hand, 'The pointer', () => input(x, y));
}

/** What has the focus; null when nothing has. */
async function underCaret(hand: ActionContext): Promise<LocatedTarget | null> {
  const found = await raceDeadline(focusedElement(hand.page), hand, 'The focus');
  if (!found) return null;
  const seen = await checkElement(hand, found.one, found.frame, 'attached', { locator: 'the focus', triedCount: 1 });
  return seen.found ?? null;
}

function touchedOf({ kind, located, frame }: LocatedTarget): InputTarget {
  // Of an element in a frame the ways lead from the frame, which is not found again so.
  const locators = frame.parentFrame() ? [] : (located.alternatives ?? []);
  return { locators, isSecret: kind.type === 'password' };
}

/** A page that is changing has no answer: then nothing is known, and the input goes out all the same. */
async function unlessUnknown<Value>(hand: ActionContext, look: () => Promise<Value | null>): Promise<Value | null> {
  try {
    return await look();
  } catch {
    hand.signal.throwIfAborted();
    return null;
  }
}
