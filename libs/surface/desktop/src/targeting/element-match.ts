import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { compilePattern } from '@pilothouse/core/regex/linear-regex';
import type { DesktopElement } from '../accessibility/accessible-node.ts';
import { toolbarMenuKey } from '../accessibility/libreoffice-nodes.ts';
import { isEqualRectangle, isInside, type Rectangle } from '../x/rectangle.ts';

/** Pixels by which an element may extend beyond its container. */
const TOLERANCE_PX = 2;

/** Something on the screen that a locator can find. */
export interface ScreenMatch {
  readonly bounds: Rectangle;
  /** Null for text and images that are found only in the screenshot. */
  readonly element: DesktopElement | null;
}

/** Returns the elements of a list that a locator by role, label or text matches, in the order of the list. Ignores `within`, `near`, `nth`. */
export function matchElements(elements: readonly DesktopElement[], locator: Locator): DesktopElement[] {
  const isExact = locator.exact === true;
  const pattern = locator.pattern === undefined ? null : compilePattern(locator.pattern);
  const matches = elements.filter((element) => {
    const { role, name, fallbackName = '', value = '' } = element;
    if (locator.role !== undefined) {
      if (role !== locator.role) return false;
      if (
        locator.name !== undefined &&
        !isSame(name, locator.name, isExact) &&
        !isSame(fallbackName, locator.name, isExact)
      )
        return false;
    } else if (locator.label !== undefined) {
      if (!isField(role)) return false;
      if (!isSame(name, locator.label, isExact) && !isSame(fallbackName, locator.label, isExact)) return false;
    } else if (locator.text !== undefined) {
      if (!isSame(name, locator.text, isExact) && !isSame(value, locator.text, isExact)) return false;
    }
    return pattern === null || pattern.test(name || value);
  });
  return locator.label === undefined ? withoutToolbarMenus(matches) : withoutOuterFields(matches);
}

/** The name of a toolbar button's arrow contains the name of the button: a part of both names means the button. */
function withoutToolbarMenus(matches: readonly DesktopElement[]): DesktopElement[] {
  const buttons = matches.filter(({ node }) => node.key === undefined);
  const menuKeys = new Set(buttons.map(({ node }) => toolbarMenuKey(node.path)));
  return matches.filter(({ node }) => node.key === undefined || !menuKeys.has(node.key));
}

/** An editable combobox has a text box in it, and both have the label: the text box takes the text. */
const withoutOuterFields = (fields: readonly DesktopElement[]): DesktopElement[] =>
  fields.filter(
    (field) =>
      field.role !== 'combobox' ||
      !fields.some(({ role, bounds }) => role === 'textbox' && contains(field.bounds, bounds)),
  );

/**
 * Applies `within`, `near` and `nth` of a locator.
 * @param scope bounds of the match of `within`; null: no match
 * @param anchor bounds of the match of `near`; null: no match
 */
export function narrowMatches<Match extends ScreenMatch>(
  matches: readonly Match[],
  locator: Pick<Locator, 'within' | 'near' | 'side' | 'nth'>,
  scope: Rectangle | null,
  anchor: Rectangle | null,
): Match[] {
  if ((locator.within && !scope) || (locator.near && !anchor)) return [];
  const inside = scope ? matches.filter(({ bounds }) => contains(scope, bounds)) : [...matches];
  return anchor ? nearest(inside, anchor, locator.side) : pick(inside, locator.nth);
}

const isField = (role: string): boolean =>
  ['textbox', 'searchbox', 'combobox', 'spinbutton', 'slider', 'checkbox', 'radio', 'switch'].includes(role);

/** Compares like locators: the whole string, or a part, case-insensitive. White space counts as one space. */
export function isSame(text: string, wanted: string, isExact: boolean): boolean {
  const [normal, sought] = [text, wanted].map((each) => each.replace(/\s+/g, ' ').trim()) as [string, string];
  if (sought === '') return false;
  return isExact ? normal === sought : normal.toLowerCase().includes(sought.toLowerCase());
}

function pick<Match>(matches: Match[], nth: number | undefined): Match[] {
  if (nth === undefined) return matches;
  const match = matches.at(nth);
  return match ? [match] : [];
}

function nearest<Match extends ScreenMatch>(
  matches: readonly Match[],
  anchor: Rectangle,
  side: Locator['side'],
): Match[] {
  const anchorCenter = middle(anchor);
  const candidates = matches
    .filter(({ bounds }) => !isEqualRectangle(bounds, anchor) && (side === undefined || isOnSide(bounds, anchor, side)))
    .map((match) => {
      const matchCenter = middle(match.bounds);
      return { match, distance: Math.hypot(matchCenter.x - anchorCenter.x, matchCenter.y - anchorCenter.y) };
    })
    .toSorted((first, second) => first.distance - second.distance);
  return candidates[0] ? [candidates[0].match] : [];
}

function isOnSide(bounds: Rectangle, anchor: Rectangle, side: NonNullable<Locator['side']>): boolean {
  switch (side) {
    case 'left':
      return bounds.x + bounds.width <= anchor.x;
    case 'right':
      return bounds.x >= anchor.x + anchor.width;
    case 'above':
      return bounds.y + bounds.height <= anchor.y;
    case 'below':
      return bounds.y >= anchor.y + anchor.height;
  }
}

const contains = (outer: Rectangle, inner: Rectangle): boolean => isInside(inner, outer, TOLERANCE_PX);

export const middle = ({ x, y, width, height }: Rectangle): { x: number; y: number } => ({
  x: Math.round(x + width / 2),
  y: Math.round(y + height / 2),
});
