import type { ElementHandle, Frame, Page } from 'playwright-core';
import { scrollPointIntoView, type Alignment } from '../injected/scroll-into-view.ts';
import { frameMap } from '../injected/frame-transform.ts';
import { pageFunction } from '../injected/evaluate-functions.ts';
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Deadline } from '@pilothouse/core/time/deadlines';
import { fromHandle, type ElementRef } from '../pages/element-ref.ts';
import { BrowserObserver } from '../browser.observation.ts';

interface FramePointOptions {
  readonly inner: Point;
  /** True to scroll the frame into view if its point cannot be hit. */
  readonly reveals: boolean;
}

const mapFramePoint = pageFunction(
  async (element: Element, { inner, reveals }: FramePointOptions, tools) => {
    const position = () => {
      const { a, b, c, d, e, f } = tools.frameMap(element, tools.plain);
      return { x: a * inner.x + c * inner.y + e, y: b * inner.x + d * inner.y + f };
    };
    const hitAt = ({ x, y }: Point) => (element.getRootNode() as Document | ShadowRoot).elementFromPoint(x, y);
    const alignments: Alignment[] = reveals ? ['center', 'end', 'start'] : [];
    const isScrolled = reveals && hitAt(position()) !== element;
    for (const alignment of alignments) {
      if (hitAt(position()) === element) break;
      tools.bringIntoView(element, position, alignment, tools.plain);
    }
    if (isScrolled) {
      // Chromium knows the position of out-of-process content after the next frame. A page that is not painted has no
      // animation frames.
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
    const point = position();
    const hit = hitAt(point);
    const covered = hit === element ? null : hit ? tools.describe(hit) : 'nothing: it is out of view';
    return { ...point, covered };
  },
  { frameMap, bringIntoView: scrollPointIntoView },
);

const toFramePoint = pageFunction(
  (element: Element, { x, y }: Point, tools): Point => {
    const { a, b, c, d, e, f } = tools.frameMap(element, tools.plain);
    const inner = new DOMMatrix([a, b, c, d, e, f]).invertSelf().transformPoint({ x, y });
    return { x: inner.x, y: inner.y };
  },
  { frameMap },
);

/** Converts a point of a document to the content of one of its frames. @param element of the frame */
export const pointInFrame = (element: ElementHandle<Element>, point: Point): Promise<Point> =>
  element.evaluate(toFramePoint, point);

/** Converts a point of the page to the content of a nested frame. */
export async function pointWithin(frame: Frame, point: Point): Promise<Point> {
  const parent = frame.parentFrame();
  if (!parent) return point;
  const outer = await pointWithin(parent, point);
  const element = await frame.frameElement();
  const inner = await pointInFrame(element as ElementHandle<Element>, outer);
  await element.dispose();
  return inner;
}

/**
 * Converts a point of a frame to the page.
 * @param point in pixels of the frame
 * @param reveals true to scroll the frame into view if the point cannot be hit
 * @returns `covered` if another element covers the frame
 */
export async function pointInPage(frame: Frame, point: Point, reveals: boolean): Promise<Point | { covered: string }> {
  let pagePoint = point;
  for (let inner = frame; inner.parentFrame(); inner = inner.parentFrame() as Frame) {
    const element = await inner.frameElement();
    const framePoint = await element.evaluate(mapFramePoint, { inner: pagePoint, reveals });
    await element.dispose();
    if (framePoint.covered !== null) return { covered: `its frame is covered by ${framePoint.covered}` };
    pagePoint = { x: framePoint.x, y: framePoint.y };
  }
  return pagePoint;
}

/** Point in CSS pixels. */
interface Point {
  readonly x: number;
  readonly y: number;
}

/** Element of an index, a point or the focus. */
export interface PointedElement {
  readonly ref: ElementRef;
  readonly frame: Frame;
  /** Input point in pixels of the page; null for the center of the element. */
  readonly point: Point | null;
  /**
   * Verifies that the element is the one that was listed; null if it was not listed.
   * @throws PilothouseError TARGET_NOT_FOUND
   */
  readonly check: (() => Promise<void>) | null;
}

/**
 * Returns the element at a point of a frame, down into open shadow roots. For a label, or content of a field, it is
 * the field.
 */
const elementAt = pageFunction((_: Element, { x, y }: Point, tools): Element | null => {
  let hit = document.elementFromPoint(x, y);
  for (let root = hit?.shadowRoot; root instanceof ShadowRoot; root = hit?.shadowRoot) {
    const inner = root.elementFromPoint(x, y);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  const framePoint = hit && tools.plain(hit);
  const label = framePoint?.closest('label');
  return framePoint?.closest('[contenteditable=""], [contenteditable=true]') ?? label?.control ?? hit;
});

const clientSize = pageFunction(() => {
  const view = document.compatMode === 'BackCompat' ? document.body : document.documentElement;
  return { width: view.clientWidth, height: view.clientHeight };
});

/** Size of the viewport in CSS pixels. */
export const viewSize = async (page: Page): Promise<{ width: number; height: number }> =>
  page.viewportSize() ?? (await page.mainFrame().locator('css=:root').evaluate(clientSize, undefined));

/** Converts thousandths of the viewport to CSS pixels. */
export async function toViewportPixels(page: Page, pagePoint: Point): Promise<Point> {
  const { width, height } = await viewSize(page);
  return {
    x: Math.min((pagePoint.x / 1000) * width, width - 1),
    y: Math.min((pagePoint.y / 1000) * height, height - 1),
  };
}

/** Returns the focused element, down into open shadow roots. */
const activeElement = pageFunction((_: Element): Element | null => {
  let pagePoint = document.activeElement;
  for (let inner = pagePoint?.shadowRoot?.activeElement; inner; inner = pagePoint.shadowRoot?.activeElement)
    pagePoint = inner;
  return pagePoint === document.body ? null : pagePoint;
});

/** Returns the focused element, down into frames; null if it does not exist. */
export async function focusedElement(page: Page): Promise<Pick<PointedElement, 'ref' | 'frame'> | null> {
  for (let frame = page.mainFrame(); ;) {
    const handle = await frame.locator('css=:root').evaluateHandle(activeElement, undefined);
    const element = handle.asElement() as ElementHandle<Element> | null;
    if (!element) return null;
    const inner = await element.contentFrame();
    if (!inner) return { ref: fromHandle(element), frame };
    await element.dispose();
    frame = inner;
  }
}

/** @param pagePoint in thousandths of the viewport */
async function resolvePoint(page: Page, pagePoint: Point): Promise<PointedElement | null> {
  let frame = page.mainFrame();
  const point = await toViewportPixels(page, pagePoint);
  for (let framePoint = point; ;) {
    const handle = await frame.locator('css=:root').evaluateHandle(elementAt, framePoint);
    const element = handle.asElement() as ElementHandle<Element> | null;
    if (!element) return null;
    const inner = await element.contentFrame();
    if (!inner) return { ref: fromHandle(element), frame, point, check: null };
    framePoint = await pointInFrame(element, framePoint);
    await element.dispose();
    frame = inner;
  }
}

/**
 * Returns an element of the last observation.
 * @throws PilothouseError TARGET_NOT_FOUND if it is missing or was replaced
 */
async function resolveIndex(page: Page, index: number, deadline: Deadline): Promise<PointedElement> {
  const observation = BrowserObserver.forPage(page).last;
  if (!observation)
    throw new PilothouseError('TARGET_NOT_FOUND', 'No elements of this page were listed yet; observe it first');
  try {
    const handle = await observation.handle(index, deadline);
    const frame = (await handle.ownerFrame()) ?? page.mainFrame();
    // A control that is not visible itself takes input at its label.
    const point = observation.listed(index).isBehindLabel ? await observation.point(index, deadline) : null;
    return { ref: fromHandle(handle), frame, point, check: () => observation.check(index, deadline) };
  } catch (error) {
    // An element in a closed shadow root has no handle, but can be clicked.
    if (!(error instanceof PilothouseError) || error.code !== 'TARGET_NOT_ACTIONABLE') throw error;
    const point = await observation.point(index, deadline);
    return { ref: pointOnlyRef(error), frame: page.mainFrame(), point, check: null };
  }
}

/** Element that supports only clicks at its point. */
function pointOnlyRef(error: PilothouseError): ElementRef {
  const reject = () => Promise.reject(error);
  return {
    evaluateAll: reject,
    evaluate: reject,
    fill: reject,
    setInputFiles: reject,
    related: reject,
    isOnlyPoint: true,
  };
}

/** Resolves an index, a point or the focus. @returns null for other locators and if there is no element */
export async function resolvePointed(
  page: Page,
  { elementIndex: element, point: pagePoint, focus }: Locator,
  deadline: Deadline,
): Promise<PointedElement | null> {
  if (element !== undefined) return resolveIndex(page, element, deadline);
  if (focus) {
    const handle = await focusedElement(page);
    return handle && { ...handle, point: null, check: null };
  }
  return pagePoint ? resolvePoint(page, pagePoint) : null;
}
