import { type ActionOf, PilothouseError, type Target } from '@pilothouse/contract';
import { limitDeadline, poll, remainingMs } from '@pilothouse/core';
import { evaluateOn, sendInput } from '../browser.input.ts';
import { press } from '../targeting/hit-target.ts';
import type { Aim } from '../targeting/input-purpose.ts';
import { Drawing } from '../targeting/page-rendering.ts';
import { type LocatedTarget, checkElement, findTarget, waitForTarget } from '../targeting/locate-element.ts';
import { fromHandle } from '../targeting/element-ref.ts';
import type { ActionContext, ActionHandler } from '../action-context.ts';
import { elementFunction } from '../injected/evaluate-functions.ts';
import { chooseInListbox, optionIndex } from './aria-listbox.ts';
import { listWidget } from '../injected/form-controls.ts';

/** How long a page may take to show a box as it was clicked, in milliseconds. */
const SHOWING = 2000;

/** What can be checked says so itself: a native box, or the attribute of its role. A label stands for its field. */
const stateOf = elementFunction((element: Element) => {
  const labelled = element instanceof HTMLLabelElement ? element.control : null;
  const one = labelled ?? element;
  if (one instanceof HTMLInputElement && (one.type === 'checkbox' || one.type === 'radio'))
    return { checked: one.indeterminate ? null : one.checked, radio: one.type === 'radio', is: one.type };
  const role = one.getAttribute('role') ?? '';
  const roles = ['checkbox', 'switch', 'radio', 'menuitemcheckbox', 'menuitemradio', 'option', 'treeitem'];
  const said = one.getAttribute('aria-checked');
  if (!roles.includes(role) && said === null) return { checked: null, radio: false, is: null };
  const checked = said === 'true' ? true : said === 'mixed' ? null : false;
  return { checked, radio: role === 'radio' || role === 'menuitemradio', is: role };
});

/** The visible label of a box that takes input: a box may be hidden, empty, transparent or moved away behind it. */
const labelOf = ([element]: Element[]): Element | null => {
  if (!element || element.matches(':disabled') || element.closest('[aria-disabled="true"], [inert]')) return null;
  const labels = 'labels' in element ? [...((element as HTMLInputElement).labels ?? [])] : [];
  const around = element.closest('label');
  const shown = (label: Element) => {
    const { width, height } = label.getBoundingClientRect();
    return label.checkVisibility() && width > 0 && height > 0;
  };
  return [...labels, ...(around ? [around] : [])].find(shown) ?? null;
};

/** A box, and where it is clicked: a box that takes no input itself is clicked at its label. @throws as `locate` */
async function boxOf(hand: ActionContext, target: Target, aim: Aim = {}): Promise<LocatedTarget> {
  await hand.settled();
  const bound = limitDeadline(hand, remainingMs(hand) / 2);
  const drawing = new Drawing(hand, bound);
  const seen = await poll(async () => {
    let found = await findTarget(hand, target, 'input', aim).catch(() => null);
    hand.signal.throwIfAborted();
    if (!found) {
      const hidden = await findTarget(hand, target, 'attached').catch(() => null);
      found = hidden && (await atLabel(hand, hidden, aim));
    }
    return found && (await drawing.isUnique()) ? found : undefined;
  }, bound);
  /* Once more for what is wrong. */
  return seen ?? waitForTarget(hand, target, 'input', aim);
}

async function atLabel(hand: ActionContext, box: LocatedTarget, aim: Aim): Promise<LocatedTarget | null> {
  const label = await box.one.other(labelOf, undefined).catch(() => null);
  if (!label) return null;
  const { found } = await checkElement(hand, fromHandle(label), box.frame, 'input', box.located, aim);
  return found ? { ...box, point: found.point, armed: found.armed } : null;
}

/**
 * Clicks a box unless it is as wanted already, and looks whether it is so afterwards.
 * @throws as `locate`; PilothouseError ACTION_UNSUPPORTED for what cannot be so, TARGET_NOT_ACTIONABLE when it did not become so
 */
