import { jpegSize, type Screenshot, type ScreenshotOptions } from '@pilothouse/core';
import type { Hand } from './hand.ts';
import { bounded, left, type Bound } from './wait.ts';

const QUALITY = 85;

/**
 * What the page shows, as a JPEG of quality 85; fields with secrets show dots.
 * @param bound a shorter time than that of the hand
 * @throws PilothouseError STEP_TIMED_OUT
 */
export async function takeScreenshot(
  hand: Hand,
  { fullPage = false }: ScreenshotOptions,
  bound: Bound = hand,
): Promise<Screenshot> {
  await hand.veil.draw(hand.page, hand.tab.wire, bound);
  const taking = hand.page.screenshot({
    type: 'jpeg',
    quality: QUALITY,
    fullPage,
    caret: 'initial',
    timeout: Math.max(1, left(bound)),
  });
  const body = await bounded(taking, bound, 'The screenshot');
  return { body, contentType: 'image/jpeg', ...jpegSize(body) };
}
