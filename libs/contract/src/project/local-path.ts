import { z } from 'zod';

/**
 * Begins with one slash; no backslash, no control character. Browsers read `\` as `/` and skip tabs and line feeds, so that `/\t/host` and
 * `/\host` are addresses of another site.
 */
const LOCAL_PATH = /^\/(?![/\\])[^\\\p{Cc}]*$/u;

/** A path of this site, with query and fragment. Redirects use it. */
export const localPathSchema = z.string().max(2000).regex(LOCAL_PATH, 'Use a path of this site, e.g. `/runs`');

/** The path with its dot segments resolved; null: the text may lead to another site. */
export function localPathOf(text: string): string | null {
  if (!localPathSchema.safeParse(text).success) return null;
  const { pathname, search, hash } = new URL(text, 'http://local');
  return pathname.startsWith('//') ? null : pathname + search + hash;
}
