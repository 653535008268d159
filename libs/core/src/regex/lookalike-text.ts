/* Texts as a person reads them. Two texts that look the same are equal. */

/**
 * Returns a text with composed accents, without soft hyphens, zero-width characters, direction marks, variation
 * selectors and icons of fonts (private use). Sent to pages as source, too: it uses only its argument.
 */
export function readableText(text: string): string {
  return text
    .normalize('NFC')
    .replace(
      /[\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uE000-\uF8FF\uFE00-\uFE0F\uFEFF]|[\uDB80-\uDBFF][\uDC00-\uDFFF]/g,
      '',
    );
}

/** Characters that `readableText` removes, as parts of a pattern. */
const UNREAD =
  '\\u00AD\\u061C\\u180E\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u2064\\u2066-\\u2069\\uE000-\\uF8FF\\uFE00-\\uFE0F\\uFEFF';
const SURROGATE_ICON = '[\\uDB80-\\uDBFF][\\uDC00-\\uDFFF]';
const GAP = `(?:[${UNREAD}]|${SURROGATE_ICON})*`;
const MARGIN = `(?:[\\s${UNREAD}]|${SURROGATE_ICON})*`;
/** Without U+FEFF, which is also white space: it could match in two ways. */
const WORD_END = `(?:[${UNREAD.replace('\\uFEFF', '')}]|${SURROGATE_ICON})*`;

/** Longer texts are compared as they are. */
const MAX_PATTERN_CHARS = 300;

const escapeLetter = (letter: string) => letter.replace(/[$()*+./?[\\\]^{|}-]/g, '\\$&');

/** A letter with an accent has two forms. */
const eitherForm = (letter: string): string => {
  const decomposed = letter.normalize('NFD');
  return decomposed === letter ? escapeLetter(letter) : `(?:${escapeLetter(letter)}|${escapeLetter(decomposed)})`;
};

/**
 * Returns a pattern of all texts that look like a text: the whole text and its case, or a part in any case. It has no
 * repetition inside of another.
 * @returns null for a text that is too long or has no readable character
 */
export function lookalikePattern(text: string, isExact: boolean): RegExp | null {
  const words = readableText(text)
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0 || text.length > MAX_PATTERN_CHARS) return null;
  const body = words.map((word) => [...word].map(eitherForm).join(GAP)).join(`${WORD_END}\\s${MARGIN}`);
  // A letter is not the first part of the same letter with an accent.
  const part = `${body}(?![\\u0300-\\u036F])`;
  return isExact ? new RegExp(`^${MARGIN}${part}${MARGIN}$`) : new RegExp(part, 'i');
}
