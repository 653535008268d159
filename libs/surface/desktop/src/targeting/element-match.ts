import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { compilePattern } from '@pilothouse/core/regex/linear-regex';
import type { DesktopElement } from '../accessibility/accessible-node.ts';
import { toolbarMenuKey } from '../accessibility/libreoffice-nodes.ts';
import { isPlaceName, isUnnamedImage } from '../accessibility/unnamed-controls.ts';
import { isEqualRectangle, isInside, type Rectangle } from '../x/rectangle.ts';

/** Pixels by which an element may extend beyond its container. */
const TOLERANCE_PX = 2;

/** Pixels by which a match outside of the column may be nearer and still come second. About one row of a form. */
const COLUMN_ADVANTAGE_PX = 40;

/** Part of the height that matches of one row share at least. Fields of neighbouring rows may overlap by a few pixels. */
const MIN_ROW_OVERLAP = 0.25;

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
        !isSameFallback(fallbackName, locator.name, isExact)
      )
        return false;
      if (locator.name === undefined && isUnnamedImage(element)) return false;
    } else if (locator.label !== undefined) {
      if (!isField(role)) return false;
      if (!isSame(name, locator.label, isExact) && !isSameFallback(fallbackName, locator.label, isExact)) return false;
    } else if (locator.text !== undefined) {
      if (!isSame(name, locator.text, isExact) && !isSame(value, locator.text, isExact)) return false;
    }
    return pattern === null || pattern.test(name || value);
  });
  return locator.label === undefined ? withoutToolbarMenus(matches) : withoutOuterFields(matches);
}

/** Removes the menu arrows of matched toolbar buttons. The name of an arrow contains the name of its button. */
function withoutToolbarMenus(matches: readonly DesktopElement[]): DesktopElement[] {
  const buttons = matches.filter(({ node }) => node.key === undefined);
  const menuKeys = new Set(buttons.map(({ node }) => toolbarMenuKey(node.path)));
  return matches.filter(({ node }) => node.key === undefined || !menuKeys.has(node.key));
}

/** Removes editable comboboxes with a matched text box in them. Both have the label, and the text box takes the text. */
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

/** A name by place matches only as a whole: no program shows it, so that a part of it means another element. */
const isSameFallback = (fallbackName: string, wanted: string, isExact: boolean): boolean =>
  isSame(fallbackName, wanted, isExact || isPlaceName(fallbackName));

function pick<Match>(matches: Match[], nth: number | undefined): Match[] {
  if (nth === undefined) return matches;
  const match = matches.at(nth);
  return match ? [match] : [];
}

/**
 * The match nearest to an anchor, by the gap between both, then by the distance of their centers. To the left or right, matches in the row of
 * the anchor come first, and those of another row are none. Above or below, a match in the column comes first if the gaps are similar.
 */
function nearest<Match extends ScreenMatch>(
  matches: readonly Match[],
  anchor: Rectangle,
  side: Locator['side'],
): Match[] {
  const anchorCenter = middle(anchor);
  const isRow = side === 'left' || side === 'right';
  const candidates = matches
    .filter(({ bounds }) => !isEqualRectangle(bounds, anchor) && (side === undefined || isOnSide(bounds, anchor, side)))
    .map((match) => {
      const { bounds } = match;
      const center = middle(bounds);
      const [horizontal, vertical] = [horizontalRange(bounds, anchor), verticalRange(bounds, anchor)];
      const overlap = isRow ? vertical.overlap : horizontal.overlap;
      const isAligned = side === undefined || overlap >= 0.5;
      return {
        match,
        overlap,
        isSecond: isRow && !isAligned,
        gap: Math.hypot(horizontal.gap, vertical.gap) + (isRow || isAligned ? 0 : COLUMN_ADVANTAGE_PX),
        distance: Math.hypot(center.x - anchorCenter.x, center.y - anchorCenter.y),
      };
    })
    .filter(({ overlap }) => !isRow || overlap >= MIN_ROW_OVERLAP)
    .toSorted(
      (first, second) =>
        Number(first.isSecond) - Number(second.isSecond) || first.gap - second.gap || first.distance - second.distance,
    );
  return candidates[0] ? [candidates[0].match] : [];
}

/** Position of two ranges. */
interface RangeRelation {
  /** Pixels between them; 0 if they overlap. */
  readonly gap: number;
  /** Overlapping part of the smaller range, 0 to 1. */
  readonly overlap: number;
}

const horizontalRange = (first: Rectangle, second: Rectangle): RangeRelation =>
  rangeRelation(first.x, first.width, second.x, second.width);

const verticalRange = (first: Rectangle, second: Rectangle): RangeRelation =>
  rangeRelation(first.y, first.height, second.y, second.height);

function rangeRelation(start: number, size: number, otherStart: number, otherSize: number): RangeRelation {
  const shared = Math.min(start + size, otherStart + otherSize) - Math.max(start, otherStart);
  return { gap: Math.max(0, -shared), overlap: Math.max(0, shared) / Math.max(1, Math.min(size, otherSize)) };
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
