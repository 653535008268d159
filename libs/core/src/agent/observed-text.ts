import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import { elementLine } from '../observation/observation-text.ts';
import { readableText } from '../regex/lookalike-text.ts';

/* Text of an observed page, as a person reads it, and the search for texts and values in it. */

/** Observed part of a page: at least URL and title. */
export type ObservedPage = Pick<Observation, 'url' | 'title'> &
  Partial<Pick<Observation, 'elements' | 'text' | 'document'>>;

/** Lower case, composed accents, plain quotes and dashes, single spaces, without invisible characters. */
export const normalizeText = (text: string): string =>
  readableText(text)
    .normalize('NFKC')
    .replace(/[‘’‚‛]/gu, "'")
    .replace(/[“”„‟«»]/gu, '"')
    .replace(/[‐-―−]/gu, '-')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim();

/** Normalized text of a page, as the element list shows it. The indexes of the list are not part of it. */
export const pageTextOf = ({ url, title, elements = [], text }: ObservedPage): string =>
  normalizeText(
    [
      title,
      url,
      ...elements.map((element) => `${element.name} ${element.value ?? ''} ${withoutIndex(elementLine(element))}`),
      text?.text ?? '',
    ].join('\n'),
  );

const withoutIndex = (line: string): string => line.slice(line.indexOf(']') + 1);

/** Separates the texts of elements. It is part of no word and no number. */
const SEPARATOR = ' | ';

/**
 * Normalized text of a page that can be evidence: title, names, field values and texts. It has neither the address nor
 * states, because an action changes these even if it has no effect.
 * @param filledIndexes indexes of the fields that the agent has filled. Their values are left out
 */
export const evidenceTextOf = (
  { title, elements = [], text }: ObservedPage,
  filledIndexes: ReadonlySet<number | null> = new Set(),
): string =>
  [
    title,
    ...elements.flatMap(({ index, name, value }) => [name, filledIndexes.has(index) ? '' : (value ?? '')]),
    text?.text ?? '',
  ]
    .map(normalizeText)
    .filter((part) => part !== '')
    .join(SEPARATOR);

/** Texts that the page does not contain. */
export const missingTexts = (texts: readonly string[], page: ObservedPage): string[] => {
  if (texts.length === 0) return [];
  const pageText = pageTextOf(page);
  return texts.filter((text) => !pageText.includes(normalizeText(text)));
};

const WORD_CHARACTER = /[\p{L}\p{N}]/u;
const DIGIT = /\p{Nd}/u;
/** Scripts that write words without spaces. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

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
  if (WORD_CHARACTER.test(neighbor)) return !UNSPACED.test(edge) && !UNSPACED.test(neighbor);
  const isSeparator = neighbor === '.' || neighbor === ',';
  return isSeparator && DIGIT.test(edge) && DIGIT.test(pageText[position + direction] ?? '');
}

/** Numbers with separators, and numbers whose thousands are separated by spaces. */
const NUMBERS = [/\d+(?:[.,']\d+)*/gu, /\d{1,3}(?: \d{3})+(?:[.,]\d+)?/gu] as const;
/** Digits in groups of thousands. */
const GROUPED = /^\d{1,3}(?:[.,' ]\d{3})+$/;

/** True if a normalized text contains a number, in any notation. `1234.5` is in `1.234,50 €`. */
export function hasNumber(pageText: string, value: number): boolean {
  return NUMBERS.some((pattern) =>
    [...pageText.matchAll(pattern)].some(({ 0: token, index }) => {
      const isNegative = pageText[index - 1] === '-' && !WORD_CHARACTER.test(pageText[index - 2] ?? '');
      const isPartOfWord =
        WORD_CHARACTER.test(pageText[index - 1] ?? '') || WORD_CHARACTER.test(pageText[index + token.length] ?? '');
      return !isPartOfWord && readingsOf(token).some((reading) => (isNegative ? -reading : reading) === value);
    }),
  );
}

/** The values that a notation can mean: `1.234` is 1234 or 1.234. */
function readingsOf(token: string): number[] {
  const digits = token.replace(/[ ']/g, '');
  const readings = GROUPED.test(token) || !/[.,]/.test(digits) ? [Number(digits.replace(/[.,]/g, ''))] : [];
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  const hasDecimals = last !== -1 && digits.indexOf(digits[last] ?? '') === last;
  return hasDecimals
    ? [...readings, Number(`${digits.slice(0, last).replace(/[.,]/g, '')}.${digits.slice(last + 1)}`)]
    : readings;
}
