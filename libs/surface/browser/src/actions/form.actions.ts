import type { ActionOf } from '@pilothouse/contract/actions/action-sets';
import type { Target } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { limitDeadline, poll, raceDeadline, remainingMs } from '@pilothouse/core/time/deadlines';
import { evaluateOn, sendInput } from '../browser.input.ts';
import { press } from '../targeting/hit-target.ts';
import { RenderingMonitor } from '../targeting/page-rendering.ts';
import { LocatorAgreement } from '../targeting/locator-agreement.ts';
import { checkElement, findTarget, waitForTarget } from '../targeting/locate-element.ts';
import type { LocatedTarget, Aim } from '../targeting/located-target.ts';
import { fromHandle } from '../pages/element-ref.ts';
import type { ActionContext, ActionHandler } from '../action-context.ts';
import { elementFunction } from '../injected/evaluate-functions.ts';
import { chooseInListbox, optionAmbiguousError, optionIndex, sameLabel } from './aria-listbox.ts';
import { listWidget } from '../injected/form-controls.ts';

/** Maximum wait for a checkbox to change after a click. */
const STATE_TIMEOUT_MS = 2000;

/** Reads the checked state of a native box or of `aria-checked`. A label is resolved to its control. */
const checkedState = elementFunction((element: Element) => {
  const labelControl = element instanceof HTMLLabelElement ? element.control : null;
  const control = labelControl ?? element;
  if (control instanceof HTMLInputElement && (control.type === 'checkbox' || control.type === 'radio'))
    return {
      checked: control.indeterminate ? null : control.checked,
      radio: control.type === 'radio',
      is: control.type,
    };
  const role = control.getAttribute('role') ?? '';
  const roles = ['checkbox', 'switch', 'radio', 'menuitemcheckbox', 'menuitemradio', 'option', 'treeitem'];
  const ariaChecked = control.getAttribute('aria-checked');
  if (!roles.includes(role) && ariaChecked === null) return { checked: null, radio: false, is: null };
  const checked = ariaChecked === 'true' ? true : ariaChecked === 'mixed' ? null : false;
  return { checked, radio: role === 'radio' || role === 'menuitemradio', is: role };
});

/**
 * Returns a visible label of a box that accepts input. The box itself may be hidden, empty, transparent or moved
 * behind it.
 */
const visibleLabel = ([element]: Element[]): Element | null => {
  if (!element || element.matches(':disabled') || element.closest('[aria-disabled="true"], [inert]')) return null;
  const labels = 'labels' in element ? [...((element as HTMLInputElement).labels ?? [])] : [];
  const enclosingLabel = element.closest('label');
  const visibleElement = (label: Element) => {
    const { width, height } = label.getBoundingClientRect();
    return label.checkVisibility() && width > 0 && height > 0;
  };
  return [...labels, ...(enclosingLabel ? [enclosingLabel] : [])].find(visibleElement) ?? null;
};

/**
 * Locates a box and its click point. A box that accepts no input itself is clicked at its label.
 * @throws as `waitForTarget`
 */
async function locateBox(ctx: ActionContext, target: Target, aim: Aim = {}): Promise<LocatedTarget> {
  await ctx.waitUntilSettled();
  const deadline = limitDeadline(ctx, remainingMs(ctx) / 2);
  const rendering = new RenderingMonitor(ctx, deadline);
  const agreement = new LocatorAgreement(ctx, target, deadline);
  const box = await poll(async () => {
    let match = await findTarget(ctx, target, 'input', aim).catch(() => null);
    ctx.signal.throwIfAborted();
    if (!match) {
      const attached = await findTarget(ctx, target, 'attached').catch(() => null);
      match = attached && (await atLabel(ctx, attached, aim));
    }
    if (!match) {
      agreement.reset();
      return undefined;
    }
    return (await rendering.isUnique()) && (await agreement.accepts(match.located, rendering)) ? match : undefined;
  }, deadline);
  if (!box && agreement.error) throw agreement.error;
  // Throws the error with the reason.
  return box ?? waitForTarget(ctx, target, 'input', aim);
}

async function atLabel(ctx: ActionContext, box: LocatedTarget, aim: Aim): Promise<LocatedTarget | null> {
  const label = await box.ref.related(visibleLabel, undefined).catch(() => null);
  if (!label) return null;
  const { match } = await checkElement(ctx, fromHandle(label), box.frame, 'input', box.located, aim);
  return match ? { ...box, point: match.point, armed: match.armed } : null;
}

