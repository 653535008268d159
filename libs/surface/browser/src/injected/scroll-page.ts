/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { elementFunction, pageFunction, type PageHelpers } from './evaluate-functions.ts';
import { scrollPointIntoView } from './scroll-into-view.ts';

/** Distance or end to scroll to. */
export interface ScrollDistance {
  readonly x: number;
  readonly y: number;
  readonly edge: 'top' | 'bottom' | 'left' | 'right' | null;
}

/** Container that a scroll moves, and the point where the mouse wheel moves it. */
export interface ScrollPlan {
  /** False if nothing can scroll that way. */
  readonly hasContainer: boolean;
  /** False if the container is at its end, or nothing can scroll that way. */
  readonly canMove: boolean;
  /** Point in pixels of the document over the element or its container; null if none is in view. */
  readonly point: { readonly x: number; readonly y: number } | null;
  /** Position of the container. */
  readonly position: string;
  /** Size of the container's content. */
  readonly extent: string;
}

/**
 * Finds the container of a scroll: the element itself, otherwise its nearest ancestor that can scroll that way, finally
 * the page. If the page cannot scroll, it is the container at its center.
 */
function containerOf(element: Element, { x, y, edge }: ScrollDistance, plain: PageHelpers['plain']) {
  const isHorizontal = edge === null ? Math.abs(x) > Math.abs(y) : edge === 'left' || edge === 'right';
  const scrolls = (candidate: Element) => {
    const style = getComputedStyle(candidate);
    const flow = isHorizontal ? style.overflowX : style.overflowY;
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = plain(candidate);
    const overflow = isHorizontal ? scrollWidth - clientWidth : scrollHeight - clientHeight;
    if (candidate === document.scrollingElement) return overflow > 0 && flow !== 'hidden';
    return overflow > 0 && (flow === 'auto' || flow === 'scroll' || flow === 'overlay');
  };
  const parentOf = (node: Element): Element | null => {
    const { assignedSlot, parentNode, parentElement } = plain(node);
    if (assignedSlot) return assignedSlot;
    return parentNode instanceof ShadowRoot ? parentNode.host : parentElement;
  };
  const nearest = (start: Element | null): Element | null => {
    for (let node = start; node; node = parentOf(node)) if (scrolls(node)) return node;
    return null;
  };
  const contains = (outer: Element, inner: Element | null): boolean => {
    for (let node = inner; node; node = parentOf(node)) if (node === outer) return true;
    return false;
  };
  const hitAt = (left: number, top: number): Element | null => {
    let hit = document.elementFromPoint(left, top);
    for (let root = hit?.shadowRoot; root instanceof ShadowRoot; root = hit?.shadowRoot) {
      const inner = root.elementFromPoint(left, top);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };
  const root = document.compatMode === 'BackCompat' ? document.body : document.documentElement;
  const view = { left: 0, top: 0, right: root.clientWidth, bottom: root.clientHeight };
  const isPage = element === document.documentElement;
  const container = nearest(element) ?? (isPage ? nearest(hitAt(view.right / 2, view.bottom / 2)) : null);
  return { container, isPage, nearest, contains, hitAt, view };
}

/** Plans a scroll by a distance. Brings the container into view if it is out of view. */
export const planScroll = elementFunction(
  (element: Element, distance: ScrollDistance, { plain, containerOf, rangeRects }): ScrollPlan => {
    const { container, isPage, nearest, contains, hitAt, view } = containerOf(element, distance, plain);
    const isDocument = container === null || container === document.scrollingElement;
    const boxOf = (node: Element) =>
      node === document.scrollingElement || node === document.documentElement
        ? [view]
        : [...(plain(node).getClientRects().length > 0 ? plain(node).getClientRects() : rangeRects(node))];
    const pointIn = (node: Element, accepts: (hit: Element) => boolean) => {
      for (const { left, top, right, bottom } of boxOf(node)) {
        const [start, end] = [Math.max(left, 0), Math.min(right, view.right)];
        const [above, below] = [Math.max(top, 0), Math.min(bottom, view.bottom)];
        if (end - start < 1 || below - above < 1) continue;
        for (const part of [0.5, 0.25, 0.75, 0.08, 0.92])
          for (const side of [0.5, 0.25, 0.75, 0.04, 0.96]) {
            const point = { x: start + (end - start) * side, y: above + (below - above) * part };
            const hit = hitAt(point.x, point.y);
            if (hit && accepts(hit)) return point;
          }
      }
      return null;
    };
    const frames = ['iframe', 'frame', 'object', 'embed'];
    const moves = (hit: Element) =>
      container === null || (nearest(hit) === container && (hit === element || !frames.includes(hit.localName)));
    const find = () =>
      pointIn(element, (hit) => (isPage || contains(element, hit)) && moves(hit)) ??
      (container && pointIn(container, (hit) => contains(container, hit) && moves(hit)));
    let point = find();
    if (!point) {
      const native = plain(isDocument ? element : container);
      const isOut = boxOf(native).every(
        ({ left, top, right, bottom }) => right < 1 || bottom < 1 || left > view.right - 1 || top > view.bottom - 1,
      );
      // A scroll of the page must not move it first.
      if (isOut && (container === null || !isDocument)) {
        native.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
        point = find();
      }
    }
    if (!container) return { hasContainer: false, canMove: false, point, position: '', extent: '' };
    const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } = plain(container);
    const isLeftOpen = getComputedStyle(container).direction === 'rtl';
    const leftEnd = isLeftOpen ? clientWidth - scrollWidth : 0;
    const rightEnd = isLeftOpen ? 0 : scrollWidth - clientWidth;
    const canGo = (delta: number, position: number, start: number, end: number) =>
      delta > 0 ? position < end - 1 : delta < 0 && position > start + 1;
    const style = getComputedStyle(container);
    const isHorizontal = Math.abs(distance.x) > Math.abs(distance.y);
    const canMove =
      (isHorizontal || style.overflowX !== 'hidden' ? canGo(distance.x, scrollLeft, leftEnd, rightEnd) : false) ||
      (!isHorizontal || style.overflowY !== 'hidden'
        ? canGo(distance.y, scrollTop, 0, scrollHeight - clientHeight)
        : false);
    const position = `${scrollLeft} ${scrollTop}`;
    return { hasContainer: true, canMove, point, position, extent: `${scrollWidth} ${scrollHeight}` };
  },
  { containerOf, rangeRects },
);

