import type { Action, Bounds, ElementView, Observation } from '@pilothouse/contract';
import type { TargetDescription } from './lost-element.ts';

/*
 * Finds the lost element in view by role, name and adjacent text. Ambiguous results are dropped, because the next healing method has more
 * information.
 */

/** Minimum similarity of the best element, and its minimum distance to the second best. */
const LEAST = 0.85;
const AHEAD = 0.1;

/** Weights of role and name. */
const ROLE = 0.3;
const NAME = 0.7;

/** Weight of adjacent text that serves as the name, relative to a name of the element itself. */
const BESIDE = 0.85;

/** Maximum pixels between an element and its label: to its left, and above it. */
const LEFT = 300;
const ABOVE = 40;

/** Roles that replace each other when a page is redesigned. */
const families: readonly (readonly string[])[] = [
  ['button', 'link', 'menuitem', 'tab', 'clickable'],
  ['textbox', 'searchbox', 'combobox', 'spinbutton'],
  ['checkbox', 'switch', 'radio', 'menuitemcheckbox', 'menuitemradio'],
  ['combobox', 'listbox'],
];

/** Roles that an action applies to. Other actions apply to any interactive element. */
const suited: Partial<Record<Action['action'], readonly string[]>> = {
  fill: ['textbox', 'searchbox', 'combobox', 'spinbutton'],
  type: ['textbox', 'searchbox', 'combobox', 'spinbutton'],
  clear: ['textbox', 'searchbox', 'combobox', 'spinbutton'],
  check: ['checkbox', 'switch', 'radio', 'menuitemcheckbox', 'menuitemradio'],
  uncheck: ['checkbox', 'switch', 'menuitemcheckbox'],
  selectOption: ['combobox', 'listbox'],
};

/** The element in view that is clearly the most similar to the target; null: none. */
export function mostSimilarElement(
  wanted: TargetDescription,
  action: Action['action'],
  seen: Observation,
): ElementView | null {
  if (wanted.names.length === 0) return null;
  const likely = seen.elements
    .map((element) => ({ element, like: likeness(element, wanted, action, seen) }))
    .filter(({ like }) => like >= LEAST)
    .sort((a, b) => b.like - a.like);
  const [first, second] = likely;
  if (!first) return null;
  if (!second || first.like - second.like >= AHEAD) return first.element;
  const equal = likely.filter(({ like }) => first.like - like < AHEAD).map(({ element }) => element);
  return nearest(equal, wanted.beside, seen);
}

/** True if an element of this role may be the target. */
export const isCompatibleRole = (role: string, { roles }: Pick<TargetDescription, 'roles'>): boolean =>
  roles.size === 0 || roles.has(role) || families.some((one) => one.includes(role) && one.some((it) => roles.has(it)));

/** True if a name equals or resembles a name of the target. */
export const hasSimilarName = (name: string, { names }: Pick<TargetDescription, 'names'>): boolean =>
  names.some((one) => alike(one, name) >= LEAST);

/** Similarity from 0 (different) to 1 (same). */
function likeness(
  element: ElementView,
  wanted: TargetDescription,
  action: Action['action'],
  seen: Observation,
): number {
  const { role, state, interactive } = element;
  if (!interactive || state.disabled || !isCompatibleRole(role, wanted)) return 0;
  const fits = suited[action];
  if (fits && !fits.includes(role)) return 0;
  const byRole = wanted.roles.has(role) ? 1 : wanted.roles.size === 0 && fits ? 1 : 0.8;
  const own = element.name || element.fallbackName || '';
  const named = Math.max(...wanted.names.map((name) => alike(name, own)));
  const label = element.name === '' ? labelBeside(element, seen) : null;
  const beside = label === null ? 0 : BESIDE * Math.max(...wanted.names.map((name) => alike(name, label)));
  return ROLE * byRole + NAME * Math.max(named, beside);
}

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

/** Similarity of two names: same words, or additional words at the end. Words at the beginning (“do not”) may invert the meaning. */
function alike(one: string, other: string): number {
  const [short = [], long = []] = [wordsOf(one), wordsOf(other)].sort((a, b) => a.length - b.length);
  if (short.length === 0 || short.some((word, index) => word !== long[index])) return 0;
  return 0.5 + 0.5 * (short.length / long.length);
}

/** Label of a field without a name: the nearest text to its left on the same line, or the text directly above. */
function labelBeside({ bounds }: ElementView, { elements }: Observation): string | null {
  const texts = elements.filter(({ interactive, name }) => !interactive && name !== '');
  // Excludes a paragraph that is hardly taller than the field in it.
  const around = (one: Bounds) =>
    one.x <= bounds.x &&
    one.x + one.width >= bounds.x + bounds.width &&
    overlaps(one.y, one.height, bounds.y, bounds.height) &&
    one.height <= 2 * bounds.height;
  const gap = (one: Bounds) => (around(one) ? 0 : bounds.x - (one.x + one.width));
  const rise = (one: Bounds) => bounds.y - (one.y + one.height);
  const left = texts
    .filter(({ bounds: one }) => overlaps(one.y, one.height, bounds.y, bounds.height) && gap(one) >= 0)
    .filter(({ bounds: one }) => gap(one) <= LEFT)
    .sort((a, b) => gap(a.bounds) - gap(b.bounds));
  const above = texts
    .filter(({ bounds: one }) => overlaps(one.x, one.width, bounds.x, bounds.width) && rise(one) >= 0)
    .filter(({ bounds: one }) => rise(one) <= ABOVE)
    .sort((a, b) => rise(a.bounds) - rise(b.bounds));
  return (left[0] ?? above[0])?.name ?? null;
}

const overlaps = (from: number, size: number, other: number, otherSize: number) =>
  from < other + otherSize && other < from + size;

/** The element that is nearest to an adjacent text of the target; null: undecided. */
function nearest(those: readonly ElementView[], beside: readonly string[], seen: Observation): ElementView | null {
  const places = seen.elements.filter(({ name }) => beside.some((text) => alike(text, name) === 1));
  const [place] = places;
  if (!place || places.length > 1) return null;
  const far = ({ bounds }: ElementView) =>
    Math.hypot(middle(bounds).x - middle(place.bounds).x, middle(bounds).y - middle(place.bounds).y);
  return those.toSorted((a, b) => far(a) - far(b))[0] ?? null;
}

const middle = ({ x, y, width, height }: Bounds) => ({ x: x + width / 2, y: y + height / 2 });
