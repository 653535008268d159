import { replaceCardNumbers, type RedactedText } from './card-numbers.ts';
import { compilePattern, type LinearPattern } from '../../regex/linear-regex.ts';

/* Patterns of secrets and personal data in texts. They run in linear time. */

interface SecretPattern {
  readonly replacement: string;
  readonly pattern: LinearPattern;
  /** Confirms a match. */
  readonly isSecret?: (text: string) => boolean;
  /** Fast test. The pattern is only used if it returns true. */
  readonly canMatch: (text: string) => boolean;
}

const includes = (word: string) => (text: string) => text.includes(word);

const patternsSource: readonly (Omit<SecretPattern, 'pattern'> & {
  readonly source: string;
  readonly flags?: string;
})[] = [
  {
    replacement: '[private key]',
    source: '-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\\s]*(?:-----END [A-Z ]*PRIVATE KEY-----)?',
    canMatch: includes('PRIVATE KEY'),
  },
  {
    replacement: '[token]',
    source: 'eyJ[A-Za-z0-9_-]{6,}\\.[A-Za-z0-9_-]{6,}\\.[A-Za-z0-9_-]*',
    canMatch: includes('eyJ'),
  },
  {
    replacement: 'Bearer [token]',
    source: 'bearer\\s+[A-Za-z0-9._~+/=-]{8,}',
    flags: 'i',
    canMatch: (text) => /bearer/i.test(text),
  },
  { replacement: 'Basic [token]', source: 'Basic\\s+[A-Za-z0-9+/=]{12,}', canMatch: includes('Basic') },
  {
    replacement: '[key]',
    source:
      '(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{16,}|AKIA[0-9A-Z]{16}|ASIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[abposr]-[A-Za-z0-9-]{10,}|whsec_[A-Za-z0-9+/=]{16,}|ya29\\.[A-Za-z0-9_-]{16,}|SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}|npm_[A-Za-z0-9]{20,}|ph_[A-Za-z0-9_-]{20,}',
    canMatch: (text) =>
      /[spr]k[-_]|AKIA|ASIA|AIza|gh[pousr]_|github_pat_|glpat-|xox[abposr]-|whsec_|ya29\.|SG\.|npm_|ph_/.test(text),
  },
  {
    replacement: '[secret]',
    source:
      '(?:password|passwd|pwd|secret|api[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret)["\']?\\s{0,3}[=:]\\s{0,3}["\']?[^\\s"\'&,;<>•\\[\\]]{4,}',
    flags: 'i',
    isSecret: (text) => !text.includes('{{'),
    canMatch: (text) => /(?:password|passwd|pwd|secret|key|token)["']?\s{0,3}[=:]/i.test(text),
  },
  {
    replacement: '[e-mail]',
    source: '[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)*\\.[A-Za-z]{2,}',
    canMatch: includes('@'),
  },
  {
    replacement: '[IBAN]',
    source: '[A-Z]{2}\\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?',
    isSecret: isIban,
    canMatch: (text) => /[A-Z]{2}\d{2}/.test(text),
  },
];

/** True for an IBAN with valid check digits (ISO 7064). */
function isIban(text: string): boolean {
  const compact = text.replaceAll(' ', '');
  if (compact.length < 15 || compact.length > 34) return false;
  let remainder = 0;
  for (const char of compact.slice(4) + compact.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}

/** Maximum length of a text in one match, in characters. The time of a match grows with it, so longer texts are split. */
const CHUNK_CHARS = 20_000;

const patterns: readonly SecretPattern[] = patternsSource.map(({ source, flags = '', ...rest }) => ({
  ...rest,
  pattern: compilePattern(source, flags),
}));

/** Replaces secrets and personal data: keys, tokens, passwords in assignments, e-mail addresses, card numbers, IBANs. */
export function redactText(text: string): RedactedText {
  let { text: result, count } = replaceCardNumbers(text);
  for (const pattern of patterns) {
    if (!pattern.canMatch(result)) continue;
    const redacted = replaceAll(result, pattern);
    count += redacted.count;
    result = redacted.text;
  }
  return { text: result, count };
}

function replaceAll(text: string, { pattern, replacement, isSecret = () => true }: SecretPattern): RedactedText {
  const parts: string[] = [];
  let count = 0;
  let start = 0;
  while (start < text.length) {
    const chunk = text.slice(start, start + CHUNK_CHARS);
    const match = pattern.exec(chunk);
    const found = match?.texts[0];
    if (match === null || found === undefined) {
      // A secret at the end of this chunk may continue in the next one, so chunks overlap.
      const end = start + CHUNK_CHARS >= text.length ? text.length : start + CHUNK_CHARS / 2;
      parts.push(text.slice(start, end));
      start = end;
      continue;
    }
    // A match that ends with the chunk may be longer: the next chunk starts with it.
    if (match.index > 0 && match.index + found.length === chunk.length && start + chunk.length < text.length) {
      parts.push(chunk.slice(0, match.index));
      start += match.index;
      continue;
    }
    const isReplaced = isSecret(found);
    parts.push(chunk.slice(0, match.index), isReplaced ? replacement : found);
    if (isReplaced) count += 1;
    start += match.index + Math.max(1, found.length);
  }
  return { text: parts.join(''), count };
}
