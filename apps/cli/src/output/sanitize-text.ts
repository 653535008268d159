import { stripVTControlCharacters } from 'node:util';

// eslint's no-control-regex targets accidents; this pattern is intended: control characters and bidi overrides.
const controlCharacters = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const wideCharacter =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

/**
 * Returns untrusted text (of a page, a name, a message) on one line without control characters. It cannot move the
 * cursor, change colors or set the title.
 */
export const clean = (text: string): string =>
  stripVTControlCharacters(text).replace(/\s+/g, ' ').replace(controlCharacters, '\uFFFD').trim();

/** The title of a step with `…` for each template that is not rendered, such as a secret. */
export const hideTemplates = (title: string): string => title.replace(/\{\{[^{}]*\}\}/g, '…');

/** Columns of a text on a terminal. Styles take none, CJK and emoji two. */
export function width(text: string): number {
  let columns = 0;
  for (const char of stripVTControlCharacters(text)) {
    if (/\p{M}|\u200d/u.test(char)) continue;
    columns += wideCharacter.test(char) ? 2 : 1;
  }
  return columns;
}

/** Text truncated to a number of columns with `…`. Only for text without styles. */
export function short(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let prefix = '';
  let columnsUsed = 0;
  for (const char of text) {
    const charWidth = width(char);
    if (columnsUsed + charWidth > columns - 1) break;
    prefix += char;
    columnsUsed += charWidth;
  }
  return `${prefix.trimEnd()}…`;
}

/** Text padded with spaces to a number of columns, at its end or, with `right`, at its beginning. */
export function pad(text: string, columns: number, side: 'left' | 'right' = 'left'): string {
  const spaces = ' '.repeat(Math.max(0, columns - width(text)));
  return side === 'left' ? `${text}${spaces}` : `${spaces}${text}`;
}

/** `1 row`, `3 rows`. */
export const count = (n: number, singular: string, plural = `${singular}s`) => `${n} ${n === 1 ? singular : plural}`;
