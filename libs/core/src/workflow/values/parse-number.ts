/** Result of parsing: the value, or the reason why it is missing. */
export type ParseResult<Value> = { readonly value: Value } | { readonly problem: string };

/** Spaces that group digits: no-break, narrow no-break, thin, and the plain one. */
const GROUP_SPACE = '[ \\u00a0\\u202f\\u2009]';
const NUMBER = new RegExp(`\\d+(?:(?:[.,'’]|${GROUP_SPACE}(?=\\d{3}(?!\\d)))\\d+)*|[.,]\\d+`, 'g');
const MINUS = /[-−–‒]/;

/** Languages in which the comma is the decimal sign; a hint for texts that can be read both ways. */
const commaDecimal =
  /^(?:bg|ca|cs|da|de|el|es|et|fi|fr|hr|hu|id|is|it|lt|lv|nb|nl|nn|no|pl|pt|ro|ru|sk|sl|sr|sv|tr|uk|vi)(?:-|$)/i;
const pointDecimal = /^(?:en|he|hi|ja|ko|th|zh)(?:-|$)/i;

/**
 * Parses a number such as `1,234.50 €`, `€ 1.234,50`, `-3`, `12 %` (12) or `3 items`. Fails for two numbers, and for ambiguous text
 * (`1,234`) if the page language does not decide.
 * @param language BCP 47, as of `<html lang>`
 */
export function parseNumber(text: string, language = ''): ParseResult<number> {
  const line = text.trim();
  const numbers = [...line.matchAll(NUMBER)];
  const [match] = numbers;
  if (!match) return { problem: 'it has no digit' };
  if (numbers.length > 1) return { problem: `it has ${numbers.length} numbers: select one with \`pattern\`` };
  const prefix = line.slice(0, match.index);
  const suffix = line.slice(match.index + match[0].length);
  if (/^\(.*\)$/.test(line)) return { problem: 'a number in parentheses may be negative' };
  const sign = signOf(prefix);
  if (sign === null) return { problem: `"${prefix.trim().slice(-20)}" before the number is unknown` };
  if (new RegExp(`^${GROUP_SPACE}?[-−–‒](?:\\s|$)`).test(suffix))
    return { problem: 'a minus after the number is not supported' };
  const digits = plainDigits(match[0], language);
  return 'problem' in digits ? digits : { value: sign * Number(digits.value) };
}

