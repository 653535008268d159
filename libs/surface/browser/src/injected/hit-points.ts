/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { plain } from '@pilothouse/surface-page-elements/page';
import { receivesInput } from './receives-input.ts';
import { scrollPointIntoView, type Alignment } from './scroll-into-view.ts';

/** Point in CSS pixels. */
export interface PagePoint {
  readonly x: number;
  readonly y: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

type Rect = Pick<DOMRect, 'left' | 'top' | 'right' | 'bottom'>;

/** Minimum size of a visible part, with a margin for rounding. */
const MIN_PART_PX = 0.99;

/** Returns the center of the part of a box that is in the view, or nothing. */
export function visibleCenter({ left, top, right, bottom }: Rect, view: Size): PagePoint[] {
  const [start, end] = [Math.max(left, 0), Math.min(right, view.width)];
  const [above, below] = [Math.max(top, 0), Math.min(bottom, view.height)];
  if (end - start < MIN_PART_PX || below - above < MIN_PART_PX) return [];
  return [{ x: (start + end) / 2, y: (above + below) / 2 }];
}

/** Size of the viewport. Pages can overwrite `innerWidth`, but not this. */
const viewSize = (): Size => {
  const { clientWidth, clientHeight } = document.compatMode === 'BackCompat' ? document.body : document.documentElement;
  return { width: clientWidth, height: clientHeight };
};

const rectsOf = (element: Element): DOMRect[] => {
  if (getComputedStyle(element).display !== 'contents') return [...plain(element).getClientRects()];
  const range = document.createRange();
  range.selectNodeContents(element);
  return [...range.getClientRects()];
};

/** Returns the element hit by a click at a point, through open shadow roots. */
export const hitAt = ({ x, y }: PagePoint): Element | null => {
  let hit = document.elementFromPoint(x, y);
  const rootOf = (host: Element | null) => host && plain(host).shadowRoot;
  for (let root = rootOf(hit); root; root = rootOf(hit)) {
    const inner = root.elementFromPoint(x, y);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  return hit;
};

const parentOf = (node: Node): Node | null => {
  const { parentNode, assignedSlot } = plain(node as Element);
  return (assignedSlot ?? null) || parentNode || (node instanceof ShadowRoot ? node.host : null);
};

/** Returns a node and its ancestors, through shadow roots. */
const pathOf = (hit: Element | null): Node[] => {
  const path: Node[] = [];
  for (let node: Node | null = hit; node; node = parentOf(node)) path.push(node);
  return path;
};

/**
 * Finds points where an element accepts input.
 * @param position offset from the top left corner inside the border. Default: the center of each visible part
 */
export function hitPoints(element: Element, position: PagePoint | undefined) {
  const native = plain(element);

  const toViewport = ({ x, y }: PagePoint): PagePoint => {
    const { left, top } = native.getBoundingClientRect();
    return { x: left + native.clientLeft + x, y: top + native.clientTop + y };
  };

  const points = (): PagePoint[] => {
    const view = viewSize();
    if (!position) return rectsOf(element).flatMap((rect) => visibleCenter(rect, view));
    const { x, y } = toViewport(position);
    return x >= 0 && y >= 0 && x < view.width && y < view.height ? [{ x, y }] : [];
  };

  /** True if a click at a point reaches the element. */
  const acceptsInputAt = (point: PagePoint): boolean => {
    const hit = hitAt(point);
    if (receivesInput(element, pathOf(hit))) return true;
    // Slotted text without a separate element hits the host, although it is rendered inside the shadow root.
    const root = native.getRootNode();
    if (!(root instanceof ShadowRoot) || hit !== root.host) return false;
    const stack = root.elementsFromPoint(point.x, point.y);
    const slotted = stack.find((inner) => plain(inner).getRootNode() === root) ?? null;
    return receivesInput(element, pathOf(slotted));
  };

  /** Returns the first point that accepts input, otherwise the first point. */
  const bestPoint = (): PagePoint | null => {
    const candidates = points();
    return candidates.find(acceptsInputAt) ?? candidates[0] ?? null;
  };

  /** Center of the first part of an element without a box. */
  const contentCenter = (): PagePoint => {
    const { left = 0, top = 0, width = 0, height = 0 } = rectsOf(element)[0] ?? {};
    return { x: left + width / 2, y: top + height / 2 };
  };

  /** Scrolls the point, or the element, to a side of its containers. */
  const scrollTo = (alignment: Alignment): void => {
    if (position) scrollPointIntoView(element, () => toViewport(position), alignment, plain);
    else if (native.getClientRects().length === 0) scrollPointIntoView(element, contentCenter, alignment, plain);
    else native.scrollIntoView({ block: alignment, inline: alignment, behavior: 'instant' });
  };

  return { acceptsInputAt, bestPoint, scrollTo };
}

export type HitPoints = ReturnType<typeof hitPoints>;
