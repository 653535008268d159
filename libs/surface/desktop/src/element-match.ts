import { PilothouseError, type Locator } from '@pilothouse/contract';
import { compilePattern } from '@pilothouse/core';
import type { DesktopElement } from './accessibility/element-list.ts';
import type { Rectangle } from './x/window-manager.ts';

/** Locators that only pages of a browser have. */
const BROWSER_KINDS = ['css', 'testId', 'placeholder', 'has', 'hasText'] as const;

/**
 * Returns the elements of a list that a locator by role, label or text matches, in the order of the list.
 * @throws PilothouseError ACTION_UNSUPPORTED for a locator that only a browser has
 */
export function matchElements(elements: readonly DesktopElement[], locator: Locator): DesktopElement[] {
  const unsupported = BROWSER_KINDS.find((kind) => locator[kind] !== undefined);
  if (unsupported)
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `A desktop has no locator \`${unsupported}\`; use role and name, label, text, elementIndex or point`,
    );
  const scope = locator.within ? only(matchElements(elements, locator.within))?.bounds : undefined;
  if (locator.within && !scope) return [];
  const isExact = locator.exact === true;
  const pattern = locator.pattern === undefined ? null : compilePattern(locator.pattern);
  const matches = elements.filter((element) => {
    if (scope && !contains(scope, element.bounds)) return false;
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
  return locator.near
    ? nearest(matches, only(matchElements(elements, locator.near)), locator.side)
    : pick(matches, locator.nth);
}

const isField = (role: string): boolean =>
  ['textbox', 'combobox', 'spinbutton', 'slider', 'checkbox', 'radio'].includes(role);

/** Compares as locators do: the whole string, or contained whatever the case; white space counts as one space. */
export function isSame(text: string, wanted: string, isExact: boolean): boolean {
  const [normal, sought] = [text, wanted].map((each) => each.replace(/\s+/g, ' ').trim()) as [string, string];
  if (sought === '') return false;
  return isExact ? normal === sought : normal.toLowerCase().includes(sought.toLowerCase());
}

const only = (elements: readonly DesktopElement[]): DesktopElement | undefined =>
  elements.length === 1 ? elements[0] : undefined;

function pick(matches: DesktopElement[], nth: number | undefined): DesktopElement[] {
  if (nth === undefined) return matches;
  const match = matches.at(nth);
  return match ? [match] : [];
}

function nearest(
  matches: readonly DesktopElement[],
  anchor: DesktopElement | undefined,
  side: Locator['side'],
): DesktopElement[] {
  if (!anchor) return [];
  const from = middle(anchor.bounds);
  const candidates = matches
    .filter((match) => match !== anchor && (side === undefined || isOnSide(match.bounds, anchor.bounds, side)))
    .map((match) => {
      const to = middle(match.bounds);
      return { match, distance: Math.hypot(to.x - from.x, to.y - from.y) };
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

const contains = (outer: Rectangle, inner: Rectangle): boolean =>
  inner.x >= outer.x - 2 &&
  inner.y >= outer.y - 2 &&
  inner.x + inner.width <= outer.x + outer.width + 2 &&
  inner.y + inner.height <= outer.y + outer.height + 2;

export const middle = ({ x, y, width, height }: Rectangle): { x: number; y: number } => ({
  x: Math.round(x + width / 2),
  y: Math.round(y + height / 2),
});

/** Describes a locator in messages, e.g. `button "Save"`. */
export function describeLocator(locator: Locator): string {
  const { role, name, label, text, elementIndex, point, focus } = locator;
  if (role !== undefined) return name === undefined ? role : `${role} ${JSON.stringify(name)}`;
  if (label !== undefined) return `field ${JSON.stringify(label)}`;
  if (text !== undefined) return `text ${JSON.stringify(text)}`;
  if (elementIndex !== undefined) return `element ${elementIndex}`;
  if (point !== undefined) return `point ${point.x}, ${point.y}`;
  return focus ? 'the focused element' : 'element';
}
