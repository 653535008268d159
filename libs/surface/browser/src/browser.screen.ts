import { PilothouseError } from '@pilothouse/contract';
import {
  type Deadline,
  type Screenshot,
  type ScreenshotOptions,
  delayWithin,
  jpegSize,
  limitDeadline,
  raceDeadline,
  remainingMs,
} from '@pilothouse/core';
import type { ActionContext, MarkedElement, PreActionImage } from './action-context.ts';
import type { CDPSession } from 'playwright-core';
import { pointInPage } from './targeting/pointed-element.ts';
import { playwrightMessage } from './playwright-errors.ts';
import { elementFunction } from './injected/evaluate-functions.ts';

const QUALITY = 85;

/** Milliseconds before each further try. A browser that has just started, on a busy machine, has nothing to take an image of for a moment. */
const AGAIN = [50, 100, 200, 400];

/**
 * What the page shows, as a JPEG of quality 85; fields with secrets show dots. When Chromium says that it can take none, it is asked again
 * a few times.
 * @param bound a shorter time than that of the hand
 * @throws PilothouseError STEP_TIMED_OUT; what Playwright throws when Chromium refuses to the end
 */
export async function takeScreenshot(
  hand: Pick<ActionContext, 'page' | 'tab' | 'veil'> & Deadline,
  options: ScreenshotOptions,
  bound: Deadline = hand,
): Promise<Screenshot> {
  for (const ms of AGAIN) {
    try {
      return await takeOnce(hand, options, bound);
    } catch (thrown) {
      if (isLast(thrown) || hand.page.isClosed() || remainingMs(bound) <= ms) throw thrown;
    }
    await delayWithin(ms, bound);
  }
  return takeOnce(hand, options, bound);
}

/** Whether the time is over, and not Chromium unable. */
const isLast = (thrown: unknown) =>
  thrown instanceof PilothouseError || (thrown instanceof Error && thrown.name === 'TimeoutError');

/** Covers what is to be covered, with each try anew: the page may have become another. */
async function takeOnce(
  { page, tab, veil }: Pick<ActionContext, 'page' | 'tab' | 'veil'>,
  { fullPage = false }: ScreenshotOptions,
  bound: Deadline,
): Promise<Screenshot> {
  await veil.draw(page, tab.wire, bound);
  const taking = page.screenshot({
    type: 'jpeg',
    quality: QUALITY,
    fullPage,
    caret: 'initial',
    timeout: Math.max(1, remainingMs(bound)),
  });
  const body = await raceDeadline(taking, bound, 'The screenshot');
  return { body, contentType: 'image/jpeg', ...jpegSize(body) };
}

/** How long the image before an action may take, in milliseconds; less when the action has little time. */
const LONGEST = 3000;

/** Pixels between an element and its mark; of a mere point, half of the side of its mark. */
const MARGIN = 2;
const AROUND = 12;

/** The colour of a mark: a red that few pages have. */
const COLOUR = { r: 255, g: 0, b: 80 };

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const boxOf = elementFunction((element: Element) => {
  const { x, y, width, height } = element.getBoundingClientRect();
  return { x, y, width, height };
});

/**
 * The image before an action, its target marked. The mark is drawn by Chromium over the page, as its developer tools do: no script of
 * the page sees it.
 */
export class PreActionScreenshot implements PreActionImage {
  isWanted = true;
  readonly #keep: (image: Screenshot) => void;

  constructor(keep: (image: Screenshot) => void) {
    this.#keep = keep;
  }

  async take(hand: ActionContext, found: MarkedElement | null): Promise<void> {
    if (!this.isWanted) return;
    this.isWanted = false;
    const bound = { ...limitDeadline(hand, Math.min(LONGEST, remainingMs(hand) / 2)), log: hand.log };
    try {
      const box = found && (await boxIn(found, bound));
      this.#keep(await marked(hand, box, bound));
    } catch (thrown) {
      hand.signal.throwIfAborted();
      hand.log.warn({ error: playwrightMessage(thrown) }, 'no image could be taken before the action');
    }
  }
}

/** Where an element is in the page. */
async function boxIn({ one, frame, point }: MarkedElement, bound: Deadline): Promise<Box> {
  const box = one.isOnlyPoint ? null : await raceDeadline(one.evaluateAll(boxOf, undefined), bound, 'The mark');
  if (!box) return { x: point.x - AROUND, y: point.y - AROUND, width: 2 * AROUND, height: 2 * AROUND };
  const { x, y, width, height } = box.value;
  const centre = { x: x + width / 2, y: y + height / 2 };
  const there = await raceDeadline(pointInPage(frame, centre, false), bound, 'The mark');
  const by = 'covered' in there ? { x: 0, y: 0 } : { x: there.x - centre.x, y: there.y - centre.y };
  return {
    x: x + by.x - MARGIN,
    y: y + by.y - MARGIN,
    width: width + 2 * MARGIN,
    height: height + 2 * MARGIN,
  };
}

async function marked(hand: ActionContext, box: Box | null, bound: Deadline): Promise<Screenshot> {
  const { wire } = hand.tab;
  if (!box || !wire) return takeScreenshot(hand, {}, bound);
  try {
    await raceDeadline(mark(wire, box), bound, 'The mark');
    return await takeScreenshot(hand, {}, bound);
  } finally {
    /* Also when the mark came too late. A page that is gone has none. */
    await raceDeadline(unmark(wire), bound, 'The mark').catch(() => undefined);
  }
}

async function mark(wire: CDPSession, box: Box): Promise<void> {
  await wire.send('DOM.enable');
  await wire.send('Overlay.enable');
  await wire.send('Overlay.highlightRect', {
    x: Math.round(box.x),
    y: Math.round(box.y),
    width: Math.max(1, Math.round(box.width)),
    height: Math.max(1, Math.round(box.height)),
    color: { ...COLOUR, a: 0.15 },
    outlineColor: { ...COLOUR, a: 1 },
  });
}

async function unmark(wire: CDPSession): Promise<void> {
  await wire.send('Overlay.hideHighlight');
  await wire.send('Overlay.disable');
  await wire.send('DOM.disable');
}
