/// <reference lib="dom" />
import type { plain } from './native-properties.ts';

/** Side of what scrolls that a point is brought to. */
export type Alignment = 'center' | 'end' | 'start';

type Plain = typeof plain;

/**
 * Scrolls all that is around an element until a point of it is in view. Runs in the page: it may use nothing but its arguments.
 * @param clickablePoint where the point is now, in the view of the document
 */
export function bringIntoView(
  element: Element,
  pointOf: () => { x: number; y: number },
  to: Alignment,
  plain: Plain,
): void {
  /** Pixels from the side. */
  const MARGIN = 40;
  const around = (node: Element): Element | null => {
    const own = plain(node);
    return own.assignedSlot ?? own.parentElement ?? (own.getRootNode() as Partial<ShadowRoot>).host ?? null;
  };
  const off = (at: number, from: number, size: number) => {
    const margin = Math.min(MARGIN, size / 2);
    if (to === 'center') return at - from - size / 2;
    return to === 'start' ? at - from - margin : at - from - size + margin;
  };
  const { compatMode, body, documentElement, scrollingElement } = document;
  const page = compatMode === 'BackCompat' ? body : documentElement;
  let isFixed = getComputedStyle(element).position === 'fixed';
  for (let node = around(element); node && !isFixed; node = around(node)) {
    const { overflowX, overflowY, position } = getComputedStyle(node);
    const scrolls = [overflowX, overflowY].some((flow) => flow !== 'visible' && flow !== 'clip');
    if (scrolls && node !== scrollingElement && node !== body && node !== documentElement) {
      const own = plain(node);
      const { left, top } = own.getBoundingClientRect();
      const { x, y } = pointOf();
      const by = {
        left: off(x, left + own.clientLeft, own.clientWidth),
        top: off(y, top + own.clientTop, own.clientHeight),
      };
      own.scrollBy({ ...by, behavior: 'instant' });
    }
    isFixed = position === 'fixed';
  }
  if (isFixed) return;
  const { x, y } = pointOf();
  const by = { left: off(x, 0, page.clientWidth), top: off(y, 0, page.clientHeight) };
  scrollingElement?.scrollBy({ ...by, behavior: 'instant' });
}
