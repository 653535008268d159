import { PilothouseError } from '@pilothouse/contract';
import { jpegSize, type Screenshot, type ScreenshotOptions } from '@pilothouse/core';
import type { Hand } from './hand.ts';
import { bounded, left, pause, type Bound } from './wait.ts';

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
  hand: Pick<Hand, 'page' | 'tab' | 'veil'> & Bound,
  options: ScreenshotOptions,
  bound: Bound = hand,
): Promise<Screenshot> {
  for (const ms of AGAIN) {
    try {
      return await takeOnce(hand, options, bound);
    } catch (thrown) {
      if (isLast(thrown) || hand.page.isClosed() || left(bound) <= ms) throw thrown;
    }
    await pause(ms, bound);
  }
  return takeOnce(hand, options, bound);
}

/** Whether the time is over, and not Chromium unable. */
const isLast = (thrown: unknown) =>
  thrown instanceof PilothouseError || (thrown instanceof Error && thrown.name === 'TimeoutError');

/** Covers what is to be covered, with each try anew: the page may have become another. */
async function takeOnce(
  { page, tab, veil }: Pick<Hand, 'page' | 'tab' | 'veil'>,
  { fullPage = false }: ScreenshotOptions,
  bound: Bound,
): Promise<Screenshot> {
  await veil.draw(page, tab.wire, bound);
  const taking = page.screenshot({
    type: 'jpeg',
    quality: QUALITY,
    fullPage,
    caret: 'initial',
    timeout: Math.max(1, left(bound)),
  });
  const body = await bounded(taking, bound, 'The screenshot');
  return { body, contentType: 'image/jpeg', ...jpegSize(body) };
}
