import type { FieldText } from '../injected/field-text.ts';

/** What was typed, and how. */
export interface Wanted {
  /** The whole text that the field is to hold. */
  readonly text: string;
  /** Type of an `<input>`; empty for other elements. */
  readonly type: string;
  readonly keys: boolean;
  /** Text of the empty field, when it is known: the fixed part of an input mask. */
  readonly blank?: string;
}

/** Types of fields with parts for day, month or hour: keys go from part to part. */
const parts: ReadonlySet<string> = new Set(['date', 'time', 'month', 'week', 'datetime-local']);

/** Closing characters that an editor adds by itself. */
const closers: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '"': '"', "'": "'", '`': '`' };

const oneBreak = (text: string) => text.replace(/\r\n?/g, '\n');

/** White space of rendered text is approximate. */
const squeezed = (text: string) => text.replace(/[\u200b\u2060\ufeff]/g, '').replace(/\s+/g, '');

const significant = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();

/** Whether a field holds what was typed into it. Formatting by the field is accepted; a missing or another character is not. */
export function isTyped(seen: FieldText, wanted: Wanted): boolean {
  const value = oneBreak(seen.text);
  const text = oneBreak(wanted.text);
  if (value === text) return true;
  if (text === '') return significant(value) === '' || !seen.exact;
  if (!seen.exact && isRendered(seen, value, text)) return true;
  if (wanted.keys && parts.has(wanted.type)) return value !== '';
  if (wanted.type === 'number') return Number(value) === Number(text) && value !== '';
  if (value.trim() === text.trim()) return true;
  if (seen.completed > 0 && isSame(value.slice(0, -seen.completed), text)) return true;
  if (seen.following !== '' && value + seen.following === text) return true;
  return isCased(value, text) || isClosed(value, text, seen) || isCode(value, text, wanted.blank ?? '');
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** A field may write all in capitals or all in small letters. */
const isCased = (value: string, text: string) => value === text.toUpperCase() || value === text.toLowerCase();

function isRendered(seen: FieldText, value: string, text: string): boolean {
  const is = squeezed(value);
  const wanted = squeezed(text);
  if (is === wanted) return true;
  const whole = seen.whole === null ? '' : squeezed(seen.whole);
  /* Lines became paragraphs of their own, or the editor drew its paragraph anew. */
  if (whole !== '' && (text.includes('\n') || is === '')) return whole.includes(wanted);
  /* An editor of many lines renders only those in view. */
  return value.split('\n').length >= 10 && wanted.includes(is);
}

/** An editor closes brackets and quotes: `call(` becomes `call()`. */
function isClosed(value: string, text: string, { exact }: FieldText): boolean {
  const open: string[] = [];
  for (const character of text) {
    if (character === open.at(-1)) open.pop();
    else if (closers[character]) open.push(closers[character]);
  }
  const closed = text + open.reverse().join('');
  return open.length > 0 && (exact ? value === closed : squeezed(value) === squeezed(closed));
}

/**
 * An input mask formats a code of digits: a telephone number, a date, an amount. Its digits and letters stay the same, in their order.
 * An amount with a fraction stays the same number: 1234 is not 12.34.
 */
function isCode(value: string, text: string, blank: string): boolean {
  const digits = text.replace(/\P{N}/gu, '').length;
  const letters = text.replace(/\P{L}/gu, '').length;
  if (digits === 0 || letters > digits) return false;
  const [one, other] = [amountOf(value), amountOf(text)];
  if (one && other && (one.fraction !== null || other.fraction !== null)) return one.digits === other.digits;
  return significant(value) === significant(text) || significant(value) === significant(blank) + significant(text);
}

/** Longest text that is read as an amount, in characters. */
const MAX_AMOUNT = 40;

/** An amount by its digits; null for a text of another form, such as a date. */
function amountOf(text: string): { digits: string; fraction: string | null } | null {
  if (text.length > MAX_AMOUNT) return null;
  const bare = text.replace(/[\p{L}\p{Sc}\s%']/gu, '');
  const found = /^([+-]?)(\d+|\d{1,3}([.,])\d{3}(?:\3\d{3})*)(?:[.,](\d{1,2}))?$/.exec(bare);
  if (!found) return null;
  const [, sign = '', whole = '', , fraction] = found;
  const minus = sign === '-' ? '-' : '';
  return {
    digits: `${minus}${whole.replace(/[.,]/g, '')}.${(fraction ?? '').replace(/0+$/, '')}`,
    fraction: fraction ?? null,
  };
}

/** Whether the field lost all that was typed, as after a message that Enter sent. */
export function isTaken(seen: FieldText, { text, keys }: Wanted): boolean {
  const lines = oneBreak(text).split('\n');
  if (!keys || lines.length === 1) return false;
  const rest = lines.at(-1) ?? '';
  return squeezed(seen.text) === squeezed(rest);
}

/** Why a repair cannot help; null when it may. */
export const limitOf = (seen: FieldText, { text }: Wanted): string | null =>
  seen.maxLength >= 0 && text.length > seen.maxLength ? `it takes at most ${seen.maxLength} characters` : null;
