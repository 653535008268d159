import type { Screenshot, ScreenshotOptions } from '@pilothouse/core';
import type { Hand } from './hand.ts';
import { bounded, left, type Bound } from './wait.ts';

const QUALITY = 85;

/** Width and height of a JPEG, in pixels, from its frame header. */
export function jpegSize(body: Buffer): { width: number; height: number } {
  let at = 2;
  while (at + 9 < body.length && body[at] === 0xff) {
    const marker = body[at + 1] ?? 0;
    const startOfFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (startOfFrame) return { height: body.readUInt16BE(at + 5), width: body.readUInt16BE(at + 7) };
    at += 2 + body.readUInt16BE(at + 2);
  }
  throw new Error('Not a JPEG');
}

/**
 * What the page shows, as a JPEG of quality 85.
 * @param bound a shorter time than that of the hand
 * @throws PilothouseError STEP_TIMED_OUT
 */
export async function takeScreenshot(
  hand: Hand,
  { fullPage = false }: ScreenshotOptions,
  bound: Bound = hand,
): Promise<Screenshot> {
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
