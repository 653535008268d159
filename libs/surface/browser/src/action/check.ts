import { PilothouseError, type Target } from '@pilothouse/contract';
import { evaluateOn } from '../browser.input.ts';
import { press } from './hit-target.ts';
import type { Aim } from '../target/aim.ts';
import { Drawing } from '../target/drawing.ts';
import { waitForTarget, findTarget, checkElement, type LocatedTarget } from '../target/locate.ts';
import { fromHandle } from '../page/one.ts';
import type { ActionContext, ActionHandler } from '../hand.ts';
import { elementFunction } from '../page/in-page.ts';
import { withTimeout, remainingMs, poll } from '../wait.ts';

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
  const bound = withTimeout(hand, remainingMs(hand) / 2);
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
 * @throws as `locate`; PilothouseError ACTION_UNSUPPORTED for what cannot be so, TARGET_NOT_READY when it did not become so
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
      withTimeout(hand, SHOWING),
    );
    if (so) return { located };
  }
  const state = wanted ? 'checked' : 'unchecked';
  throw new PilothouseError('TARGET_NOT_READY', `${located.locator} was clicked, but did not become ${state}`);
}

/** Checks a box. */
export const check: ActionHandler<'check'> = (hand, { target }) => set(hand, target, true);

/** Unchecks a box. */
export const uncheck: ActionHandler<'uncheck'> = (hand, { target }) => set(hand, target, false);
