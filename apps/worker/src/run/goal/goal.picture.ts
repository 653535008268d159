import type { Observation } from '@pilothouse/contract';
import { listChanged, secretBounds, type Masker, type Picture, type Spot } from '@pilothouse/core';
import { modelDetail, modelPicture } from '@pilothouse/infra-image';
import { look, type ActParts } from '../act.ts';
import { observe } from './goal.look.ts';

/** Milliseconds for an image of the page. */
const SHOT_MS = 10_000;
/** Times that a page is pictured which changes meanwhile. */
const TRIES = 3;

export type PictureParts = Pick<ActParts, 'surface' | 'halt' | 'clock' | 'log'> & {
  readonly masker: Pick<Masker, 'text'>;
};

const isSamePage = (before: Observation, after: Observation) => before.url === after.url && !listChanged(before, after);

/** What is in view, with its picture. */
export interface Pictured {
  readonly observation: Observation;
  readonly picture: Picture;
}

/** What is in view, of which there is an image; it becomes a picture when somebody wants it. */
interface Shot {
  readonly observation: Observation;
  develop(): Promise<Picture>;
  /** The part of it around a place. */
  detail(spot: Spot): Promise<Picture>;
}

/**
 * Takes an image of what is in view. What it shows is looked at before and after, so that what came meanwhile is covered, too.
 * @param seen what was in view a moment ago, if somebody looked
 * @throws as `Surface.observe` and `Surface.screenshot`; the reason of `halt`
 */
async function shoot(parts: PictureParts, seen?: Observation): Promise<Shot> {
  let before = seen ?? (await observe('page', parts));
  for (let left = TRIES; ; left -= 1) {
    const { body } = await look(parts.clock.monotonic() + SHOT_MS, parts, (context) =>
      parts.surface.screenshot({}, context),
    );
    const after = await observe('page', parts);
    if (left === 1 || isSamePage(before, after)) {
      // The text of the page tells whether what was cut may have a secret in it.
      const { text } = after;
      const both = [{ ...before, ...(text && { text }) }, after];
      const secrets = both.flatMap((one) => secretBounds(one, parts.masker));
      return {
        observation: after,
        develop: () => modelPicture(body, after, secrets),
        detail: (spot) => modelDetail(body, after, secrets, spot),
      };
    }
    before = after;
  }
}

/**
 * Takes a picture of what is in view: elements carry their numbers, secrets are covered. The page is not touched: both are drawn on the image.
 * @throws as `shoot`
 */
export async function pictured(parts: PictureParts): Promise<Pictured> {
  const { observation, develop } = await shoot(parts);
  return { observation, picture: await develop() };
}

/** What a place looks like now, with what is around it; secrets are covered. @throws as `shoot` */
export async function detailAt(spot: Spot, parts: PictureParts): Promise<Picture> {
  const { detail } = await shoot(parts);
  return detail(spot);
}

/**
 * The page before the first action. Most goals never need its picture: it is taken while the page has to stand still or a model thinks,
 * and made when it is asked for.
 */
export class Before {
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
  take(seen: Observation | null): void {
    if (this.shot && (!seen || (this.of && isSamePage(this.of, seen)))) return;
    this.of = seen;
    this.shot = shoot(this.parts, seen ?? undefined);
    this.shot.catch(() => undefined);
  }

  /** From here on the page may be changed. @param seen as of `take`, where nobody began @throws as `shoot` */
  async taken(seen: Observation | null): Promise<void> {
    this.take(seen);
    await this.shot;
  }

  /** @returns null when none was taken */
  async picture(): Promise<Picture | null> {
    const shot = await this.shot;
    return shot ? shot.develop() : null;
  }
}
