/// <reference lib="dom" />
import type { FrameViewport } from './visibility.ts';

/** Box of a frame element, and the distance from its border to its content. */
export interface FrameBox {
  readonly rect: { readonly left: number; readonly top: number; readonly width: number };
  /** Width before transforms. */
  readonly offsetWidth: number;
  readonly insetLeft: number;
  readonly insetTop: number;
}

/**
 * Returns the viewport of the document in a frame.
 * @param visiblePart visible part of the frame element in pixels of the outer document
 */
export function innerViewport(
  frameElement: Element,
  { rect, offsetWidth, insetLeft, insetTop }: FrameBox,
  visiblePart: { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number },
  outer: FrameViewport,
): Omit<FrameViewport, 'document'> {
  const scale = offsetWidth > 0 ? rect.width / offsetWidth : 1;
  const left = rect.left + insetLeft * scale;
  const top = rect.top + insetTop * scale;
  return {
    frameElement,
    outer,
    x: outer.x + left * outer.scale,
    y: outer.y + top * outer.scale,
    scale: outer.scale * scale,
    left: Math.max(0, (visiblePart.left - left) / scale),
    top: Math.max(0, (visiblePart.top - top) / scale),
    right: (visiblePart.right - left) / scale,
    bottom: (visiblePart.bottom - top) / scale,
  };
}
