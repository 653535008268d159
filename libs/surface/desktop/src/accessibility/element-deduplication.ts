import type { DesktopElement } from './accessible-node.ts';
import { isInside, type Rectangle } from '../x/rectangle.ts';

/** Elements before a text that are compared with it. */
const MAX_CONTAINERS = 8;

/** Pixels by which cells of one row may differ. */
const ROW_SLACK_PX = 2;

/**
 * Drops elements that repeat another one. Those are unnamed containers, the outer of two with one name, cells beside
 * the text of their row, and text that names the element around it.
 */
export function deduplicateElements(elements: readonly DesktopElement[]): DesktopElement[] {
  const targets = elements.filter(({ interactive }) => interactive);
  const named = targets.filter(hasName);
  const namedCells = named.filter(({ role }) => role === 'gridcell');
  return elements.filter((element, index) => {
    if (element.role === 'text') return !isTextOfBefore(elements, index);
    if (!element.interactive || element.role === 'combobox' || element.role === 'textbox') return true;
    if (element.value || element.state.checked !== undefined || element.state.focused) return true;
    if (hasName(element))
      return !named.some(
        (namedElement) =>
          namedElement !== element &&
          namedElement.role === element.role &&
          namedElement.name === element.name &&
          isSmallerInside(namedElement.bounds, element.bounds),
      );
    if (element.role === 'gridcell' && namedCells.some(({ bounds }) => isInRow(bounds, element.bounds))) return false;
    return !named.some((namedElement) => isInside(namedElement.bounds, element.bounds));
  });
}

/** True if a text is the name of one of the elements before it that contain it. */
function isTextOfBefore(elements: readonly DesktopElement[], index: number): boolean {
  const text = elements[index];
  if (!text) return false;
  return elements
    .slice(Math.max(0, index - MAX_CONTAINERS), index)
    .some(({ role, name, bounds }) => role !== 'text' && name.includes(text.name) && isInside(text.bounds, bounds));
}

const hasName = ({ name, fallbackName }: DesktopElement): boolean => name !== '' || fallbackName !== undefined;

const isInRow = (cell: Rectangle, bounds: Rectangle): boolean =>
  Math.abs(cell.y - bounds.y) <= ROW_SLACK_PX && Math.abs(cell.height - bounds.height) <= ROW_SLACK_PX;

const isSmallerInside = (inner: Rectangle, outer: Rectangle): boolean =>
  inner.width * inner.height < outer.width * outer.height && isInside(inner, outer);
