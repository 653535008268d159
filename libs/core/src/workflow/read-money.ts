import type { Language } from './language.ts';
import { parseNumber, type ParseResult } from './read-number.ts';

/** An amount of money, in units of its currency (ISO 4217). */
export type Money = Record<'amount', number> & Record<'currency', string>;

const codes = new Set(Intl.supportedValuesOf('currency'));

const signOf = (tag: string, currency: string, display: 'symbol' | 'narrowSymbol') =>
  new Intl.NumberFormat(tag, { style: 'currency', currency, currencyDisplay: display })
    .formatToParts(1)
    .find(({ type }) => type === 'currency')?.value ?? currency;

type Signs = ReadonlyMap<string, string>;
const known = new Map<string, Signs>();

/** Signs of currencies in a language, as Unicode's data (CLDR) has them: in Canada `$` is CAD, in Sweden `kr` is SEK. */
function signsOf(tag: string): Signs {
  const found = known.get(tag) ?? new Map([...codes].map((code) => [signOf(tag, code, 'symbol'), code]));
  known.set(tag, found);
  return found;
}

/** The sign of a currency in a text: not in the middle of a word. */
const hasSign = (text: string, sign: string) => {
  const at = text.indexOf(sign);
  if (at < 0 || sign.trim() === '') return false;
  const isWord = (end: string | undefined, beside: string | undefined) =>
    /\p{L}/u.test(end ?? '') && /\p{L}/u.test(beside ?? '');
  return !isWord(sign[0], text[at - 1]) && !isWord(sign.at(-1), text[at + sign.length]);
};

const longestFirst = (signs: Iterable<string>) => [...signs].sort((a, b) => b.length - a.length);

/** What a text says of its currency: a code, a sign, or nothing. */
function named(text: string, tag: string): { sign: string; code: string | null } | null {
  const code = [...text.matchAll(/(?<!\p{L})[A-Z]{3}(?!\p{L})/gu)].find(([word]) => codes.has(word))?.[0];
  if (code !== undefined) return { sign: code, code };
  const signs = signsOf(tag);
  const sign = longestFirst(signs.keys()).find((one) => hasSign(text, one));
  const english = signsOf('en');
  const other = sign ?? longestFirst(english.keys()).find((one) => hasSign(text, one)) ?? /\p{Sc}/u.exec(text)?.[0];
  if (other === undefined) return null;
  return { sign: other, code: signs.get(other) ?? (other === '$' ? null : (english.get(other) ?? null)) };
}

/**
 * The money in a text such as `1.234,50 €`, `US$ 12`, `CHF 1'200.00`. `$` and the like are the currency of the language's region;
 * where that is not known the field has to say which.
 * @param currency ISO 4217 of a text that names none, or with a sign that several have
 */
export function parseMoney(text: string, { tag, hasRegion }: Language, currency?: string): ParseResult<Money> {
  const language = tag ?? 'en';
  const seen = named(text, language);
  const number = parseNumber(seen ? text.replace(seen.sign, ' ') : text, tag ?? '');
  if ('why' in number) return number;
  if (!seen) {
    if (currency !== undefined) return { value: { amount: number.value, currency } };
    return { why: 'it names no currency; say which with `currency`' };
  }
  const mayBe = currency !== undefined && signOf(language, currency, 'narrowSymbol') === seen.sign;
  const code = mayBe ? currency : seen.sign === '$' && !hasRegion ? null : seen.code;
  if (code === null) return { why: `"${seen.sign}" is the sign of several currencies; say which with \`currency\`` };
  if (currency !== undefined && code !== currency) return { why: `it is in ${code}, not in ${currency}` };
  return { value: { amount: number.value, currency: code } };
}
