import type { FieldType } from '@pilothouse/contract/actions/extraction.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { assertNever, type Json } from '@pilothouse/contract/primitives.schema';
import { compilePattern, PatternError } from '../../regex/linear-regex.ts';
import { type ParseResult, parseLanguage, parseMoney, parseNumber, toLatinDigits } from './parse-number.ts';
import { parseDate } from './parse-date.ts';

const TRUE_WORDS = new Set(['true', 'yes', 'y', 'on', '1', '✓', '✔', '☑', '✅']);
const FALSE_WORDS = new Set(['false', 'no', 'n', 'off', '0', '✗', '✘', '☐', '❌']);

function readBoolean(text: string): ParseResult<boolean> {
  const word = text.trim().toLowerCase();
  if (TRUE_WORDS.has(word)) return { value: true };
  return FALSE_WORDS.has(word) ? { value: false } : { problem: 'it is neither true nor false' };
}

function readInteger(text: string, language?: string): ParseResult<number> {
  const number = parseNumber(text, language);
  if ('problem' in number) return number;
  return Number.isSafeInteger(number.value) ? number : { problem: 'it is not an integer' };
}

function parseAs(source: string, { type = 'string', language, currency }: ParseOptions): ParseResult<Json> {
  const text = type === 'string' ? source : toLatinDigits(source);
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

/** Parsers for a text of a page. */
export interface ParseOptions {
  readonly type?: FieldType | undefined;
  /** ISO 4217 code for money without a currency. */
  readonly currency?: string | undefined;
  /** Regular expression (`regex/linear-regex.ts`). Its first group, else the match, is the value. */
  readonly pattern?: string | undefined;
  /** Language of the page (BCP 47), which decides whether `1,234` is 1234 or 1.234. */
  readonly language?: string | undefined;
}

/** The first group of a match, else the whole of it; null without a match. */
function matchPattern(text: string, pattern: string, label: string): string | null {
  try {
    const match = compilePattern(pattern).exec(text);
    return match && (match.texts[1] ?? match.texts[0] ?? null);
  } catch (thrown) {
    if (!(thrown instanceof PatternError)) throw thrown;
    throw new PilothouseError(
      'EXTRACTION_FAILED',
      `${label}: the pattern ${pattern} cannot be used. ${thrown.message}`,
      {
        details: { field: label, pattern },
      },
    );
  }
}

/**
 * Parses a text of a page; null if it is missing or the pattern does not match.
 * @param label name of the value in messages, e.g. `column "Price" of row 3`
 * @throws PilothouseError EXTRACTION_FAILED if the text does not have the type, or the pattern is unsupported
 */
export function parseValue(text: string | null, options: ParseOptions, label: string): Json {
  const { type = 'string', pattern } = options;
  const matchedText = text === null || pattern === undefined ? text : matchPattern(text, pattern, label);
  if (matchedText === null || (matchedText.trim() === '' && type !== 'string')) return null;
  const result = parseAs(matchedText, options);
  if ('value' in result) return result.value;
  throw new PilothouseError(
    'EXTRACTION_FAILED',
    `${label}: ${JSON.stringify(matchedText.slice(0, 100))} cannot be read as ${type}: ${result.problem}`,
    { details: { field: label, text: matchedText.slice(0, 1000), type } },
  );
}
