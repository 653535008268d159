/*
 * ECMAScript patterns (flag `u`) as patterns of RE2. The two differ in `\s`, `.`, escapes, names of Unicode properties and empty
 * classes; everything else that both know means the same. Constructs that need backtracking are refused with a fix.
 */

/** Thrown for a pattern that cannot be used. The message is a sentence that names the construct and the fix. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** White space of ECMAScript; RE2 has ASCII only. Parts of a character class. */
const SPACE = String.raw`\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;
const NOT_SPACE = String.raw`\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`;
const LINE_ENDS = String.raw`\n\r\x{2028}\x{2029}`;
const ANY_CHAR = String.raw`\x{0}-\x{10ffff}`;

/** Long names of general categories, which RE2 knows by their short names. */
const categories: Record<string, string> = {
  Letter: 'L',
  Cased_Letter: 'LC',
  Uppercase_Letter: 'Lu',
  Lowercase_Letter: 'Ll',
  Titlecase_Letter: 'Lt',
  Modifier_Letter: 'Lm',
  Other_Letter: 'Lo',
  Mark: 'M',
  Nonspacing_Mark: 'Mn',
  Spacing_Mark: 'Mc',
  Enclosing_Mark: 'Me',
  Number: 'N',
  Decimal_Number: 'Nd',
  Letter_Number: 'Nl',
  Other_Number: 'No',
  Punctuation: 'P',
  Connector_Punctuation: 'Pc',
  Dash_Punctuation: 'Pd',
  Open_Punctuation: 'Ps',
  Close_Punctuation: 'Pe',
  Initial_Punctuation: 'Pi',
  Final_Punctuation: 'Pf',
  Other_Punctuation: 'Po',
  Symbol: 'S',
  Math_Symbol: 'Sm',
  Currency_Symbol: 'Sc',
  Modifier_Symbol: 'Sk',
  Other_Symbol: 'So',
  Separator: 'Z',
  Space_Separator: 'Zs',
  Line_Separator: 'Zl',
  Paragraph_Separator: 'Zp',
  Other: 'C',
  Control: 'Cc',
  Format: 'Cf',
};

/** Groups that begin with these need backtracking, or change flags. */
const refusedGroups: readonly [RegExp, string][] = [
  [
    /^\(\?<?[=!]/,
    'Look-ahead and look-behind, (?=…) (?!…) (?<=…) (?<!…), are not supported: match the text around it, and put the wanted part in a group',
  ],
  [/^\(\?[a-z]*-?[a-z]*:/, 'Flags inside a pattern, (?i:…), are not supported: write both cases, as in [Aa]'],
];

const hex = (digits: string) => String.raw`\x{${digits}}`;

/**
 * Translates a pattern that is valid ECMAScript with the flag `u`.
 * @param dotAll `.` matches line ends
 * @throws PatternError for look-around, back-references and inline flags
 */
export function toRe2(source: string, dotAll: boolean): string {
  const parts: string[] = [];
  let isClass = false;
  for (let offset = 0; offset < source.length;) {
    const char = source.charAt(offset);
    const next = source.charAt(offset + 1);
    let length = 1;
    let text = char;
    if (char === '\\') {
      [text, length] = escapeAt(source, offset, isClass);
    } else if (isClass) {
      if (char === ']') isClass = false;
      else if (char === '[' || char === '&') text = `\\${char}`;
    } else if (char === '[') {
      const empty = /^\[\^?\]/.exec(source.slice(offset, offset + 3))?.[0];
      if (empty === undefined) isClass = true;
      else [text, length] = [empty === '[]' ? `[^${ANY_CHAR}]` : `[${ANY_CHAR}]`, empty.length];
    } else if (char === '.') {
      text = dotAll ? `[${ANY_CHAR}]` : `[^${LINE_ENDS}]`;
    } else if (char === '(' && next === '?') {
      const refusal = refusedGroups.find(
        ([form]) => form.test(source.slice(offset, offset + 16)) && source[offset + 2] !== ':',
      );
      if (refusal) throw new PatternError(refusal[1]);
    }
    parts.push(text);
    offset += length;
  }
  return parts.join('');
}

/**
 * Converts the escape at an index to RE2.
 * @returns its RE2 form and its length
 */
function escapeAt(source: string, offset: number, isClass: boolean): [text: string, length: number] {
  const rest = source.slice(offset, offset + 80);
  const next = rest.charAt(1);
  if (/[1-9k]/.test(next) && !isClass)
    throw new PatternError(
      String.raw`Back-references, \1 and \k<name>, are not supported: repeat the part of the pattern`,
    );
  const unicode = /^\\u(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{4}))/.exec(rest);
  if (unicode) return codePointAt(source, offset, unicode);
  const property = /^\\([pP])\{([^}]*)\}/.exec(rest);
  if (property) return [`\\${property[1]}{${propertyName(property[2] ?? '')}}`, property[0].length];
  switch (next) {
    case 's':
      return [isClass ? SPACE : `[${SPACE}]`, 2];
    case 'S':
      return [isClass ? NOT_SPACE : `[${NOT_SPACE}]`, 2];
    case '0':
      return [hex('0'), 2];
    case 'b':
      return [isClass ? hex('8') : '\\b', 2];
    case 'c':
      return [hex((rest.charCodeAt(2) % 32).toString(16)), 3];
    default:
      return [rest.slice(0, 2), 2];
  }
}

/** Converts a numeric escape to RE2, with its length. A surrogate pair is one code point. */
function codePointAt(source: string, offset: number, match: RegExpExecArray): [text: string, length: number] {
  const high = Number.parseInt(match[2] ?? '', 16);
  const low = /^\\u([dD][c-fC-F][0-9a-fA-F]{2})/.exec(
    source.slice(offset + match[0].length, offset + match[0].length + 6),
  );
  if (high < 0xd800 || high > 0xdbff || !low || Number.isNaN(high))
    return [hex(match[1] ?? match[2] ?? '0'), match[0].length];
  const code = (high - 0xd800) * 0x400 + (Number.parseInt(low[1] ?? '', 16) - 0xdc00) + 0x10000;
  return [hex(code.toString(16)), match[0].length + low[0].length];
}

function propertyName(property: string): string {
  const [name = '', value] = property.split('=');
  const short = value ?? name;
  const isCategory = value === undefined || name === 'General_Category' || name === 'gc';
  return (isCategory && categories[short]) || short;
}
