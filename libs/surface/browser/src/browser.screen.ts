import { PilothouseError } from '@pilothouse/contract';
import { jpegSize, type Screenshot, type ScreenshotOptions } from '@pilothouse/core';
import type { ActionContext } from './hand.ts';
import { raceDeadline, remainingMs, sleep, type Deadline } from './wait.ts';

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
    await sleep(ms, bound);
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
