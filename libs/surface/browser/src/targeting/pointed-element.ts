import type { ElementHandle, Frame, Page } from 'playwright-core';
import { bringIntoView, type Alignment } from '../injected/scroll-into-view.ts';
import { frameMap } from '../injected/frame-transform.ts';
import { pageFunction } from '../injected/evaluate-functions.ts';
import { PilothouseError, type Locator } from '@pilothouse/contract';
import type { Deadline } from '@pilothouse/core';
import { fromHandle, type ElementRef } from './element-ref.ts';
import { BrowserObserver } from '../browser.observation.ts';

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

/** A place in CSS pixels. */
interface Point {
  readonly x: number;
  readonly y: number;
}

/** An element that is meant by a number or a place. */
export interface PointedElement {
  readonly one: ElementRef;
  readonly frame: Frame;
  /** Where input goes, in pixels of the page; null for its middle. */
  readonly point: Point | null;
  /** Fails when the element is not what it was when it was listed; null: it was not listed. @throws PilothouseError TARGET_NOT_FOUND */
  readonly check: (() => Promise<void>) | null;
}

/** What is at a point of a frame, down into open shadow roots; of a label, and of what is in a field, the field. */
const elementAt = pageFunction((_: Element, { x, y }: Point, tools): Element | null => {
  let hit = document.elementFromPoint(x, y);
  for (let root = hit?.shadowRoot; root instanceof ShadowRoot; root = hit?.shadowRoot) {
    const inner = root.elementFromPoint(x, y);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  const own = hit && tools.plain(hit);
  const label = own?.closest('label');
  return own?.closest('[contenteditable=""], [contenteditable=true]') ?? label?.control ?? hit;
});

const viewOf = pageFunction(() => {
  const view = document.compatMode === 'BackCompat' ? document.body : document.documentElement;
  return { width: view.clientWidth, height: view.clientHeight };
});

/** CSS pixels of what is in view. */
export const viewSize = async (page: Page): Promise<{ width: number; height: number }> =>
  page.viewportSize() ?? (await page.mainFrame().locator('css=:root').evaluate(viewOf, undefined));

/** Where a place is in CSS pixels. @param at thousandths of what is in view */
export async function toViewportPixels(page: Page, at: Point): Promise<Point> {
  const { width, height } = await viewSize(page);
  return { x: Math.min((at.x / 1000) * width, width - 1), y: Math.min((at.y / 1000) * height, height - 1) };
}

/** What has the focus, down into open shadow roots. */
const focusOf = pageFunction((_: Element): Element | null => {
  let at = document.activeElement;
  for (let inner = at?.shadowRoot?.activeElement; inner; inner = at.shadowRoot?.activeElement) at = inner;
  return at === document.body ? null : at;
});

/** What has the focus, also in a frame; null: nothing has. */
export async function focusedElement(page: Page): Promise<Pick<PointedElement, 'one' | 'frame'> | null> {
  for (let frame = page.mainFrame(); ;) {
    const found = await frame.locator('css=:root').evaluateHandle(focusOf, undefined);
    const element = found.asElement() as ElementHandle<Element> | null;
    if (!element) return null;
    const inner = await element.contentFrame();
    if (!inner) return { one: fromHandle(element), frame };
    await element.dispose();
    frame = inner;
  }
}

/** @param at thousandths of what is in view */
async function atPlace(page: Page, at: Point): Promise<PointedElement | null> {
  let frame = page.mainFrame();
  const point = await toViewportPixels(page, at);
  for (let own = point; ;) {
    const found = await frame.locator('css=:root').evaluateHandle(elementAt, own);
    const element = found.asElement() as ElementHandle<Element> | null;
    if (!element) return null;
    const inner = await element.contentFrame();
    if (!inner) return { one: fromHandle(element), frame, point, check: null };
    own = await pointInFrame(element, own);
    await element.dispose();
    frame = inner;
  }
}

/** An element of the list that was seen last. @throws PilothouseError TARGET_NOT_FOUND when there is none, or it is another by now */
async function byNumber(page: Page, index: number, bound: Deadline): Promise<PointedElement> {
  const seen = BrowserObserver.of(page).last;
  if (!seen)
    throw new PilothouseError('TARGET_NOT_FOUND', 'No elements of this page were listed yet; observe it first');
  try {
    const handle = await seen.handle(index, bound);
    const frame = (await handle.ownerFrame()) ?? page.mainFrame();
    // A control that does not show itself takes input at its label.
    const point = seen.listed(index).isBehindLabel ? await seen.point(index, bound) : null;
    return { one: fromHandle(handle), frame, point, check: () => seen.check(index, bound) };
  } catch (thrown) {
    /* In a closed shadow root nobody gets hold of an element, but one can click on it. */
    if (!(thrown instanceof PilothouseError) || thrown.code !== 'TARGET_NOT_ACTIONABLE') throw thrown;
    const point = await seen.point(index, bound);
    return { one: unreachable(thrown), frame: page.mainFrame(), point, check: null };
  }
}

/** What can be clicked at its point, and nothing else. */
function unreachable(why: PilothouseError): ElementRef {
  const no = () => Promise.reject(why);
  return { evaluateAll: no, evaluate: no, fill: no, setInputFiles: no, other: no, isOnlyPoint: true };
}

/** The element that a number, a place or the focus means. @returns null for other locators, and where nothing is there */
export async function resolvePointed(
  page: Page,
  { elementIndex: element, point: at, focus }: Locator,
  bound: Deadline,
): Promise<PointedElement | null> {
  if (element !== undefined) return byNumber(page, element, bound);
  if (focus) {
    const found = await focusedElement(page);
    return found && { ...found, point: null, check: null };
  }
  return at ? atPlace(page, at) : null;
}
