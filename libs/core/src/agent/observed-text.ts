import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import { elementLine } from '../observation/observation-text.ts';

/* Text of an observed page, as a person reads it, and the search for texts and values in it. */

/** Observed part of a page: at least URL and title. */
export type PageText = Pick<Observation, 'url' | 'title'> &
  Partial<Pick<Observation, 'elements' | 'text' | 'document'>>;

/** Characters that a person does not see: soft hyphens, joiners, direction marks. */
const INVISIBLE = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/gu;

/** Lower case, composed accents, single spaces, without invisible characters. */
export const normalizeText = (text: string): string =>
  text.normalize('NFC').replace(INVISIBLE, '').toLowerCase().replace(/\s+/g, ' ').trim();

/** Normalized text of a page. The indexes of the element list are not part of it. */
export const pageTextOf = ({ url, title, elements = [], text }: PageText): string =>
  normalizeText(
    [
      title,
      url,
      ...elements.map((element) => `${element.name} ${element.value ?? ''} ${withoutIndex(elementLine(element))}`),
      text?.text ?? '',
    ].join('\n'),
  );

const withoutIndex = (line: string): string => line.slice(line.indexOf(']') + 1);

/** Texts that the page does not contain. */
export const missingTexts = (texts: readonly string[], page: PageText): string[] => {
  if (texts.length === 0) return [];
  const pageText = pageTextOf(page);
  return texts.filter((text) => !pageText.includes(normalizeText(text)));
};

const WORD_CHARACTER = /[\p{L}\p{N}]/u;
const DIGIT = /\p{Nd}/u;

/** True if a normalized text contains a value as whole words. `33` is not in `1,233`, `33.5` and `a33`. */
export function hasWords(pageText: string, value: string): boolean {
  const words = normalizeText(value);
  if (words === '') return false;
  for (let start = pageText.indexOf(words); start !== -1; start = pageText.indexOf(words, start + 1)) {
    const end = start + words.length;
    if (!continuesWord(pageText, words, start - 1, -1) && !continuesWord(pageText, words, end, 1)) return true;
  }
  return false;
}

/** True if the character beside a match belongs to the same word or number. */
function continuesWord(pageText: string, words: string, position: number, direction: 1 | -1): boolean {
  const edge = direction === 1 ? (words.at(-1) ?? '') : (words[0] ?? '');
  const neighbor = pageText[position] ?? '';
  if (!WORD_CHARACTER.test(edge)) return false;
  if (WORD_CHARACTER.test(neighbor)) return true;
  const isSeparator = neighbor === '.' || neighbor === ',';
  return isSeparator && DIGIT.test(edge) && DIGIT.test(pageText[position + direction] ?? '');
}

/** A number in a text, with separators of thousands and decimals: `1,234.50`, `1.234,50`, `1 234,5`. */
const NUMBER = /\d[\d.,'’\u00A0\u202F ]{0,40}/gu;

/** True if a normalized text contains a number, in any notation. `1234.5` is in `1.234,50 €`. */
export function hasNumber(pageText: string, value: number): boolean {
  if (hasWords(pageText, String(value))) return true;
  const magnitude = Math.abs(value);
  for (const [token] of pageText.matchAll(NUMBER)) if (readingsOf(token).includes(magnitude)) return true;
  return false;
}

/** The values that a notation can mean. A single separator before three digits is one of thousands or of decimals. */
function readingsOf(token: string): number[] {
  const digits = token.replace(/[\s'’]/gu, '').replace(/[.,]+$/, '');
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  const integer = Number(digits.replace(/[.,]/g, ''));
  if (last === -1 || digits.indexOf(digits[last] ?? '') !== last) return [integer];
  const decimal = Number(`${digits.slice(0, last).replace(/[.,]/g, '')}.${digits.slice(last + 1)}`);
  return [integer, decimal];
}
