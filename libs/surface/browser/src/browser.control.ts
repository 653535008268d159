import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import {
  MAX_DROPDOWN_OPTIONS,
  type DropdownOptions,
  type PageInput,
} from '@pilothouse/contract/control/control.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { InputTarget } from '@pilothouse/core/ports/surface-action.port';
import { namesSecretField } from '@pilothouse/core/secret/secret-names';
import { raceDeadline } from '@pilothouse/core/time/deadlines';
import { press } from './actions/key.actions.ts';
import { evaluateOn, sendInput } from './browser.input.ts';
import { focusedElement, pointInPage, toViewportPixels, viewSize } from './targeting/pointed-element.ts';
import { checkElement, findTarget } from './targeting/locate-element.ts';
import type { LocatedTarget } from './targeting/located-target.ts';
import type { ActionContext } from './action-context.ts';
import {
  selectOption,
  selectedOption,
  preventListOpening,
  dropdownContent,
  type SelectedOption,
} from './injected/form-controls.ts';

/** Longer text is inserted at once, as an input method does. Shorter text is typed key by key. */
const MAX_KEYSTROKE_CHARS = 40;

/** Much longer than the reported text: secrets are masked first, and a truncated secret would not be recognized. */
const MAX_LABEL_CHARS = 10_000;

/**
 * Sends one input of a person in control, without waiting for a target.
 * @returns the element that received it, if known
 */
export async function sendControlInput(ctx: ActionContext, input: PageInput): Promise<InputTarget | null> {
  switch (input.kind) {
    case 'move':
      await sendPointer(ctx, input, (x, y) => ctx.page.mouse.move(x, y));
      return null;
    case 'down': {
      const { x, y, button, count } = input;
      const match = await nullOnError(ctx, () => findTarget(ctx, { point: { x, y } }, 'attached'));
      const selection = match && button === 'left' ? await selectedOptionOf(ctx, match) : null;
      if (match && selection) await suppressDropdown(ctx, match, 'mousedown');
      await sendPointer(ctx, input, async (pageX, pageY) => {
        await ctx.page.mouse.move(pageX, pageY);
        await ctx.page.mouse.down({ button, clickCount: count });
      });
      return match && { ...toInputTarget(match), ...(selection && { chosen: null }) };
    }
    case 'up': {
      const { button, count } = input;
      await sendPointer(ctx, input, async (pageX, pageY) => {
        await ctx.page.mouse.move(pageX, pageY);
        await ctx.page.mouse.up({ button, clickCount: count });
      });
      return null;
    }
    case 'scroll':
      await sendPointer(ctx, input, async (pageX, pageY) => {
        await ctx.page.mouse.move(pageX, pageY);
        await ctx.page.mouse.wheel(input.dx, input.dy);
      });
      return null;
    case 'text':
    case 'paste':
    case 'key': {
      const focused = await nullOnError(ctx, () => locateFocused(ctx));
      const list = focused && canChangeSelection(input) ? await selectedOptionOf(ctx, focused) : null;
      if (focused && list && canOpenDropdown(input)) await suppressDropdown(ctx, focused, 'keydown');
      await sendKeys(ctx, input);
      if (!focused || !list) return focused && toInputTarget(focused);
      const newSelection = await selectedOptionOf(ctx, focused);
      return {
        ...toInputTarget(focused),
        chosen: newSelection && newSelection.index !== list.index ? toOptionLocator(newSelection) : null,
      };
    }
    case 'selectOption':
      return chooseOption(ctx, input);
    case 'openApp':
      throw new PilothouseError('ACTION_UNSUPPORTED', 'A browser cannot open applications; use `surface: desktop`');
  }
}

/** Describes the element with an index or at a point. @returns null if it does not exist */
export async function describeElementAt(
  ctx: ActionContext,
  locator: Pick<Locator, 'elementIndex' | 'point'>,
): Promise<InputTarget | null> {
  const match = await findTarget(ctx, locator, 'attached');
  return match && toInputTarget(match);
}

/** Reads the options of the focused drop-down list. @returns null if none has the focus */
export async function readDropdown(ctx: ActionContext): Promise<DropdownOptions['dropdown']> {
  const match = await locateFocused(ctx);
  const limits = { options: MAX_DROPDOWN_OPTIONS, label: MAX_LABEL_CHARS };
  const content = match && (await evaluateOn(ctx, match.ref, dropdownContent, limits, 'The list'));
  if (!match || !content) return null;
  const { x, y, width, height, options } = content;
  const view = await raceDeadline(viewSize(ctx.page), ctx, 'The size of the page');
  const center = { x: x + width / 2, y: y + height / 2 };
  const pagePoint = await raceDeadline(pointInPage(match.frame, center, false), ctx, 'Locating the list');
  const [offsetX, offsetY] = 'covered' in pagePoint ? [0, 0] : [pagePoint.x - center.x, pagePoint.y - center.y];
  const permille = (pixels: number, total: number) => (pixels / total) * 1000;
  return {
    bounds: {
      x: permille(x + offsetX, view.width),
      y: permille(y + offsetY, view.height),
      width: permille(width, view.width),
      height: permille(height, view.height),
    },
    options,
  };
}