/** Resolves after two frames. A page that is not painted has none. */
export function nextFrames(): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 50);
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        clearTimeout(timer);
        resolve();
      }),
    );
  });
}

/** True if a container shows one of its ends. */
function isAtEdge(container: Element, edge: NonNullable<ScrollDistance['edge']>): boolean {
  const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } = container;
  const isRightToLeft = getComputedStyle(container).direction === 'rtl';
  const [start, end] = isRightToLeft ? [clientWidth - scrollWidth, 0] : [0, scrollWidth - clientWidth];
  if (edge === 'top') return scrollTop <= 1;
  if (edge === 'bottom') return scrollTop >= scrollHeight - clientHeight - 1;
  return edge === 'left' ? scrollLeft <= start + 1 : scrollLeft >= end - 1;
}

/**
 * Scrolls the container by script.
 * @returns true if it has the wanted position or moved; null if nothing can scroll that way
 */
export const scrollContainer = elementFunction(
  async (
    element: Element,
    distance: ScrollDistance,
    { plain, containerOf, isAtEdge, nextFrames },
  ): Promise<boolean | null> => {
    const { container: scrollable } = containerOf(element, distance, plain);
    if (!scrollable) return null;
    const { x, y, edge } = distance;
    const container = plain(scrollable);
    const [left, top] = [container.scrollLeft, container.scrollTop];
    const behavior = 'instant';
    if (edge === null) container.scrollBy({ left: x, top: y, behavior });
    else if (edge === 'top' || edge === 'bottom')
      container.scrollTo({ top: edge === 'top' ? 0 : container.scrollHeight, behavior });
    else container.scrollTo({ left: edge === 'left' ? -container.scrollWidth : container.scrollWidth, behavior });
    // A page may scroll back when it handles the scrolling.
    await nextFrames();
    const isMoved = container.scrollLeft !== left || container.scrollTop !== top;
    return isMoved || (edge !== null && isAtEdge(container, edge));
  },
  { containerOf, isAtEdge, nextFrames },
);

/** Observes the mouse wheel in a document. */
export interface WheelWatch {
  event: Event | null;
  /** True if the page changed its content after the event. */
  isChanged: boolean;
  /** True if the page added elements or texts after the event. */
  hasAdded: boolean;
  stop(): void;
}

/** Starts to observe the wheel. It changes nothing for the page. */
export const watchWheel = pageFunction((_: Element, __: undefined): WheelWatch => {
  const observer = new MutationObserver((changes) => {
    watch.isChanged = true;
    if (changes.some(({ addedNodes }) => addedNodes.length > 0)) watch.hasAdded = true;
  });
  const stop = () => {
    removeEventListener('wheel', onWheel, true);
    observer.disconnect();
  };
  const watch: WheelWatch = { event: null, isChanged: false, hasAdded: false, stop };
  const onWheel = (event: Event) => {
    watch.event ??= event;
    const changes = { subtree: true, childList: true, attributes: true, characterData: true };
    observer.observe(document.querySelector('body') ?? document.documentElement, changes);
  };
  addEventListener('wheel', onWheel, { capture: true, passive: true });
  return watch;
});

/** Rectangles of the content of an element without a box. */
function rangeRects(element: Element): DOMRect[] {
  const range = document.createRange();
  range.selectNodeContents(element);
  return [...range.getClientRects()];
}

/**
 * Scrolls an element to the center of the viewport.
 * @returns false if it is out of view afterwards
 */
export const scrollIntoView = elementFunction(
  async (element: Element, _: undefined, { plain, bringIntoView, rangeRects, nextFrames }): Promise<boolean> => {
    const native = plain(element);
    const rects = () => (native.getClientRects().length > 0 ? [...native.getClientRects()] : rangeRects(element));
    const hasBox = native.getClientRects().length > 0;
    if (hasBox) native.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    else {
      const center = () => {
        const [rect] = rects();
        return rect ? { x: rect.left + rect.width / 2, y: rect.top + rect.height / 2 } : { x: 0, y: 0 };
      };
      bringIntoView(element, center, 'center', plain);
    }
    await nextFrames();
    const root = document.compatMode === 'BackCompat' ? document.body : document.documentElement;
    return rects().some(
      ({ left, top, right, bottom }) =>
        right >= 0 && bottom >= 0 && left <= root.clientWidth && top <= root.clientHeight,
    );
  },
  { bringIntoView: scrollPointIntoView, rangeRects, nextFrames },
);
