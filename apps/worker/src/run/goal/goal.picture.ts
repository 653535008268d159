import type { Observation } from '@pilothouse/contract';
import { listChanged, secretBounds, type Masker, type Picture } from '@pilothouse/core';
import { modelPicture } from '@pilothouse/infra-image';
import { look, type ActParts } from '../act.ts';
import { observe } from './goal.look.ts';

/** Milliseconds for an image of the page. */
const SHOT_MS = 10_000;
/** Times that a page is pictured which changes meanwhile. */
const TRIES = 3;

type PictureParts = Pick<ActParts, 'surface' | 'halt' | 'clock' | 'log'> & { readonly masker: Pick<Masker, 'text'> };

/** What is in view, with its picture. */
export interface Pictured {
  readonly observation: Observation;
  readonly picture: Picture;
}

/**
 * Takes a picture of what is in view: elements carry their numbers, secrets are covered. The page is not touched: both are drawn on the image.
 * What it shows is looked at before and after, so that what came meanwhile is covered, too.
 * @throws as `Surface.observe` and `Surface.screenshot`; the reason of `halt`
 */
export async function pictured(parts: PictureParts): Promise<Pictured> {
  let before = await observe('page', parts);
  for (let left = TRIES; ; left -= 1) {
    const { body } = await look(parts.clock.monotonic() + SHOT_MS, parts, (context) =>
      parts.surface.screenshot({}, context),
    );
    const after = await observe('page', parts);
    const isSame = before.url === after.url && !listChanged(before, after);
    if (isSame || left === 1) {
      const secrets = [before, after].flatMap((seen) => secretBounds(seen, parts.masker));
      return { observation: after, picture: await modelPicture(body, after, secrets) };
    }
    before = after;
  }
}
