import type { ElementHandle, Frame } from 'playwright-core';
import { bringIntoView, type Alignment } from '../page/bring-into-view.ts';
import { frameMap } from '../page/frame-map.ts';
import { pageFunction } from '../page/in-page.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

interface AtFrame {
  readonly inner: Point;
  /** Whether it is scrolled into view where the point cannot be hit. */
  readonly reveals: boolean;
}

const frameAt = pageFunction(
  async (element: Element, { inner, reveals }: AtFrame, tools) => {
    const place = () => {
      const { a, b, c, d, e, f } = tools.frameMap(element, tools.plain);
      return { x: a * inner.x + c * inner.y + e, y: b * inner.x + d * inner.y + f };
    };
    const hitAt = ({ x, y }: Point) => (element.getRootNode() as Document | ShadowRoot).elementFromPoint(x, y);
    const alignments: Alignment[] = reveals ? ['center', 'end', 'start'] : [];
    const isScrolled = reveals && hitAt(place()) !== element;
    for (const alignment of alignments) {
      if (hitAt(place()) === element) break;
      tools.bringIntoView(element, place, alignment, tools.plain);
    }
    if (isScrolled) {
      /* Chromium knows after the next frame where the content of other processes is. A page that is not painted has no frames. */
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 100);
        requestAnimationFrame(() =>
          requestAnimationFrame(() => {
            clearTimeout(timer);
            resolve();
          }),
        );
      });
    }
    const point = place();
    const hit = hitAt(point);
    const covered = hit === element ? null : hit ? tools.describe(hit) : 'nothing: it is out of view';
    return { ...point, covered };
  },
  { frameMap, bringIntoView },
);

const intoFrame = pageFunction(
  (element: Element, { x, y }: Point, tools): Point => {
    const { a, b, c, d, e, f } = tools.frameMap(element, tools.plain);
    const inner = new DOMMatrix([a, b, c, d, e, f]).invertSelf().transformPoint({ x, y });
    return { x: inner.x, y: inner.y };
  },
  { frameMap },
);

/** A point of a document in the content of one of its frames. @param element that of the frame */
export const pointInFrame = (element: ElementHandle<Element>, point: Point): Promise<Point> =>
  element.evaluate(intoFrame, point);

/** A point of the page in the content of a frame, however deep that is. */
export async function pointWithin(frame: Frame, point: Point): Promise<Point> {
  const parent = frame.parentFrame();
  if (!parent) return point;
  const around = await pointWithin(parent, point);
  const element = await frame.frameElement();
  const inner = await pointInFrame(element as ElementHandle<Element>, around);
  await element.dispose();
  return inner;
}

/**
 * Where a point of a frame is in the page, and whether it can be reached: something may lie over the frame.
 * @param point in pixels of the frame
 * @param reveals whether the frame is scrolled into view where the point cannot be hit
 */
export async function pointInPage(frame: Frame, point: Point, reveals: boolean): Promise<Point | { covered: string }> {
  let at = point;
  for (let inner = frame; inner.parentFrame(); inner = inner.parentFrame() as Frame) {
    const element = await inner.frameElement();
    const seen = await element.evaluate(frameAt, { inner: at, reveals });
    await element.dispose();
    if (seen.covered !== null) return { covered: `its frame is covered by ${seen.covered}` };
    at = { x: seen.x, y: seen.y };
  }
  return at;
}