/**
 * Clicks a box unless it has the state already, and verifies the state.
 * @throws as `waitForTarget`; PilothouseError ACTION_UNSUPPORTED for an element without such a state,
 * TARGET_NOT_ACTIONABLE if the state did not change
 */
async function setChecked(ctx: ActionContext, target: Target, expected: boolean) {
  const box = await locateBox(ctx, target);
  const { ref, located } = box;
  const readState = () => evaluateOn(ctx, ref, checkedState, undefined, 'Reading the box');
  const { checked, radio, is } = await readState();
  if (is === null) {
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `${located.locator} is not a checkbox, radio button or switch; use \`click\` instead`,
    );
  }
  if (checked === expected) {
    ctx.entered.add(ctx, box, { kind: 'box', checked: expected });
    return { located };
  }
  if (radio && !expected) {
    throw new PilothouseError('ACTION_UNSUPPORTED', `${located.locator} is a radio button: check another of its group`);
  }
  // The first click on an indeterminate box may lead to either state.
  for (let clicks = checked === null ? 2 : 1; clicks > 0; clicks -= 1) {
    await press(ctx, (aim) => locateBox(ctx, target, aim), {
      subject: 'The click',
      clicks: 1,
      send: ({ x, y }) => ctx.page.mouse.click(x, y),
    });
    const isDone = await poll(
      async () => ((await readState()).checked === expected ? true : undefined),
      limitDeadline(ctx, STATE_TIMEOUT_MS),
    );
    if (!isDone) continue;
    ctx.entered.add(ctx, box, { kind: 'box', checked: expected });
    return { located };
  }
  const state = expected ? 'checked' : 'unchecked';
  throw new PilothouseError('TARGET_NOT_ACTIONABLE', `${located.locator} was clicked, but did not become ${state}`);
}

/** Checks a box. */
export const check: ActionHandler<'check'> = (ctx, { target }) => setChecked(ctx, target, true);

/** Unchecks a box. */
export const uncheck: ActionHandler<'uncheck'> = (ctx, { target }) => setChecked(ctx, target, false);

interface SelectOption {
  readonly label: string;
  readonly value: string;
  readonly isDisabled: boolean;
}

const readSelectOptions = elementFunction((element: Element): SelectOption[] => {
  const tidy = (text: string) => text.replace(/\s+/g, ' ').trim();
  const options = element instanceof HTMLSelectElement ? [...element.options] : [];
  return options.map((option) => ({
    label: tidy(option.label),
    value: option.value,
    isDisabled: option.matches(':disabled'),
  }));
});

/** Choice of a list after its events. */
interface Choice {
  /** Labels of the selected options; null if the expected options are selected, or if the page removed the list. */
  readonly other: string[] | null;
  /** True if the page acted on the choice and then selected its empty option: a menu of commands. */
  readonly isCommand: boolean;
}

/** Selects options, dispatches the events that a browser dispatches, and reads the choice back. */
const selectIndexes = elementFunction((element: Element, indexes: number[]): Choice => {
  if (!(element instanceof HTMLSelectElement)) return { other: null, isCommand: false };
  const tidy = (text: string) => text.replace(/\s+/g, ' ').trim();
  const expected = indexes.flatMap((index) => element.options[index] ?? []);
  const keys = (options: Iterable<HTMLOptionElement>) =>
    [...options].map((option) => JSON.stringify([option.value, tidy(option.label)])).sort();
  const expectedKeys = keys(expected);
  element.selectedIndex = -1;
  for (const option of expected) option.selected = true;
  const changes = new MutationObserver(() => undefined);
  changes.observe(element.ownerDocument, { subtree: true, childList: true, characterData: true, attributes: true });
  element.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
  const hasActed = changes.takeRecords().some(({ target }) => !element.contains(target));
  changes.disconnect();
  const selected = [...element.selectedOptions];
  if (!element.isConnected || keys(selected).join() === expectedKeys.join()) return { other: null, isCommand: false };
  const isEmpty = selected.every(({ value, disabled }) => value === '' || disabled);
  return { other: selected.map(({ label }) => tidy(label)), isCommand: hasActed && isEmpty };
});

