import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { jpegSize } from '@pilothouse/core/observation/jpeg-size';
import type { Screenshot } from '@pilothouse/core/ports/surface-action.port';
import type { ScreenshotOptions } from '@pilothouse/core/ports/surface.port';
import { type Deadline, delayWithin, limitDeadline, raceDeadline, remainingMs } from '@pilothouse/core/time/deadlines';
import type { ActionContext, MarkedElement, PreActionImage } from './action-context.ts';
import type { CDPSession } from 'playwright-core';
import { pointInPage } from './targeting/pointed-element.ts';
import { playwrightMessage } from './playwright-errors.ts';
import { elementFunction } from './injected/evaluate-functions.ts';

const JPEG_QUALITY = 85;

/** Delays before each retry. A freshly started browser on a busy machine may have nothing to capture for a moment. */
const RETRY_DELAYS_MS = [50, 100, 200, 400];

/**
 * Takes a JPEG screenshot with dots over fields that hold secrets. Retries a few times if Chromium cannot capture.
 * @param deadline may be earlier than that of the context
 * @throws PilothouseError STEP_TIMED_OUT; the error of Playwright after the last retry
 */
export async function takeScreenshot(
  ctx: Pick<ActionContext, 'page' | 'tab' | 'redactor'> & Deadline,
  options: ScreenshotOptions,
  deadline: Deadline = ctx,
): Promise<Screenshot> {
  for (const ms of RETRY_DELAYS_MS) {
    try {
      return await captureOnce(ctx, options, deadline);
    } catch (error) {
      if (isFinalError(error) || ctx.page.isClosed() || remainingMs(deadline) <= ms) throw error;
    }
    await delayWithin(ms, deadline);
  }
  return captureOnce(ctx, options, deadline);
}

/** True if the deadline has passed, so that a retry is pointless. */
const isFinalError = (error: unknown) =>
  error instanceof PilothouseError || (error instanceof Error && error.name === 'TimeoutError');

/** Redacts secrets again for each try, because the page may have changed. */
async function captureOnce(
  { page, tab, redactor }: Pick<ActionContext, 'page' | 'tab' | 'redactor'>,
  { fullPage = false }: ScreenshotOptions,
  deadline: Deadline,
): Promise<Screenshot> {
  await redactor.redactPage(page, tab.cdp, deadline);
  const capture = page.screenshot({
    type: 'jpeg',
    quality: JPEG_QUALITY,
    fullPage,
    caret: 'initial',
    timeout: Math.max(1, remainingMs(deadline)),
  });
  const body = await raceDeadline(capture, deadline, 'The screenshot');
  return { body, contentType: 'image/jpeg', ...jpegSize(body) };
}

/** Upper limit. With little time left it is half of the remaining time. */
const MAX_CAPTURE_MS = 3000;

/** POINT_MARGIN_PX is half the side of the mark around a bare point. */
const MARGIN_PX = 2;
const POINT_MARGIN_PX = 12;

/** A red that few pages use. */
const HIGHLIGHT_COLOR = { r: 255, g: 0, b: 80 };

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const elementBox = elementFunction((element: Element) => {
  const { x, y, width, height } = element.getBoundingClientRect();
  return { x, y, width, height };
});

/**
 * Screenshot before an action with its target marked. Chromium draws the mark over the page like its developer tools,
 * so page scripts cannot see it.
 */
export class PreActionScreenshot implements PreActionImage {
  isPending = true;
  readonly #onImage: (image: Screenshot) => void;

  constructor(onImage: (image: Screenshot) => void) {
    this.#onImage = onImage;
  }

  async capture(ctx: ActionContext, target: MarkedElement | null): Promise<void> {
    if (!this.isPending) return;
    this.isPending = false;
    const deadline = { ...limitDeadline(ctx, Math.min(MAX_CAPTURE_MS, remainingMs(ctx) / 2)), log: ctx.log };
    try {
      const box = target && (await boxInPage(target, deadline));
      this.#onImage(await captureMarked(ctx, box, deadline));
    } catch (error) {
      ctx.signal.throwIfAborted();
      ctx.log.warn({ error: playwrightMessage(error) }, 'screenshot before the action failed');
    }
  }
}

/** Returns the position of an element in the page. */
async function boxInPage({ ref, frame, point }: MarkedElement, deadline: Deadline): Promise<Box> {
  const box = ref.isOnlyPoint ? null : await raceDeadline(ref.evaluateAll(elementBox, undefined), deadline, 'The mark');
  if (!box)
    return {
      x: point.x - POINT_MARGIN_PX,
      y: point.y - POINT_MARGIN_PX,
      width: 2 * POINT_MARGIN_PX,
      height: 2 * POINT_MARGIN_PX,
    };
  const { x, y, width, height } = box.value;
  const center = { x: x + width / 2, y: y + height / 2 };
  const pagePoint = await raceDeadline(pointInPage(frame, center, false), deadline, 'The mark');
  const offset = 'covered' in pagePoint ? { x: 0, y: 0 } : { x: pagePoint.x - center.x, y: pagePoint.y - center.y };
  return {
    x: x + offset.x - MARGIN_PX,
    y: y + offset.y - MARGIN_PX,
    width: width + 2 * MARGIN_PX,
    height: height + 2 * MARGIN_PX,
  };
}

async function captureMarked(ctx: ActionContext, box: Box | null, deadline: Deadline): Promise<Screenshot> {
  const { cdp } = ctx.tab;
  if (!box || !cdp) return takeScreenshot(ctx, {}, deadline);
  try {
    await raceDeadline(showHighlight(cdp, box), deadline, 'The mark');
    return await takeScreenshot(ctx, {}, deadline);
  } finally {
    // Also after a mark that came too late. A closed page has no mark.
    await raceDeadline(hideHighlight(cdp), deadline, 'The mark').catch(() => undefined);
  }
}

async function showHighlight(cdp: CDPSession, box: Box): Promise<void> {
  await cdp.send('DOM.enable');
  await cdp.send('Overlay.enable');
  await cdp.send('Overlay.highlightRect', {
    x: Math.round(box.x),
    y: Math.round(box.y),
    width: Math.max(1, Math.round(box.width)),
    height: Math.max(1, Math.round(box.height)),
    color: { ...HIGHLIGHT_COLOR, a: 0.15 },
    outlineColor: { ...HIGHLIGHT_COLOR, a: 1 },
  });
}

async function hideHighlight(cdp: CDPSession): Promise<void> {
  await cdp.send('Overlay.hideHighlight');
  await cdp.send('Overlay.disable');
  await cdp.send('DOM.disable');
}
