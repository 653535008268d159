/** A reading: the value, or why there is none. */
export type ParseResult<Value> = { readonly value: Value } | { readonly why: string };

/** Spaces that group digits: no-break, narrow no-break, thin, and the plain one. */
const GAP = '[ \\u00a0\\u202f\\u2009]';
const token = new RegExp(`\\d+(?:(?:[.,'’]|${GAP}(?=\\d{3}(?!\\d)))\\d+)*|[.,]\\d+`, 'g');
const minus = /[-−–‒]/;

/** Languages in which the comma is the decimal sign; a hint for texts that can be read both ways. */
const commaDecimal =
  /^(?:bg|ca|cs|da|de|el|es|et|fi|fr|hr|hu|id|is|it|lt|lv|nb|nl|nn|no|pl|pt|ro|ru|sk|sl|sr|sv|tr|uk|vi)(?:-|$)/i;
const pointDecimal = /^(?:en|he|hi|ja|ko|th|zh)(?:-|$)/i;

/**
 * The number in a text such as `1,234.50 €`, `€ 1.234,50`, `-3`, `12 %` (12) or `3 items`.
 * A text with two numbers, or one that reads two ways (`1,234`), has none, unless the language of the page decides.
 * @param language BCP 47, as of `<html lang>`
 */
export function parseNumber(text: string, language = ''): ParseResult<number> {
  const line = text.trim();
  const found = [...line.matchAll(token)];
  const [match] = found;
  if (!match) return { why: 'there is no digit in it' };
  if (found.length > 1) return { why: `it holds ${found.length} numbers` };
  const before = line.slice(0, match.index);
  const after = line.slice(match.index + match[0].length);
  if (/^\(.*\)$/.test(line)) return { why: 'a number in parentheses may be negative or not' };
  const sign = signOf(before);
  if (sign === null) return { why: `"${before.trim().slice(-20)}" before the number is not understood` };
  if (new RegExp(`^${GAP}?[-−–‒](?:\\s|$)`).test(after)) return { why: 'a minus after the number is not understood' };
  const digits = plainDigits(match[0], language);
  return 'why' in digits ? digits : { value: sign * Number(digits.value) };
}

/** 1, -1, or null when a letter or a hyphen of a word stands at the number (`SKU-12`, `A4`). */
function signOf(before: string): 1 | -1 | null {
  const tail = before.trimEnd().split(/\s/).at(-1) ?? '';
  const bare = tail.replace(
    /^[\p{Sc}]|[\p{Sc}]$|^(?:[A-Z]{0,3}\p{Sc}|[A-Z]{3}(?![-−–‒]))|(?:[A-Z]{0,3}\p{Sc}|[A-Z]{3})$/gu,
    '',
  );
  if (minus.test(bare) && bare.length === 1) return -1;
  const touching = before !== '' && !/\s$/.test(before);
  return touching && /[\p{L}\p{N}\-−–‒_#]$/u.test(bare) ? null : 1;
}

function plainDigits(written: string, language: string): ParseResult<string> {
  const compact = written.replace(new RegExp(`${GAP}`, 'g'), ' ');
  const signs = [...new Set(compact.replace(/\d/g, ''))];
  const last = signs.length === 0 ? '' : compact[Math.max(...signs.map((sign) => compact.lastIndexOf(sign)))];
  if (signs.length === 0) return { value: compact };
  if (signs.length > 2) return { why: `"${written}" has three kinds of separators` };
  if (signs.length === 2) {
    const group = signs.find((sign) => sign !== last) ?? '';
    if (compact.split(last ?? '').length > 2 || !'.,'.includes(last ?? ''))
      return { why: `"${written}" is not grouped as a number is` };
    const [whole = '', fraction = ''] = compact.split(last ?? '');
    return grouped(whole, group)
      ? { value: `${whole.replaceAll(group, '')}.${fraction}` }
      : { why: `"${written}" is not grouped as a number is` };
  }
  const sign = signs[0] ?? '';
  const parts = compact.split(sign);
  const asGroups = grouped(compact, sign) ? parts.join('') : null;
  const asFraction = '.,'.includes(sign) && parts.length === 2 ? `${parts[0] || '0'}.${parts[1] ?? ''}` : null;
  if (asGroups !== null && asFraction !== null) {
    if (pointDecimal.test(language)) return { value: sign === '.' ? asFraction : asGroups };
    if (commaDecimal.test(language)) return { value: sign === ',' ? asFraction : asGroups };
    return { why: `"${written}" may mean ${asGroups} or ${asFraction}; the page does not say its language` };
  }
  const only = asGroups ?? asFraction;
  return only === null ? { why: `"${written}" is not grouped as a number is` } : { value: only };
}

/** Groups of three after a first of one to three that does not begin with 0. */
const grouped = (digits: string, sign: string) => {
  const [first = '', ...rest] = digits.split(sign);
  return /^[1-9]\d{0,2}$/.test(first) && rest.length > 0 && rest.every((part) => /^\d{3}$/.test(part));
};