async function set(hand: ActionContext, target: Target, wanted: boolean) {
  const box = await boxOf(hand, target);
  const { one, located } = box;
  const look = () => evaluateOn(hand, one, stateOf, undefined, 'The look at the box');
  const { checked, radio, is } = await look();
  if (is === null) {
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `${located.locator} is no checkbox, radio button or switch: it does not say whether it is checked`,
    );
  }
  if (checked === wanted) return { located };
  if (radio && !wanted) {
    throw new PilothouseError('ACTION_UNSUPPORTED', `${located.locator} is a radio button: check another of its group`);
  }
  /* One that is neither may become either by the first click. */
  for (let clicks = checked === null ? 2 : 1; clicks > 0; clicks -= 1) {
    await press(hand, (aim) => boxOf(hand, target, aim), {
      what: 'The click',
      send: ({ x, y }) => hand.page.mouse.click(x, y),
    });
    const so = await poll(
      async () => ((await look()).checked === wanted ? true : undefined),
      limitDeadline(hand, SHOWING),
    );
    if (so) return { located };
  }
  const state = wanted ? 'checked' : 'unchecked';
  throw new PilothouseError('TARGET_NOT_ACTIONABLE', `${located.locator} was clicked, but did not become ${state}`);
}

/** Checks a box. */
export const check: ActionHandler<'check'> = (hand, { target }) => set(hand, target, true);

/** Unchecks a box. */
export const uncheck: ActionHandler<'uncheck'> = (hand, { target }) => set(hand, target, false);

interface Options {
  readonly label: string;
  readonly value: string;
  readonly off: boolean;
}

const optionsOf = elementFunction((element: Element): Options[] => {
  const tidy = (text: string) => text.replace(/\s+/g, ' ').trim();
  const options = element instanceof HTMLSelectElement ? [...element.options] : [];
  return options.map((one) => ({ label: tidy(one.label), value: one.value, off: one.matches(':disabled') }));
});

/** Chooses options, and says so to the page as a browser does. */
const choose = elementFunction((element: Element, indexes: number[]) => {
  if (!(element instanceof HTMLSelectElement)) return;
  const wanted = indexes.flatMap((index) => element.options[index] ?? []);
  element.selectedIndex = -1;
  for (const option of wanted) option.selected = true;
  element.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
});

/** Chooses options of a `<select>`, waiting for them: some sites load them late. Of ARIA's lists by clicks. */
export const selectOption: ActionHandler<'selectOption'> = async (hand, { target, option, by }) => {
  const found = await selectOf(hand, target);
  const { one, kind, located } = found;
  const wanted = [option].flat();
  if (kind.tag !== 'select') {
    const widget = () => evaluateOn(hand, one, listWidget, undefined, 'The look at the list');
    const { is, multiple, writable } = await widget();
    if (is === null) {
      throw new PilothouseError(
        'ACTION_UNSUPPORTED',
        `${located.locator} is a <${kind.tag}>, no <select>, listbox or combobox; open it with \`click\` and click the option`,
      );
    }
    await chooseInListbox(hand, found, { is, multiple, writable }, wanted, by, async () => (await widget()).open);
    return { located };
  }
  if (wanted.length > 1 && !kind.multiple) {
    throw new PilothouseError('ACTION_UNSUPPORTED', `${located.locator} takes one option, not ${wanted.length}`);
  }
  let seen: Options[] = [];
  const until = { signal: hand.signal, deadline: hand.deadline - Math.min(500, remainingMs(hand) * 0.2) };
  const ready = await poll(async () => {
    seen = await evaluateOn(hand, one, optionsOf, undefined, 'The list of options');
    const indexes = wanted.map((text) => optionIndex(seen, text, by));
    return indexes.every((index) => seen[index]?.off === false) ? indexes : undefined;
  }, until);
  if (!ready)
    throw missing(
      located.locator,
      wanted.filter((text) => seen[optionIndex(seen, text, by)]?.off !== false),
      seen,
      by,
    );
  await sendInput(hand, 'The choice', () => evaluateOn(hand, one, choose, ready, 'The choice'));
  return { located };
};

