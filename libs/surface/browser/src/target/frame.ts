import type { Frame } from 'playwright-core';
import { inPage } from '../page/in-page.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

const frameAt = inPage((element: Element, inner: { x: number; y: number }, tools) => {
  const style = getComputedStyle(element);
  const rect = element.getBoundingClientRect();
  const x = rect.left + element.clientLeft + parseFloat(style.paddingLeft);
  const y = rect.top + element.clientTop + parseFloat(style.paddingTop);
  const root = element.getRootNode() as Document | ShadowRoot;
  const hit = root.elementFromPoint(x + inner.x, y + inner.y);
  return { x, y, covered: hit === element ? null : hit ? tools.describe(hit) : 'nothing: it is out of view' };
});

/**
 * Where a frame is in the page, in pixels, and whether a point of it can be reached: something may lie over the frame.
 * @param point in pixels of the frame
 */
export async function frameOffset(frame: Frame, point: Point): Promise<Point | { covered: string }> {
  let offset: Point = { x: 0, y: 0 };
  for (let at = frame; at.parentFrame(); at = at.parentFrame() as Frame) {
    const element = await at.frameElement();
    const { x, y, covered } = await element.evaluate(frameAt, { x: point.x + offset.x, y: point.y + offset.y });
    await element.dispose();
    if (covered !== null) return { covered: `its frame is covered by ${covered}` };
    offset = { x: offset.x + x, y: offset.y + y };
  }
  return offset;
}
