/**
 * Builds a RegExp that matches any of the texts as a whole word. The texts are escaped.
 * @param flags `u` is always on
 * @returns null without texts
 */
export function wholeWords(texts: readonly string[], flags = ''): RegExp | null {
  const alternatives = texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|');
  return alternatives === ''
    ? null
    : new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives})(?![\\p{L}\\p{N}])`, `${flags}u`);
}
