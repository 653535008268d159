import { assertNever, PilothouseError, type FieldType, type Json } from '@pilothouse/contract';
import { readDate } from './read-date.ts';
import { readNumber, type Reading } from './read-number.ts';

const yes = new Set(['true', 'yes', 'y', 'on', '1', '✓', '✔', '☑', '✅']);
const no = new Set(['false', 'no', 'n', 'off', '0', '✗', '✘', '☐', '❌']);

function readBoolean(text: string): Reading<boolean> {
  const word = text.trim().toLowerCase();
  if (yes.has(word)) return { value: true };
  return no.has(word) ? { value: false } : { why: 'it is neither yes nor no' };
}

function readInteger(text: string, language?: string): Reading<number> {
  const number = readNumber(text, language);
  if ('why' in number) return number;
  return Number.isSafeInteger(number.value) ? number : { why: 'it is not a whole number' };
}

function read(text: string, type: FieldType, language?: string): Reading<Json> {
  switch (type) {
    case 'string':
      return { value: text };
    case 'number':
      return readNumber(text, language);
    case 'integer':
      return readInteger(text, language);
    case 'boolean':
      return readBoolean(text);
    case 'date':
      return readDate(text);
    default:
      return assertNever(type);
  }
}

/** How a text of a page is read. */
export interface ReadOptions {
  readonly type?: FieldType;
  /** Regular expression; its first group, else the match, is what is read. */
  readonly pattern?: string;
  /** Language of the page (BCP 47): decides whether `1,234` is 1234 or 1.234. */
  readonly language?: string;
}

/**
 * A text of a page as a typed value; null when the text is not there, or the pattern does not match.
 * @param what how the value is called in messages, e.g. `column "Price" of row 3`
 * @throws PilothouseError EXTRACTION_FAILED saying why the text is not of the type
 */
export function readValue(text: string | null, options: ReadOptions, what: string): Json {
  const { type = 'string', pattern, language } = options;
  let wanted = text;
  if (wanted !== null && pattern !== undefined) {
    const match = new RegExp(pattern, 'u').exec(wanted);
    wanted = match ? (match[1] ?? match[0]) : null;
  }
  if (wanted === null || (wanted.trim() === '' && type !== 'string')) return null;
  const reading = read(wanted, type, language);
  if ('value' in reading) return reading.value;
  throw new PilothouseError(
    'EXTRACTION_FAILED',
    `${what}: ${JSON.stringify(wanted.slice(0, 100))} cannot be read as ${type}: ${reading.why}`,
    { details: { text: wanted.slice(0, 1000), type } },
  );
}
