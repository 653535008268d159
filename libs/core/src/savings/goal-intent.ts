import { canonicalJson } from '../learning/dataset/canonical-json.ts';

/** Identity of a goal: runs with the same one differ only in values. */
export interface GoalIntent {
  readonly surface: string;
  /** Host or application; empty: unknown. */
  readonly site: string;
  /** Goals of the run in order. */
  readonly goals: readonly string[];
}

/** Maximum length of a goal that is compared, in characters. The rest is ignored. */
const MAX_GOAL_CHARS = 4_000;

/** Placeholder of a number, a date, a quoted value or a template. */
const VALUE = '#';

/** Closing quotes by their opening quote. An apostrophe is not one: it is part of words. */
const closingQuotes: Readonly<Record<string, string>> = {
  '"': '"',
  '`': '`',
  '“': '”',
  '„': '“”',
  '«': '»',
  '»': '«',
  '‘': '’',
  '‚': '‘’',
};

const MONTHS: ReadonlySet<string> = new Set(
  'january february march april may june july august september october november december'
    .split(' ')
    .flatMap((month) => [month, month.slice(0, 3), month.slice(0, 4)]),
);

/** Text that is the same for runs with the same intent. Equal texts mean equal intents. */
export const intentKey = ({ surface, site, goals }: GoalIntent): string =>
  canonicalJson({ surface, site: site.toLowerCase(), goals: goals.map(normalizeGoal) });

/**
 * Replaces the values of a goal and ignores case, whitespace and punctuation around words.
 * `Order 3 "Ropes" for  €50.` → `order # # for #`
 */
export function normalizeGoal(goal: string): string {
  const words = replaceQuoted(goal.slice(0, MAX_GOAL_CHARS).normalize('NFKC').toLowerCase())
    .split(/\s+/)
    .map(normalizeWord)
    .filter((word) => word !== '');
  const normalized: string[] = [];
  words.forEach((word, index) => {
    // `3 May 2027` is one date. `may` is a month only beside a number.
    const isMonth = MONTHS.has(word) && (words[index - 1] === VALUE || words[index + 1] === VALUE);
    if ((isMonth || word === VALUE) && normalized.at(-1) === VALUE) return;
    normalized.push(isMonth ? VALUE : word);
  });
  return normalized.join(' ');
}

/** Replaces quoted values and templates. Reads each character once or twice. */
function replaceQuoted(text: string): string {
  let replaced = '';
  for (let index = 0; index < text.length; index += 1) {
    const end = endOfValue(text, index);
    if (end === null) replaced += text.charAt(index);
    else {
      replaced += ` ${VALUE} `;
      index = end;
    }
  }
  return replaced;
}

/** Maximum length of a quoted value or template. It limits the search for the closing quote. */
const MAX_VALUE_CHARS = 200;

/** Index of the last character of the value that starts here; null: no value starts here. */
function endOfValue(text: string, start: number): number | null {
  const closing = closingQuotes[text.charAt(start)];
  if (closing === undefined && !text.startsWith('{{', start)) return null;
  const limit = Math.min(text.length, start + MAX_VALUE_CHARS);
  for (let index = start + 1; index < limit; index += 1) {
    if (closing === undefined ? text.startsWith('}}', index) : closing.includes(text.charAt(index)))
      return closing === undefined ? index + 1 : index;
  }
  return null;
}

/** A word without punctuation around it. A word with a digit, and an e-mail address, is a value; of a URL only the host counts. */
function normalizeWord(word: string): string {
  const url = word.includes('://') ? URL.parse(word) : null;
  if (url) return url.host;
  if (/\p{Nd}/u.test(word) || word.includes('@') || word === VALUE) return VALUE;
  let start = 0;
  let end = word.length;
  while (start < end && isPunctuation(word.charAt(start))) start += 1;
  while (end > start && isPunctuation(word.charAt(end - 1))) end -= 1;
  return word.slice(start, end);
}

const isPunctuation = (character: string): boolean => /[\p{P}\p{S}]/u.test(character);
