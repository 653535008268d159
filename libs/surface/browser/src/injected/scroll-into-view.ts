/// <reference lib="dom" />
import type { plain } from '@pilothouse/surface-page-elements';

/** Side of the scroll container that a point is aligned with. */
export type Alignment = 'center' | 'end' | 'start';

type Plain = typeof plain;

/**
 * Scrolls all containers of an element until a point of it is in view. Runs in the page and may use only its
 * arguments.
 * @param pointOf returns the current position of the point in the document
 */
export function scrollPointIntoView(
  element: Element,
  pointOf: () => { x: number; y: number },
  alignment: Alignment,
  plain: Plain,
): void {
  /** Distance from the side in pixels. */
  const MARGIN_PX = 40;
  const parentOf = (node: Element): Element | null => {
    const native = plain(node);
    return native.assignedSlot ?? native.parentElement ?? (native.getRootNode() as Partial<ShadowRoot>).host ?? null;
  };
  const scrollDelta = (pointPosition: number, start: number, size: number) => {
    const margin = Math.min(MARGIN_PX, size / 2);
    if (alignment === 'center') return pointPosition - start - size / 2;
    return alignment === 'start' ? pointPosition - start - margin : pointPosition - start - size + margin;
  };
  const { compatMode, body, documentElement, scrollingElement } = document;
  const page = compatMode === 'BackCompat' ? body : documentElement;
  let isFixed = getComputedStyle(element).position === 'fixed';
  for (let node = parentOf(element); node && !isFixed; node = parentOf(node)) {
    const { overflowX, overflowY, position } = getComputedStyle(node);
    const scrolls = [overflowX, overflowY].some((flow) => flow !== 'visible' && flow !== 'clip');
    if (scrolls && node !== scrollingElement && node !== body && node !== documentElement) {
      const container = plain(node);
      const { left, top } = container.getBoundingClientRect();
      const { x, y } = pointOf();
      const delta = {
        left: scrollDelta(x, left + container.clientLeft, container.clientWidth),
        top: scrollDelta(y, top + container.clientTop, container.clientHeight),
      };
      container.scrollBy({ ...delta, behavior: 'instant' });
    }
    isFixed = position === 'fixed';
  }
  if (isFixed) return;
  const { x, y } = pointOf();
  const delta = { left: scrollDelta(x, 0, page.clientWidth), top: scrollDelta(y, 0, page.clientHeight) };
  scrollingElement?.scrollBy({ ...delta, behavior: 'instant' });
}