/** @throws PilothouseError TARGET_NOT_ACTIONABLE if the focused list does not have that option */
async function chooseOption(
  ctx: ActionContext,
  { index, label }: Extract<PageInput, { kind: 'selectOption' }>,
): Promise<InputTarget> {
  const match = await locateFocused(ctx);
  let isSelected = false as boolean;
  if (match)
    await sendInput(ctx, 'Selecting the option', async () => {
      isSelected = await evaluateOn(ctx, match.ref, selectOption, { index, label }, 'Selecting the option');
    });
  const selection = match && isSelected ? await selectedOptionOf(ctx, match) : null;
  if (!match || !isSelected)
    throw new PilothouseError(
      'TARGET_NOT_ACTIONABLE',
      `The focused list no longer has the option "${label}"; open the list again`,
    );
  return { ...toInputTarget(match), chosen: selection ? toOptionLocator(selection) : { option: label } };
}

/** Returns the selected option of a drop-down list; null for any other element. */
async function selectedOptionOf(ctx: ActionContext, { ref, kind }: LocatedTarget): Promise<SelectedOption | null> {
  if (kind.tag !== 'select' || kind.multiple) return null;
  return nullOnError(ctx, () => evaluateOn(ctx, ref, selectedOption, undefined, 'The list'));
}

const suppressDropdown = (ctx: ActionContext, { ref }: LocatedTarget, press: 'mousedown' | 'keydown') =>
  nullOnError(ctx, () => evaluateOn(ctx, ref, preventListOpening, press, 'The list'));

const toOptionLocator = ({ option, matchedBy: optionKind }: SelectedOption) => ({
  option,
  ...(optionKind && { by: optionKind }),
});

/** True if the input may change the selection of a focused list: by typeahead or by arrow keys. */
const canChangeSelection = (input: PageInput) =>
  input.kind === 'text' ||
  (input.kind === 'key' && /(?:^|\+)(?:Arrow\w+|Home|End|Page\w+|Space| |F4|(?:Numpad)?Enter)$/.test(input.key));

/** True if the input opens a focused list. */
const canOpenDropdown = (input: PageInput) =>
  (input.kind === 'text' && input.text.startsWith(' ')) ||
  (input.kind === 'key' && /^(?:Alt\+Arrow(?:Up|Down)|Space| |F4|(?:Numpad)?Enter)$/.test(input.key));

async function sendKeys(
  ctx: ActionContext,
  input: Extract<PageInput, { kind: 'text' | 'paste' | 'key' }>,
): Promise<void> {
  if (input.kind === 'text') {
    const { keyboard } = ctx.page;
    const { text } = input;
    return sendInput(ctx, 'Typing', () =>
      text.length > MAX_KEYSTROKE_CHARS ? keyboard.insertText(text) : keyboard.type(text),
    );
  }
  if (input.kind === 'paste') ctx.clipboard.write(input.text);
  const key = input.kind === 'paste' ? 'ControlOrMeta+V' : input.key;
  await press(ctx, { action: 'press', key });
}

async function sendPointer(
  ctx: ActionContext,
  position: { x: number; y: number },
  input: (x: number, y: number) => Promise<void>,
) {
  const { x, y } = await raceDeadline(toViewportPixels(ctx.page, position), ctx, 'The size of the page');
  await sendInput(ctx, 'The pointer', () => input(x, y));
}

/** Returns the focused element; null if it does not exist. */
async function locateFocused(ctx: ActionContext): Promise<LocatedTarget | null> {
  const match = await raceDeadline(focusedElement(ctx.page), ctx, 'The focus');
  if (!match) return null;
  const attempt = await checkElement(ctx, match.ref, match.frame, 'attached', { locator: 'the focus', triedCount: 1 });
  return attempt.match ?? null;
}

function toInputTarget({ kind, located, frame }: LocatedTarget): InputTarget {
  // Locators inside a frame start at that frame, and the frame itself has no locator here.
  const { alternatives = [] } = located;
  const isSecret = kind.type === 'password' || alternatives.some(namesSecretField);
  return { locators: frame.parentFrame() ? [] : alternatives, isSecret };
}

/** Returns null if the page cannot answer, for example during a navigation. The input is sent anyway. */
async function nullOnError<Value>(ctx: ActionContext, inspect: () => Promise<Value | null>): Promise<Value | null> {
  try {
    return await inspect();
  } catch {
    ctx.signal.throwIfAborted();
    return null;
  }
}