/**
 * Selects options of a `<select>` and waits for them, because some sites load them late. Options of ARIA lists are
 * clicked.
 */
export const selectOption: ActionHandler<'selectOption'> = async (ctx, { target, option, by: optionKind }) => {
  const match = await listOf(ctx, await locateSelect(ctx, target));
  const { ref, kind, located } = match;
  const expected = [option].flat();
  if (kind.tag !== 'select') {
    const widget = () => evaluateOn(ctx, ref, listWidget, undefined, 'Reading the list');
    const { is, multiple, writable } = await widget();
    if (is === null) {
      throw new PilothouseError(
        'ACTION_UNSUPPORTED',
        `${located.locator} is a <${kind.tag}>, not a <select>, listbox or combobox; open it with \`click\` and click the option`,
      );
    }
    const isShown = await chooseInListbox(
      ctx,
      match,
      { is, multiple, writable },
      expected,
      optionKind,
      async () => (await widget()).open,
    );
    if (isShown) return { located };
    const reason = 'the option was clicked, but the list does not show it';
    return { located, effect: 'unverifiable', effectReason: reason };
  }
  if (expected.length > 1 && !kind.multiple) {
    throw new PilothouseError('ACTION_UNSUPPORTED', `${located.locator} takes one option, not ${expected.length}`);
  }
  let options: SelectOption[] = [];
  const optionsDeadline = { signal: ctx.signal, deadline: ctx.deadline - Math.min(500, remainingMs(ctx) * 0.2) };
  const ready = await poll(async () => {
    options = await evaluateOn(ctx, ref, readSelectOptions, undefined, 'The list of options');
    const indexes = expected.map((text) => optionIndex(options, text, optionKind));
    const isReady = indexes.every((index) => options[index]?.isDisabled === false);
    return isReady && !expected.some((text) => sameLabel(options, text, optionKind)) ? indexes : undefined;
  }, optionsDeadline);
  const duplicates = ready ? undefined : expected.find((text) => sameLabel(options, text, optionKind));
  if (duplicates !== undefined) throw optionAmbiguousError(located.locator, duplicates, options);
  if (!ready)
    throw optionNotFoundError(
      located.locator,
      expected.filter((text) => options[optionIndex(options, text, optionKind)]?.isDisabled !== false),
      options,
      optionKind,
    );
  let choice: Choice = { other: null, isCommand: false };
  await sendInput(ctx, 'Selecting the option', async () => {
    choice = await evaluateOn(ctx, ref, selectIndexes, ready, 'Selecting the option');
  });
  if (choice.other === null) {
    ctx.entered.add(ctx, match, { kind: 'choice', labels: ready.map((index) => options[index]?.label ?? '') });
    return { located };
  }
  if (choice.isCommand) {
    const reason = 'the page selected the empty option again after the choice';
    return { located, effect: 'unverifiable', effectReason: reason };
  }
  throw choiceChangedError(located.locator, expected, choice.other);
};

const quoteAll = (texts: readonly string[]) => texts.map((text) => JSON.stringify(text)).join(', ');

const choiceChangedError = (locator: string, expected: readonly string[], actual: readonly string[]) =>
  new PilothouseError(
    'TARGET_NOT_ACTIONABLE',
    `${locator}: ${quoteAll(expected)} was selected, but the page selected ${quoteAll(actual) || 'nothing'} instead; it may not accept the choice yet`,
    { details: { locator, expected: [...expected], actual: [...actual] } },
  );

/** Returns the list that a label names. */
const labelledList = ([element]: Element[]): Element | null =>
  element instanceof HTMLLabelElement && element.control instanceof HTMLSelectElement ? element.control : null;

/** Returns the list of a label; any other element is returned itself. */
async function listOf(ctx: ActionContext, match: LocatedTarget): Promise<LocatedTarget> {
  if (match.kind.tag !== 'label') return match;
  const list = await raceDeadline(match.ref.related(labelledList, undefined), ctx, match.located.locator);
  const { match: listMatch } = list
    ? await checkElement(ctx, fromHandle(list), match.frame, 'attached', match.located)
    : {};
  return listMatch ?? match;
}

/**
 * True if a styled list replaces a native `<select>`. The `<select>` is hidden, empty, or covered by a part of the same
 * widget.
 */
