import { assertNever, PilothouseError, type FieldType, type Json } from '@pilothouse/contract';
import { compilePattern, PatternError } from '../../regex/linear-regex.ts';
import { type ParseResult, parseLanguage, parseMoney, parseNumber, toLatinDigits } from './parse-number.ts';
import { parseDate } from './parse-date.ts';

const yes = new Set(['true', 'yes', 'y', 'on', '1', '✓', '✔', '☑', '✅']);
const no = new Set(['false', 'no', 'n', 'off', '0', '✗', '✘', '☐', '❌']);

function readBoolean(text: string): ParseResult<boolean> {
  const word = text.trim().toLowerCase();
  if (yes.has(word)) return { value: true };
  return no.has(word) ? { value: false } : { why: 'it is neither yes nor no' };
}

function readInteger(text: string, language?: string): ParseResult<number> {
  const number = parseNumber(text, language);
  if ('why' in number) return number;
  return Number.isSafeInteger(number.value) ? number : { why: 'it is not a whole number' };
}

function read(written: string, { type = 'string', language, currency }: ParseOptions): ParseResult<Json> {
  const text = type === 'string' ? written : toLatinDigits(written);
  switch (type) {
    case 'string':
      return { value: text };
    case 'number':
      return parseNumber(text, language);
    case 'integer':
      return readInteger(text, language);
    case 'boolean':
      return readBoolean(text);
    case 'date':
      return parseDate(text, language);
    case 'money':
      return parseMoney(text, parseLanguage(language), currency);
    default:
      return assertNever(type);
  }
}

/** How a text of a page is parsed. */
export interface ParseOptions {
  readonly type?: FieldType | undefined;
  /** ISO 4217: of money that names no currency. */
  readonly currency?: string | undefined;
  /** Regular expression (`regex/linear-regex.ts`). Its first group, else the match, is the value. */
  readonly pattern?: string | undefined;
  /** Language of the page (BCP 47), which decides whether `1,234` is 1234 or 1.234. */
  readonly language?: string | undefined;
}

/** The first group of a match, else the whole of it; null without a match. */
function matched(text: string, pattern: string, what: string): string | null {
  try {
    const match = compilePattern(pattern).exec(text);
    return match && (match.texts[1] ?? match.texts[0] ?? null);
  } catch (thrown) {
    if (!(thrown instanceof PatternError)) throw thrown;
    throw new PilothouseError(
      'EXTRACTION_FAILED',
      `${what}: the pattern ${pattern} cannot be used. ${thrown.message}`,
      {
        details: { field: what, pattern },
      },
    );
  }
}

/**
 * Parses a text of a page; null if it is missing or the pattern does not match.
 * @param what name of the value in messages, e.g. `column "Price" of row 3`
 * @throws PilothouseError EXTRACTION_FAILED if the text does not have the type, or the pattern is unsupported
 */
export function parseValue(text: string | null, options: ParseOptions, what: string): Json {
  const { type = 'string', pattern } = options;
  const wanted = text === null || pattern === undefined ? text : matched(text, pattern, what);
  if (wanted === null || (wanted.trim() === '' && type !== 'string')) return null;
  const reading = read(wanted, options);
  if ('value' in reading) return reading.value;
  throw new PilothouseError(
    'EXTRACTION_FAILED',
    `${what}: ${JSON.stringify(wanted.slice(0, 100))} cannot be read as ${type}: ${reading.why}`,
    { details: { field: what, text: wanted.slice(0, 1000), type } },
  );
}
