import type { FieldText } from '../injected/field-text.ts';

/** Text that a field is expected to hold. */
export interface ExpectedText {
  /** Complete text of the field. */
  readonly text: string;
  /** Type of an `<input>`; empty for other elements. */
  readonly type: string;
  readonly keys: boolean;
  /** Text of the empty field if known: the fixed part of an input mask. */
  readonly blank?: string;
}

/** Closing characters that an editor inserts. */
const closingCharacters: Readonly<Record<string, string>> = {
  '(': ')',
  '[': ']',
  '{': '}',
  '"': '"',
  "'": "'",
  '`': '`',
};

const normalizeLineBreaks = (text: string) => text.replace(/\r\n?/g, '\n');

/** White space of rendered text is approximate. */
const withoutWhitespace = (text: string) => text.replace(/[\u200b\u2060\ufeff]/g, '').replace(/\s+/g, '');

const significant = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();

/**
 * True if a field holds the typed text. Formatting by the field is accepted; missing or different characters are not.
 */
export function isTyped(current: FieldText, expected: ExpectedText): boolean {
  const value = normalizeLineBreaks(current.text);
  const text = normalizeLineBreaks(expected.text);
  if (value === text) return true;
  if (text === '') return significant(value) === '' || !current.exact;
  if (!current.exact && isRendered(current, value, text)) return true;
  if (current.following !== '' && isTyped({ ...current, text: value + current.following, following: '' }, expected))
    return true;
  if (expected.type === 'number') return Number(value) === Number(text) && value !== '';
  if (value.trim() === text.trim()) return true;
  if (current.completionLength > 0 && isSame(value.slice(0, -current.completionLength), text)) return true;
  return (
    isCaseConverted(value, text) ||
    isAutoClosed(value, text, current) ||
    isMaskedInput(value, text, expected.blank ?? '')
  );
}

const isSame = (first: string, second: string) => first.toLowerCase() === second.toLowerCase();

/** A field may convert its text to upper or lower case. */
const isCaseConverted = (value: string, text: string) => value === text.toUpperCase() || value === text.toLowerCase();

function isRendered(current: FieldText, value: string, text: string): boolean {
  const visibleText = withoutWhitespace(value);
  const expected = withoutWhitespace(text);
  if (visibleText === expected) return true;
  const surroundingText = current.surroundingText === null ? '' : withoutWhitespace(current.surroundingText);
  // Lines became paragraphs, or the editor rendered its paragraph again.
  if (surroundingText !== '' && (text.includes('\n') || visibleText === '')) return surroundingText.includes(expected);
  // A long editor renders only the visible lines.
  return value.split('\n').length >= 10 && expected.includes(visibleText);
}

/** An editor closes brackets and quotes: `call(` becomes `call()`. */
function isAutoClosed(value: string, text: string, { exact }: FieldText): boolean {
  const open: string[] = [];
  for (const character of text) {
    if (character === open.at(-1)) open.pop();
    else if (closingCharacters[character]) open.push(closingCharacters[character]);
  }
  const textWithClosingCharacters = text + open.reverse().join('');
  return (
    open.length > 0 &&
    (exact
      ? value === textWithClosingCharacters
      : withoutWhitespace(value) === withoutWhitespace(textWithClosingCharacters))
  );
}

/**
 * An input mask formats a code of digits: a phone number, a date, an amount. Digits and letters keep their order. An
 * amount with a fraction keeps its value: 1234 is not 12.34.
 */
function isMaskedInput(value: string, text: string, blank: string): boolean {
  const digits = text.replace(/\P{N}/gu, '').length;
  const letters = text.replace(/\P{L}/gu, '').length;
  if (digits === 0 || letters > digits) return false;
  const [actualAmount, expectedAmount] = [parseAmount(value), parseAmount(text)];
  if (actualAmount && expectedAmount && (actualAmount.fraction !== null || expectedAmount.fraction !== null))
    return actualAmount.digits === expectedAmount.digits;
  return significant(value) === significant(text) || significant(value) === significant(blank) + significant(text);
}

/** Maximum length of an amount in characters. */
const MAX_AMOUNT_CHARS = 40;

/** Parses an amount; null for other texts such as a date. */
function parseAmount(text: string): { digits: string; fraction: string | null } | null {
  if (text.length > MAX_AMOUNT_CHARS) return null;
  const stripped = text.replace(/[\p{L}\p{Sc}\s%']/gu, '');
  const match = /^([+-]?)(\d+|\d{1,3}([.,])\d{3}(?:\3\d{3})*)(?:[.,](\d{1,2}))?$/.exec(stripped);
  if (!match) return null;
  const [, sign = '', integerPart = '', , fraction] = match;
  const minus = sign === '-' ? '-' : '';
  return {
    digits: `${minus}${integerPart.replace(/[.,]/g, '')}.${(fraction ?? '').replace(/0+$/, '')}`,
    fraction: fraction ?? null,
  };
}

/** True if an emptied editor still shows a text: its placeholder, or what it did not delete. */
export const mayBePlaceholder = (current: FieldText, { text }: ExpectedText): boolean =>
  text === '' && !current.exact && current.text.trim() !== '';

/** True if the field lost all typed text, as after Enter sent a message. */
export function wasSubmitted(current: FieldText, { text, keys }: ExpectedText): boolean {
  const lines = normalizeLineBreaks(text).split('\n');
  if (!keys || lines.length === 1) return false;
  const rest = lines.at(-1) ?? '';
  return withoutWhitespace(current.text) === withoutWhitespace(rest);
}

/** Returns why a longer text cannot be entered; null if it can. */
export const lengthLimitReason = (current: FieldText, { text }: ExpectedText): string | null =>
  current.maxLength >= 0 && text.length > current.maxLength
    ? `it accepts at most ${current.maxLength} characters`
    : null;

/** True if two texts share a word or a number, or if one is part of the other. */
export function sharesWords(current: string, expected: string): boolean {
  const [first, second] = [significant(current), significant(expected)];
  if (first === '' || second === '') return first === second;
  if (first.includes(second) || second.includes(first)) return true;
  const words = (text: string) => text.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? [];
  const others = new Set(words(expected));
  return words(current).some((word) => others.has(word));
}
