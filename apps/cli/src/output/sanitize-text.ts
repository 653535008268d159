import { stripVTControlCharacters } from 'node:util';

// eslint's no-control-regex is about accidents; these are meant: everything a terminal acts on, bidi overrides included.
const acted = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

/**
 * A text of somebody else (a page, a name, a message) on one line, with nothing in it that a terminal would act on: what a page
 * says must not move the cursor, colour what follows or set the title.
 */
export const clean = (text: string): string =>
  stripVTControlCharacters(text).replace(/\s+/g, ' ').replace(acted, '\uFFFD').trim();

/** Columns that a text takes on a terminal; looks count nothing, CJK and emoji two. */
export function width(text: string): number {
  let columns = 0;
  for (const char of stripVTControlCharacters(text)) {
    if (/\p{M}|\u200d/u.test(char)) continue;
    columns += wide.test(char) ? 2 : 1;
  }
  return columns;
}

/** The text, cut to so many columns; what is cut shows as `…`. Only for texts without a look. */
export function short(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let prefix = '';
  let columnsUsed = 0;
  for (const char of text) {
    const more = width(char);
    if (columnsUsed + more > columns - 1) break;
    prefix += char;
    columnsUsed += more;
  }
  return `${prefix.trimEnd()}…`;
}

/** The text with spaces at its end (or, on the right, its beginning) up to so many columns. */
export function pad(text: string, columns: number, side: 'left' | 'right' = 'left'): string {
  const spaces = ' '.repeat(Math.max(0, columns - width(text)));
  return side === 'left' ? `${text}${spaces}` : `${spaces}${text}`;
}

/** `1 row`, `3 rows`. */
export const count = (n: number, one: string, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