const isBelowList = elementFunction((element: Element) => {
  const widget = element.parentElement;
  if (!(element instanceof HTMLSelectElement) || element.matches(':disabled') || !widget?.checkVisibility())
    return false;
  const { left, top, width, height } = element.getBoundingClientRect();
  if (!element.checkVisibility() || width <= 1 || height <= 1) return true;
  const isClipped = getComputedStyle(widget).overflow !== 'visible';
  if (isClipped && (widget.clientWidth <= 1 || widget.clientHeight <= 1)) return true;
  const hit = document.elementFromPoint(left + width / 2, top + height / 2);
  if (!hit || hit === element || !widget.contains(hit)) return false;
  const cover = hit.getBoundingClientRect();
  return (
    cover.width * cover.height < (document.documentElement.clientWidth * document.documentElement.clientHeight) / 2
  );
});

/** Locates the list. A native `<select>` below a styled list is accepted. @throws as `waitForTarget` */
async function locateSelect(ctx: ActionContext, target: Target): Promise<LocatedTarget> {
  await ctx.waitUntilSettled();
  const rendering = new RenderingMonitor(ctx, ctx);
  const agreement = new LocatorAgreement(ctx, target, ctx);
  const locateBelowList = async () => {
    const match = await findTarget(ctx, target, 'attached').catch(() => null);
    ctx.signal.throwIfAborted();
    const isBelow = await match?.ref.evaluateAll(isBelowList, undefined).catch(() => null);
    if (!match || !isBelow?.value) return null;
    const isAccepted = await poll(async () => (await agreement.accepts(match.located, rendering)) || undefined, ctx);
    return isAccepted ? match : null;
  };
  const ready = await findTarget(ctx, target, 'input').catch(() => null);
  ctx.signal.throwIfAborted();
  const isUsable = ready && !ctx.preActionImage?.isPending && (await rendering.isUnique());
  if (isUsable && (await agreement.accepts(ready.located, rendering))) return ready;
  const first = ready ? null : await locateBelowList();
  const belowList = first && ((await rendering.isUnique()) ? first : await locateBelowList());
  const capturedList = belowList && (await captureAndRelocate(ctx, belowList, locateBelowList));
  if (capturedList) return capturedList;
  try {
    return await waitForTarget(ctx, target, 'input');
  } catch (error) {
    // The list may have appeared during the wait.
    const lateList = await locateBelowList();
    const capturedLateList = lateList && (await captureAndRelocate(ctx, lateList, locateBelowList));
    if (capturedLateList) return capturedLateList;
    throw error;
  }
}

/** Returns the visible element of a list: the list itself, or the control that replaces it. */
const visibleListElement = ([element]: Element[]): Element | null => {
  const { width = 0, height = 0 } = element?.getBoundingClientRect() ?? {};
  return element && (width <= 1 || height <= 1) ? element.parentElement : (element ?? null);
};

/**
 * Takes the screenshot before the action and locates the list again, because the screenshot takes time.
 * @returns null if the list is gone
 */
async function captureAndRelocate(
  ctx: ActionContext,
  match: LocatedTarget,
  relocate: () => Promise<LocatedTarget | null>,
): Promise<LocatedTarget | null> {
  if (!ctx.preActionImage?.isPending) return match;
  const visibleElement = await match.ref.related(visibleListElement, undefined).catch(() => null);
  await ctx.preActionImage.capture(ctx, visibleElement ? { ...match, ref: fromHandle(visibleElement) } : match);
  await visibleElement?.dispose();
  return relocate();
}

function optionNotFoundError(
  locator: string,
  expected: string[],
  options: SelectOption[],
  optionKind: ActionOf<'selectOption'>['by'],
): PilothouseError {
  const disabledOption = expected
    .map((text) => options[optionIndex(options, text, optionKind)])
    .find((option) => option?.isDisabled);
  if (disabledOption)
    return new PilothouseError(
      'TARGET_NOT_ACTIONABLE',
      `The option "${disabledOption.label}" of ${locator} is disabled`,
    );
  const labels = options.map(({ label }) => label);
  const listedLabels = labels.slice(0, 30).map((label) => JSON.stringify(label));
  return new PilothouseError(
    'TARGET_NOT_FOUND',
    `${locator} has no option ${expected.map((text) => JSON.stringify(text)).join(', ')}; there is ${listedLabels.join(', ') || 'none'}`,
    { details: { optionNotFound: expected, options: labels.slice(0, 100) } },
  );
}
