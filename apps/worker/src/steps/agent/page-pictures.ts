import type { Observation } from '@pilothouse/contract';
import { listChanged, secretBounds, type Masker, type ModelScreenshot, type Spot } from '@pilothouse/core';
import { renderModelDetail, renderModelImage } from '@pilothouse/infra-image';
import type { ActionScope } from '../../actions/action-scope.ts';
import { readSurface } from '../../actions/surface-reads.ts';
import { observeWithRetry } from './page-observer.ts';

/** Milliseconds for one screenshot. */
const SHOT_MS = 10_000;
/** Maximum screenshots of a page that keeps changing. */
const TRIES = 3;

export type PictureParts = Pick<ActionScope, 'surface' | 'signal' | 'clock' | 'log'> & {
  readonly masker: Pick<Masker, 'text'>;
};

const isSamePage = (before: Observation, after: Observation) => before.url === after.url && !listChanged(before, after);

/** Observation of the viewport, with its screenshot. */
export interface PageWithPicture {
  readonly observation: Observation;
  readonly picture: ModelScreenshot;
}

/** Observation of the viewport, with a raw image. The screenshot for models is rendered on demand. */
interface Shot {
  readonly observation: Observation;
  develop(): Promise<ModelScreenshot>;
  /** Renders the part around a point. */
  detail(spot: Spot): Promise<ModelScreenshot>;
}

/**
 * Takes an image of the viewport. Observes the page before and after, so that secrets which appear meanwhile are covered too.
 * @param seen current observation, if there is one
 * @throws as `Surface.observe` and `Surface.screenshot`; the abort reason
 */
async function shoot(parts: PictureParts, seen?: Observation): Promise<Shot> {
  let before = seen ?? (await observeWithRetry('page', parts));
  for (let left = TRIES; ; left -= 1) {
    const { body } = await readSurface(parts.clock.monotonic() + SHOT_MS, parts, (context) =>
      parts.surface.screenshot({}, context),
    );
    const after = await observeWithRetry('page', parts);
    if (left === 1 || isSamePage(before, after)) {
      // The text of the page shows if a truncated name may contain a secret.
      const { text } = after;
      const both = [{ ...before, ...(text && { text }) }, after];
      const secrets = both.flatMap((one) => secretBounds(one, parts.masker));
      return {
        observation: after,
        develop: () => renderModelImage(body, after, secrets),
        detail: (spot) => renderModelDetail(body, after, secrets, spot),
      };
    }
    before = after;
  }
}

/**
 * Takes a screenshot of the viewport with element indexes, and with secrets covered. Draws both on the image, not on the page.
 * @throws as `shoot`
 */
export async function takePagePicture(parts: PictureParts): Promise<PageWithPicture> {
  const { observation, develop } = await shoot(parts);
  return { observation, picture: await develop() };
}

/** Takes a screenshot of the area around a point, with secrets covered. @throws as `shoot` */
export async function takeDetailPicture(spot: Spot, parts: PictureParts): Promise<ModelScreenshot> {
  const { detail } = await shoot(parts);
  return detail(spot);
}

/**
 * Screenshot from before the first action. Captured while the page becomes stable or a model answers. Rendered on demand, because most goals
 * never need it.
 */
export class PreActionScreenshot {
  private readonly parts: PictureParts;
  private of: Observation | null = null;
  private shot: Promise<Shot> | undefined;

  constructor(parts: PictureParts) {
    this.parts = parts;
  }

  /**
   * Starts the capture, and restarts it for another page. Errors are thrown by `finish` and `picture`.
   * @param seen current observation
   */
  start(seen: Observation | null): void {
    if (this.shot && (!seen || (this.of && isSamePage(this.of, seen)))) return;
    this.of = seen;
    this.shot = shoot(this.parts, seen ?? undefined);
    this.shot.catch(() => undefined);
  }

  /** Finishes the capture. Afterwards the page may change. @param seen current observation, if `start` was not called @throws as `shoot` */
  async finish(seen: Observation | null): Promise<void> {
    this.start(seen);
    await this.shot;
  }

  /** @returns null if no screenshot was captured */
  async picture(): Promise<ModelScreenshot | null> {
    const shot = await this.shot;
    return shot ? shot.develop() : null;
  }
}
