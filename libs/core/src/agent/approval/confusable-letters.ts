/*
 * Letters of other scripts that look like Latin letters, from the Unicode confusables (UTS 39). Compatibility forms (full width,
 * mathematical, circled) are missing because NFKD resolves them.
 */

/** Latin letter → lower-case and caseless look-alikes. */
const small: Readonly<Record<string, string>> = {
  a: 'аɑαⱭᴀ',
  b: 'вьʙᏏᑲƅβ',
  c: 'сϲⲥᴄꮯ',
  d: 'ԁᏧᑯɗᴅꓒ',
  e: 'еєҽεᴇҿɛⲉ',
  f: 'ғϝꞙẝքꜰ',
  g: 'ɡցɢᶃ',
  h: 'һհнʜᏂԋ',
  i: 'іıιɩɪⲓꙇ',
  j: 'јϳʝᴊյ',
  k: 'кκᴋⲕқҝ',
  l: 'ʟłⳑӏǀ|ꓲ',
  m: 'мᴍⲙϻ',
  n: 'ոռпɴⲛηᥒ',
  o: 'оοᴏσⲟסဝ๐০',
  p: 'рρⲣᴘҏᑭ',
  q: 'ԛզ',
  r: 'гʀᴦⲅꭇ',
  s: 'ѕꜱƽꮪ',
  t: 'тτᴛⲧե',
  u: 'υսᴜцʋ',
  v: 'ѵνᴠꮩ',
  w: 'ԝшաᴡωѡ',
  x: 'хχҳⲭ',
  y: 'уүγʏỿყ',
  z: 'ᴢʐⲍζꮓ',
};

/** Latin letter → upper-case look-alikes of its capital. */
const capital: Readonly<Record<string, string>> = {
  a: 'АΑᎪꓮⲀ',
  b: 'ВΒᏴꓐⲂ',
  c: 'СϹᏟꓚⲤ',
  d: 'ᎠꓓԀ',
  e: 'ЕΕᎬꓰⲈ',
  f: 'ϜꓝҒ',
  g: 'ԌᏀꓖ',
  h: 'НΗᎻꓧⲎ',
  i: 'ІΙӀꓲⲒ',
  j: 'ЈᎫꓙͿ',
  k: 'КΚᏦꓗⲔ',
  l: 'ᏞꓡⳐ',
  m: 'МΜᎷꓟⲘ',
  n: 'ΝꓠⲚ',
  o: 'ОΟՕꓳⲞ',
  p: 'РΡᏢꓑⲢ',
  q: 'Ԛ',
  r: 'ᎡᏒꓣ',
  s: 'ЅՏᏚꓢ',
  t: 'ТΤᎢꓔⲦ',
  u: 'ՍꓴꓵЏ',
  v: 'ѴᏙꓦ',
  w: 'ԜᎳꓪШ',
  x: 'ХΧꓫⲬ',
  y: 'УΥҮꓬⲨ',
  z: 'ΖᏃꓜ',
};

const LATIN_LETTERS: ReadonlyMap<string, string> = new Map(
  [small, capital].flatMap((letters) =>
    Object.entries(letters).flatMap(([letter, lookAlikes]) =>
      [...lookAlikes].map((lookAlike) => [lookAlike, letter] as const),
    ),
  ),
);

/** First code points of the circled, squared and flag alphabets without a compatibility form. */
const ALPHABET_STARTS = [0x1f150, 0x1f170, 0x1f1e6];

function letterOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const start = ALPHABET_STARTS.find((alphabetStart) => code >= alphabetStart && code < alphabetStart + 26);
  if (start !== undefined) return String.fromCharCode(97 + code - start);
  return LATIN_LETTERS.get(character) ?? LATIN_LETTERS.get(character.toLowerCase()) ?? character.toLowerCase();
}

/** Invisible characters, and those that change the text direction. */
const INVISIBLE = /[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * Normalizes a text to the letters that a person reads. Resolves compatibility forms, removes invisible characters and accents, replaces
 * look-alikes with Latin letters, converts to lower case.
 */
export const plainLetters = (text: string): string =>
  [
    ...text
      .replace(/[\t\r\n]/g, ' ')
      .normalize('NFKD')
      .replace(INVISIBLE, '')
      .replace(/\p{M}/gu, ''),
  ]
    .map(letterOf)
    .join('');

/** Characters that reverse the text direction. */
const REVERSED_DIRECTION = /[\u202d\u202e\u2066-\u2069]/u;

/** Spaced letters: `D e l e t e`. */
const SPACED_LETTERS = /(?<![\p{L}\p{N}])\p{L}(?:[\s._*·•-]{1,3}\p{L}(?![\p{L}\p{N}])){2,}/gu;

/** Digits and signs that replace letters inside a word. */
const LETTER_SUBSTITUTES: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'l',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/** Maximum characters of a text that are checked. */
const MAX_CHECKED_CHARS = 2000;

/**
 * Possible readings of a text: unchanged, spaced letters joined, digits replaced by letters, and reversed if its
 * direction is overridden.
 */
export function readings(text: string): string[] {
  const normalized = plainLetters(text.slice(0, MAX_CHECKED_CHARS));
  const joinedLetters = normalized.replace(SPACED_LETTERS, (letters) => letters.replace(/[^\p{L}]/gu, ''));
  const withLetters = (oneReplacement: string) =>
    normalized
      .split(' ')
      .map((word) =>
        /\p{L}/u.test(word)
          ? word.replace(/[013457@$!]/g, (sign) => (sign === '1' ? oneReplacement : (LETTER_SUBSTITUTES[sign] ?? sign)))
          : word,
      )
      .join(' ');
  const reversed = REVERSED_DIRECTION.test(text) ? [[...normalized].reverse().join('')] : [];
  return [...new Set([normalized, joinedLetters, withLetters('l'), withLetters('i'), ...reversed])];
}