/** Sign of the number after a text: 1 or -1. null: the number is part of a word (`SKU-12`, `A4`). */
function signOf(prefix: string): 1 | -1 | null {
  const tail = prefix.trimEnd().split(/\s/).at(-1) ?? '';
  const sign = tail.replace(
    /^[\p{Sc}]|[\p{Sc}]$|^(?:[A-Z]{0,3}\p{Sc}|[A-Z]{3}(?![-−–‒]))|(?:[A-Z]{0,3}\p{Sc}|[A-Z]{3})$/gu,
    '',
  );
  if (MINUS.test(sign) && sign.length === 1) return -1;
  const isAdjacent = prefix !== '' && !/\s$/.test(prefix);
  return isAdjacent && /[\p{L}\p{N}\-−–‒_#]$/u.test(sign) ? null : 1;
}

function plainDigits(source: string, language: string): ParseResult<string> {
  const text = source.replace(new RegExp(`${GROUP_SPACE}`, 'g'), ' ');
  const signs = [...new Set(text.replace(/\d/g, ''))];
  const last = signs.length === 0 ? '' : text[Math.max(...signs.map((sign) => text.lastIndexOf(sign)))];
  if (signs.length === 0) return { value: text };
  if (signs.length > 2) return { problem: `"${source}" has three kinds of separators` };
  if (signs.length === 2) {
    const group = signs.find((sign) => sign !== last) ?? '';
    if (text.split(last ?? '').length > 2 || !'.,'.includes(last ?? ''))
      return { problem: `"${source}" has invalid digit groups` };
    const [whole = '', fraction = ''] = text.split(last ?? '');
    return isGrouped(whole, group)
      ? { value: `${whole.replaceAll(group, '')}.${fraction}` }
      : { problem: `"${source}" has invalid digit groups` };
  }
  const sign = signs[0] ?? '';
  const parts = text.split(sign);
  const asGroups = isGrouped(text, sign) ? parts.join('') : null;
  const asFraction = '.,'.includes(sign) && parts.length === 2 ? `${parts[0] || '0'}.${parts[1] ?? ''}` : null;
  if (asGroups !== null && asFraction !== null) {
    if (pointDecimal.test(language)) return { value: sign === '.' ? asFraction : asGroups };
    if (commaDecimal.test(language)) return { value: sign === ',' ? asFraction : asGroups };
    return { problem: `"${source}" may mean ${asGroups} or ${asFraction}: set \`locale\`, e.g. en-GB` };
  }
  const only = asGroups ?? asFraction;
  return only === null ? { problem: `"${source}" has invalid digit groups` } : { value: only };
}

/** Groups of three after a first of one to three that does not begin with 0. */
const isGrouped = (digits: string, sign: string) => {
  const [first = '', ...rest] = digits.split(sign);
  return /^[1-9]\d{0,2}$/.test(first) && rest.length > 0 && rest.every((part) => /^\d{3}$/.test(part));
};

/** Properties of a language. */
export interface Language {
  /** BCP 47; null if unknown. */
  readonly tag: string | null;
  /** True if it determines date order and the meaning of `$`: `en` alone does not. */
  readonly hasRegion: boolean;
}

/** The language that `<html lang>` names, as far as Unicode's data (CLDR, of Node's Intl) knows it. */
export function parseLanguage(language = ''): Language {
  try {
    const [tag] = Intl.DateTimeFormat.supportedLocalesOf(language.replaceAll('_', '-').trim());
    if (tag === undefined) return { tag: null, hasRegion: false };
    const { language: base, region } = new Intl.Locale(tag);
    return { tag, hasRegion: region !== undefined || base !== 'en' };
  } catch {
    return { tag: null, hasRegion: false };
  }
}

/** Zeros of supported digits: Arabic, Persian, Devanagari, Bengali, full width. */
const zeros = [0x0660, 0x06f0, 0x0966, 0x09e6, 0xff10];

/** Converts digits to Latin digits, and Arabic separators to points and commas. */
export const toLatinDigits = (text: string): string =>
  text
    .replace(/[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\uff10-\uff19]/g, (digit) => {
      const code = digit.charCodeAt(0);
      return String(code - (zeros.findLast((zero) => zero <= code) ?? code));
    })
    .replace(/٫/g, '.')
    .replace(/٬/g, ',');

/** An amount of money, in units of its currency (ISO 4217). */
export type Money = Record<'amount', number> & Record<'currency', string>;

const CURRENCY_CODES = new Set(Intl.supportedValuesOf('currency'));

const currencySign = (tag: string, currency: string, display: 'symbol' | 'narrowSymbol') =>
  new Intl.NumberFormat(tag, { style: 'currency', currency, currencyDisplay: display })
    .formatToParts(1)
    .find(({ type }) => type === 'currency')?.value ?? currency;

type Signs = ReadonlyMap<string, string>;
const signsByLanguage = new Map<string, Signs>();

/** Signs of currencies in a language, as Unicode's data (CLDR) has them. In Canada `$` is CAD, in Sweden `kr` is SEK. */
function signsOf(tag: string): Signs {
  const numbers =
    signsByLanguage.get(tag) ?? new Map([...CURRENCY_CODES].map((code) => [currencySign(tag, code, 'symbol'), code]));
  signsByLanguage.set(tag, numbers);
  return numbers;
}

/** The sign of a currency in a text: not in the middle of a word. */
const hasSign = (text: string, sign: string) => {
  const index = text.indexOf(sign);
  if (index < 0 || sign.trim() === '') return false;
  const isWord = (end: string | undefined, beside: string | undefined) =>
    /\p{L}/u.test(end ?? '') && /\p{L}/u.test(beside ?? '');
  return !isWord(sign[0], text[index - 1]) && !isWord(sign.at(-1), text[index + sign.length]);
};

const longestFirst = (signs: Iterable<string>) => [...signs].sort((a, b) => b.length - a.length);

/** Currency in a text: a code, a symbol, or none. */
function findCurrency(text: string, tag: string): { sign: string; code: string | null } | null {
  const code = [...text.matchAll(/(?<!\p{L})[A-Z]{3}(?!\p{L})/gu)].find(([word]) => CURRENCY_CODES.has(word))?.[0];
  if (code !== undefined) return { sign: code, code };
  const signs = signsOf(tag);
  const sign = longestFirst(signs.keys()).find((candidate) => hasSign(text, candidate));
  const english = signsOf('en');
  const foundSign =
    sign ?? longestFirst(english.keys()).find((candidate) => hasSign(text, candidate)) ?? /\p{Sc}/u.exec(text)?.[0];
  if (foundSign === undefined) return null;
  return {
    sign: foundSign,
    code: signs.get(foundSign) ?? (foundSign === '$' ? null : (english.get(foundSign) ?? null)),
  };
}

/**
 * Parses an amount of money such as `1.234,50 €`, `US$ 12`, `CHF 1'200.00`. `$` and similar symbols mean the currency of the language
 * region; otherwise the field must define it.
 * @param currency ISO 4217, for texts without currency or with an ambiguous symbol
 */
export function parseMoney(text: string, { tag, hasRegion }: Language, currency?: string): ParseResult<Money> {
  const language = tag ?? 'en';
  const currencyMatch = findCurrency(text, language);
  const number = parseNumber(currencyMatch ? text.replace(currencyMatch.sign, ' ') : text, tag ?? '');
  if ('problem' in number) return number;
  if (!currencyMatch) {
    if (currency !== undefined) return { value: { amount: number.value, currency } };
    return { problem: 'it has no currency: set `currency`' };
  }
  const isFieldCurrency =
    currency !== undefined && currencySign(language, currency, 'narrowSymbol') === currencyMatch.sign;
  const code = isFieldCurrency ? currency : currencyMatch.sign === '$' && !hasRegion ? null : currencyMatch.code;
  if (code === null) return { problem: `"${currencyMatch.sign}" is the sign of several currencies: set \`currency\`` };
  if (currency !== undefined && code !== currency) return { problem: `it is in ${code}, not in ${currency}` };
  return { value: { amount: number.value, currency: code } };
}
