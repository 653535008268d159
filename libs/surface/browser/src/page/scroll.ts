import { elementFunction } from './in-page.ts';

/** How far, or to which end. */
export interface ScrollDistance {
  readonly x: number;
  readonly y: number;
  readonly to: 'top' | 'bottom' | 'left' | 'right' | null;
}

/**
 * Scrolls what scrolls around an element: the element itself, else the nearest one around it that can go that way, at last the page.
 * Of the whole page, when that does not scroll, what scrolls in its middle.
 * @returns false when nothing can go that way
 */
export const scrollContainer = elementFunction((element: Element, { x, y, to }: ScrollDistance, { plain }): boolean => {
  const sideways = to === null ? Math.abs(x) > Math.abs(y) : to === 'left' || to === 'right';
  const scrolls = (one: Element) => {
    const style = getComputedStyle(one);
    const flow = sideways ? style.overflowX : style.overflowY;
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = plain(one);
    const room = sideways ? scrollWidth - clientWidth : scrollHeight - clientHeight;
    if (one === document.scrollingElement) return room > 0 && flow !== 'hidden';
    return room > 0 && (flow === 'auto' || flow === 'scroll' || flow === 'overlay');
  };
  const parentOf = (one: Element): Element | null => {
    const { assignedSlot, parentNode, parentElement } = plain(one);
    if (assignedSlot) return assignedSlot;
    return parentNode instanceof ShadowRoot ? parentNode.host : parentElement;
  };
  const around = (from: Element | null): Element | null => {
    for (let one = from; one; one = parentOf(one)) if (scrolls(one)) return one;
    return null;
  };
  const middle = () => {
    const view = document.compatMode === 'BackCompat' ? document.body : document.documentElement;
    const [x, y] = [view.clientWidth / 2, view.clientHeight / 2];
    let hit = document.elementFromPoint(x, y);
    for (let root = hit?.shadowRoot; root instanceof ShadowRoot; root = hit?.shadowRoot) {
      const inner = root.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };
  const scrolling = around(element) ?? (element === document.documentElement ? around(middle()) : null);
  if (!scrolling) return false;
  const found = plain(scrolling);
  const behavior = 'instant';
  if (to === null) found.scrollBy({ left: x, top: y, behavior });
  else if (to === 'top' || to === 'bottom') found.scrollTo({ top: to === 'top' ? 0 : found.scrollHeight, behavior });
  else found.scrollTo({ left: to === 'left' ? 0 : found.scrollWidth, behavior });
  return true;
});

/** Brings an element to the middle of what is in view. */
export const scrollIntoView = elementFunction((element: Element) =>
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' }),
);