/** Whether a native `<select>` lies below a styled list that stands for it: hidden, empty, or covered by a part of the same widget. */
const isBelowList = elementFunction((element: Element) => {
  const widget = element.parentElement;
  if (!(element instanceof HTMLSelectElement) || element.matches(':disabled') || !widget?.checkVisibility())
    return false;
  const { left, top, width, height } = element.getBoundingClientRect();
  if (!element.checkVisibility() || width <= 1 || height <= 1) return true;
  const hit = document.elementFromPoint(left + width / 2, top + height / 2);
  if (!hit || hit === element || !widget.contains(hit)) return false;
  const cover = hit.getBoundingClientRect();
  return (
    cover.width * cover.height < (document.documentElement.clientWidth * document.documentElement.clientHeight) / 2
  );
});

/** The element to choose in. A native `<select>` is taken also when it lies below a styled list. @throws as `locate` */
async function selectOf(hand: ActionContext, target: Target): Promise<LocatedTarget> {
  await hand.settled();
  const covered = async () => {
    const found = await findTarget(hand, target, 'attached').catch(() => null);
    hand.signal.throwIfAborted();
    const below = await found?.one.evaluateAll(isBelowList, undefined).catch(() => null);
    return below?.value ? found : null;
  };
  const ready = await findTarget(hand, target, 'input').catch(() => null);
  hand.signal.throwIfAborted();
  const drawing = new Drawing(hand, hand);
  if (ready && !hand.before?.isWanted && (await drawing.isUnique())) return ready;
  const first = ready ? null : await covered();
  const settled = first && ((await drawing.isUnique()) ? first : await covered());
  const pictured = settled && (await withImage(hand, settled, covered));
  if (pictured) return pictured;
  try {
    return await waitForTarget(hand, target, 'input');
  } catch (thrown) {
    /* The list may have come while the element was waited for. */
    const late = await covered();
    const withLate = late && (await withImage(hand, late, covered));
    if (withLate) return withLate;
    throw thrown;
  }
}

/** Returns the visible element of a list: the list itself, or the control that replaces it. */
const shownOf = ([element]: Element[]): Element | null => {
  const { width = 0, height = 0 } = element?.getBoundingClientRect() ?? {};
  return element && (width <= 1 || height <= 1) ? element.parentElement : (element ?? null);
};

/** Takes the image before the action. It takes its time: the list is looked for again. @returns null when it is gone */
async function withImage(
  hand: ActionContext,
  found: LocatedTarget,
  again: () => Promise<LocatedTarget | null>,
): Promise<LocatedTarget | null> {
  if (!hand.before?.isWanted) return found;
  const shown = await found.one.other(shownOf, undefined).catch(() => null);
  await hand.before.take(hand, shown ? { ...found, one: fromHandle(shown) } : found);
  await shown?.dispose();
  return again();
}

function missing(
  locator: string,
  wanted: string[],
  seen: Options[],
  by: ActionOf<'selectOption'>['by'],
): PilothouseError {
  const off = wanted.map((text) => seen[optionIndex(seen, text, by)]).find((one) => one?.off);
  if (off) return new PilothouseError('TARGET_NOT_ACTIONABLE', `The option "${off.label}" of ${locator} is disabled`);
  const labels = seen.map(({ label }) => label);
  const there = labels.slice(0, 30).map((label) => JSON.stringify(label));
  return new PilothouseError(
    'TARGET_NOT_FOUND',
    `${locator} has no option ${wanted.map((text) => JSON.stringify(text)).join(', ')}; there is ${there.join(', ') || 'none'}`,
    { details: { missing: wanted, options: labels.slice(0, 100) } },
  );
}
