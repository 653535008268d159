import { type Language, type ParseResult, parseLanguage } from './parse-number.ts';

function toDate(year: number, month: number, day: number): ParseResult<string> {
  const date = new Date(Date.UTC(year, month - 1, day));
  const isValid = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isValid ? { value: date.toISOString().slice(0, 10) } : { problem: 'the day does not exist' };
}

/** Words of dates in one language. */
interface Words {
  /** Number of the month, from 1, by its name, long or short, alone or beside a day. */
  readonly months: ReadonlyMap<string, number>;
  /** Weekdays and filler words, such as the Spanish `de`. */
  readonly others: ReadonlySet<string>;
}

const normalizeWord = (word: string) => word.normalize('NFC').toLowerCase().replace(/\./g, '');

const wordsByLanguage = new Map<string, Words>();

/** Date words of a language, from the Unicode data (CLDR) of Node's Intl. */
function dateWordsOf(tag: string): Words {
  const words = wordsByLanguage.get(tag) ?? loadWords(tag);
  wordsByLanguage.set(tag, words);
  return words;
}

function loadWords(tag: string): Words {
  const months = new Map<string, number>();
  const others = new Set<string>();
  const base = { timeZone: 'UTC', calendar: 'gregory' } as const;
  const styles = (['long', 'short'] as const).flatMap((month) => [
    new Intl.DateTimeFormat(tag, { ...base, month }),
    new Intl.DateTimeFormat(tag, { ...base, month, day: 'numeric', year: 'numeric', weekday: month }),
  ]);
  for (const style of styles) {
    for (let month = 0; month < 12; month += 1) {
      for (const { type, value } of style.formatToParts(Date.UTC(2026, month, 1 + month))) {
        if (type === 'month') months.set(normalizeWord(value), month + 1);
        if (type === 'weekday' || type === 'literal')
          for (const word of value.split(/[\s,.]+/)) if (word) others.add(normalizeWord(word));
      }
    }
  }
  return { months, others };
}

/** Also accepts English, because many pages use English month names. */
const englishMonth = (word: string) => (word === 'sept' ? 9 : dateWordsOf('en').months.get(word));

/**
 * Parses a date to `YYYY-MM-DD`, with or without weekday. Formats: ISO (a time is dropped), `21.11.2026`, `21 Nov
 * 2026`, `November 21, 2026`, `21 de noviembre de 2026`, `2026年11月21日`. `03/04/2026` and `03-04-2026` depend on the
 * page language. Without it they are parsed only if one order is possible.
 * @param language BCP 47, as of `<html lang>`
 */
export function parseDate(text: string, language?: string): ParseResult<string> {
  const line = text
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/[\u200e\u200f\u061c]/g, '');
  const iso = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:[T ]\d{2}:\d{2}.*)?$/.exec(line);
  if (iso) return toDate(Number(iso[1]), Number(iso[3]), Number(iso[4]));
  const eastern = /^(\d{4}) ?[年년.] ?(\d{1,2}) ?[月월.] ?(\d{1,2}) ?[日일.]?(?: ?\(?\p{L}+\)?)?$/u.exec(line);
  if (eastern) return toDate(Number(eastern[1]), Number(eastern[2]), Number(eastern[3]));
  const dotted = /^(?:\p{L}+[.,]* )?(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})$/u.exec(line);
  if (dotted) return toDate(Number(dotted[3]), Number(dotted[2]), Number(dotted[1]));
  const numbers = /^(?:\p{L}+[.,]* )?(\d{1,2})([/-])(\d{1,2})\2(\d{4})$/u.exec(line);
  if (numbers)
    return parseAmbiguous(Number(numbers[1]), Number(numbers[3]), Number(numbers[4]), parseLanguage(language));
  if (/^\d{1,2}[./-]\d{1,2}[./-]\d{2}$/.test(line)) return { problem: 'the year has two digits' };
  return parseWords(line, parseLanguage(language));
}

function parseWords(line: string, { tag }: Language): ParseResult<string> {
  const unknownFormat = {
    problem: 'the format is unknown. Known formats are e.g. 2026-11-21, 21.11.2026 and 21 Nov 2026.',
  };
  const words = dateWordsOf(tag ?? 'en');
  const english = dateWordsOf('en');
  const parts = line.match(/\d+(?:st|nd|rd|th)?(?!\p{L})|[\p{L}\p{M}.'’]+/gu) ?? [];
  const years: number[] = [];
  const days: number[] = [];
  const months: number[] = [];
  const unknownWords: string[] = [];
  for (const part of parts) {
    const digits = /^\d+/.exec(part)?.[0];
    if (digits !== undefined) {
      if (digits.length === 4) years.push(Number(digits));
      else if (digits.length <= 2) days.push(Number(digits));
      else return unknownFormat;
      continue;
    }
    const word = normalizeWord(part);
    const month = words.months.get(word) ?? englishMonth(word);
    if (month !== undefined) months.push(month);
    else if (word !== '' && !words.others.has(word) && !english.others.has(word)) unknownWords.push(part);
  }
  const [year] = years;
  const [day] = days;
  const [month] = months;
  if (year === undefined || day === undefined || years.length > 1 || days.length > 1 || months.length > 1)
    return unknownFormat;
  if (unknownWords.length > 0 || month === undefined) {
    const name = unknownWords[0];
    return name === undefined ? unknownFormat : { problem: `"${name}" is not a month in ${tag ?? 'English'}` };
  }
  return toDate(year, month, day);
}

function parseAmbiguous(
  first: number,
  second: number,
  year: number,
  { tag, hasRegion }: Language,
): ParseResult<string> {
  if (first === second || first > 12) return toDate(year, second, first);
  if (second > 12) return toDate(year, first, second);
  if (tag === null || !hasRegion)
    return { problem: 'it may begin with the day or the month: set `locale`, e.g. en-GB' };
  const parts = new Intl.DateTimeFormat(tag, { calendar: 'gregory', dateStyle: 'short' }).formatToParts(0);
  const indexOfType = (type: string) => parts.findIndex((part) => part.type === type);
  return indexOfType('day') < indexOfType('month') ? toDate(year, second, first) : toDate(year, first, second);
}
