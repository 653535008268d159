import type { Observation } from '@pilothouse/contract';
import { listChanged, secretBounds, type Masker, type ModelScreenshot, type Spot } from '@pilothouse/core';
import { renderModelDetail, renderModelImage } from '@pilothouse/infra-image';
import type { ActionScope } from '../../actions/run-action.ts';
import { readSurface } from '../../actions/surface-reads.ts';
import { observeWithRetry } from './page-observer.ts';

/** Milliseconds for an image of the page. */
const SHOT_MS = 10_000;
/** Times that a page is pictured which changes meanwhile. */
const TRIES = 3;

export type PictureParts = Pick<ActionScope, 'surface' | 'signal' | 'clock' | 'log'> & {
  readonly masker: Pick<Masker, 'text'>;
};

const isSamePage = (before: Observation, after: Observation) => before.url === after.url && !listChanged(before, after);

/** What is in view, with its picture. */
export interface PageWithPicture {
  readonly observation: Observation;
  readonly picture: ModelScreenshot;
}

/** What is in view, of which there is an image; it becomes a picture when somebody wants it. */
interface Shot {
  readonly observation: Observation;
  develop(): Promise<ModelScreenshot>;
  /** The part of it around a place. */
  detail(spot: Spot): Promise<ModelScreenshot>;
}

/**
 * Takes an image of what is in view. What it shows is looked at before and after, so that what came meanwhile is covered, too.
 * @param seen what was in view a moment ago, if somebody looked
 * @throws as `Surface.observe` and `Surface.screenshot`; the reason of `halt`
 */
async function shoot(parts: PictureParts, seen?: Observation): Promise<Shot> {
  let before = seen ?? (await observeWithRetry('page', parts));
  for (let left = TRIES; ; left -= 1) {
    const { body } = await readSurface(parts.clock.monotonic() + SHOT_MS, parts, (context) =>
      parts.surface.screenshot({}, context),
    );
    const after = await observeWithRetry('page', parts);
    if (left === 1 || isSamePage(before, after)) {
      // The text of the page tells whether what was cut may have a secret in it.
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
 * Takes a picture of what is in view: elements carry their numbers, secrets are covered. The page is not touched: both are drawn on the image.
 * @throws as `shoot`
 */
export async function takePagePicture(parts: PictureParts): Promise<PageWithPicture> {
  const { observation, develop } = await shoot(parts);
  return { observation, picture: await develop() };
}

/** What a place looks like now, with what is around it; secrets are covered. @throws as `shoot` */
export async function takeDetailPicture(spot: Spot, parts: PictureParts): Promise<ModelScreenshot> {
  const { detail } = await shoot(parts);
  return detail(spot);
}

/**
 * The page before the first action. Most goals never need its picture: it is taken while the page has to stand still or a model thinks,
 * and made when it is asked for.
 */
export class PreActionScreenshot {
  private readonly parts: PictureParts;
  private of: Observation | null = null;
  private shot: Promise<Shot> | undefined;

  constructor(parts: PictureParts) {
    this.parts = parts;
  }

  /**
   * Begins to take it, anew where it is of another page. What goes wrong is thrown by those that wait for it.
   * @param seen what is in view, just looked at
   */
  start(seen: Observation | null): void {
    if (this.shot && (!seen || (this.of && isSamePage(this.of, seen)))) return;
    this.of = seen;
    this.shot = shoot(this.parts, seen ?? undefined);
    this.shot.catch(() => undefined);
  }

  /** From here on the page may be changed. @param seen as of `take`, where nobody began @throws as `shoot` */
  async finish(seen: Observation | null): Promise<void> {
    this.start(seen);
    await this.shot;
  }

  /** @returns null when none was taken */
  async picture(): Promise<ModelScreenshot | null> {
    const shot = await this.shot;
    return shot ? shot.develop() : null;
  }
}
