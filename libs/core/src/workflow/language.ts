/** What is known of the language of a text. */
export interface Language {
  /** BCP 47; null when the page does not say, or nobody knows it. */
  readonly tag: string | null;
  /** Whether it says in which order days and months stand, and whose sign `$` is: `en` alone does not. */
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

/** Zeros of the digits that pages are written with: Arabic, Persian, Devanagari, Bengali, full width. */
const zeros = [0x0660, 0x06f0, 0x0966, 0x09e6, 0xff10];

/** A text with Latin digits, and the Arabic signs between them as points and commas. */
export const toLatinDigits = (text: string): string =>
  text
    .replace(/[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\uff10-\uff19]/g, (digit) => {
      const code = digit.charCodeAt(0);
      return String(code - (zeros.findLast((zero) => zero <= code) ?? code));
    })
    .replace(/٫/g, '.')
    .replace(/٬/g, ',');
