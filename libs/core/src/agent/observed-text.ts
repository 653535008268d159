import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import { elementLine } from '../observation/observation-text.ts';
import { readableText } from '../regex/lookalike-text.ts';

/* Text of an observed page, as a person reads it, and the search for texts and values in it. */

/** Observed part of a page: at least URL and title. */
export type ObservedPage = Pick<Observation, 'url' | 'title'> &
  Partial<Pick<Observation, 'elements' | 'document' | 'page'>> & { readonly text?: Observation['text'] | undefined };

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
 * states, because an action changes these even if it has no effect. It has no recognized text: a character that was
 * misread before would count as a change.
 * @param filledIndexes indexes of the fields that the agent has filled. Their values are left out
 */
export const evidenceTextOf = (page: ObservedPage, filledIndexes?: ReadonlySet<number | null>): string =>
  sourceTextOf({ ...page, ...(page.text?.isRecognized && { text: undefined }) }, filledIndexes);

/** Normalized text of a page that an answer can come from: the evidence, and text that was recognized in a screenshot. */
export const sourceTextOf = (
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

/** `spaced`: part of a word between spaces; `unspaced`: part of a word of a script without spaces; `other`: of no word. */
type CharacterKind = 'spaced' | 'unspaced' | 'other';

const characterKinds: (CharacterKind | undefined)[] = [];

/** Kind of the UTF-16 unit at a position. */
export function characterKind(text: string, position: number): CharacterKind {
  const code = text.charCodeAt(position);
  return (characterKinds[code] ??= kindOf(text.charAt(position)));
}

const kindOf = (character: string): CharacterKind =>
  !WORD_CHARACTER.test(character) ? 'other' : UNSPACED.test(character) ? 'unspaced' : 'spaced';

/** End of the word between spaces that a position is part of. */
export function wordEnd(text: string, position: number): number {
  let end = position;
  while (end < text.length && characterKind(text, end) === 'spaced') end += 1;
  return end;
}

/** True if a normalized text contains a value as whole words. `33` is not in `1,233`, `33.5` and `a33`. */
export function hasWords(pageText: string, value: string): boolean {
  const words = normalizeText(value);
  if (words === '') return false;
  let start = pageText.indexOf(words);
  while (start !== -1) {
    if (hasWordsAt(pageText, words, start)) return true;
    // Inside of the same word there is no other match.
    start = pageText.indexOf(words, Math.max(start + 1, wordEnd(pageText, start)));
  }
  return false;
}

/** True if a normalized value that is at a position of a text ends no word and no number of it. */
export const hasWordsAt = (pageText: string, words: string, position: number): boolean =>
  !continuesWord(pageText, words, position - 1, -1) && !continuesWord(pageText, words, position + words.length, 1);

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
  for (const reading of numbersIn(pageText)) if (reading === value) return true;
  return false;
}

/** The numbers of a normalized text, in all meanings of their notation. */
export function* numbersIn(pageText: string): Generator<number> {
  for (const pattern of NUMBERS)
    for (const { 0: token, index } of pageText.matchAll(pattern)) {
      const isNegative = pageText[index - 1] === '-' && !WORD_CHARACTER.test(pageText[index - 2] ?? '');
      const isPartOfWord =
        WORD_CHARACTER.test(pageText[index - 1] ?? '') || WORD_CHARACTER.test(pageText[index + token.length] ?? '');
      if (!isPartOfWord) for (const reading of readingsOf(token)) yield isNegative ? -reading : reading;
    }
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
