import type { Expectation, Observation } from '@pilothouse/contract';
import { elementLine } from '../observation/words.ts';
import type { Claim } from './move.ts';

/** What the page says about a claim. */
export type GoalVerdict =
  | { readonly result: 'met'; readonly by: 'condition' | 'text' | 'model' | 'person' }
  /** The page does not tell: a model has to look. */
  | { readonly result: 'undecided'; readonly detail: string }
  | { readonly result: 'not-met'; readonly detail: string };

/** What the author of the workflow says of the goal. */
export interface Wanted {
  /** Texts that the page shows once the goal is met. */
  readonly success: readonly string[];
  /** Whether the condition of the step holds; null: it has none. */
  readonly condition: boolean | null;
  /** What the page lacks of what was entered, or of what the goal names, a sentence each. */
  readonly lost?: (seen: Shown) => readonly string[];
}

const plain = (text: string) => text.toLowerCase().replace(/\s+/g, ' ').trim();

/** What was seen of a page: where it is alone, or more. */
export type Shown = Pick<Observation, 'url' | 'title'> & Partial<Pick<Observation, 'elements' | 'text' | 'document'>>;

/** Everything that a page says, as one text. */
const saidBy = ({ url, title, elements = [], text }: Shown) =>
  plain(
    [title, url, ...elements.map((one) => `${one.name} ${one.value ?? ''} ${elementLine(one)}`), text?.text ?? ''].join(
      '\n',
    ),
  );

/** Words that tell one place from another. */
const keywords = (text: string) => new Set(plain(text).match(/[\p{L}\p{N}]{3,}/gu) ?? []);

/** Whether the page is where it is said to be: the title or the address has it, or most of its words. */
export function isAt(anchor: string, { url, title }: Pick<Observation, 'url' | 'title'>): boolean {
  const here = plain(`${title}\n${url}`);
  if (here.includes(plain(anchor))) return true;
  const words = keywords(anchor);
  const there = keywords(here);
  return words.size > 0 && [...words].filter((word) => there.has(word)).length * 2 > words.size;
}

/** Which texts are not on the page. */
export const missingFrom = (texts: readonly string[], seen: Shown): string[] => {
  if (texts.length === 0) return [];
  const said = saidBy(seen);
  return texts.filter((text) => !said.includes(plain(text)));
};

/** What of an expectation is not to be seen. */
export const unmetBy = ({ anchor, indicators }: Expectation, seen: Shown): Expectation => ({
  anchor: anchor === null || isAt(anchor, seen) ? null : anchor,
  indicators: missingFrom(indicators, seen),
});

/** What of an expectation is to be seen. */
export function metBy({ anchor, indicators }: Expectation, seen: Shown): Expectation {
  const unmet = unmetBy({ anchor, indicators }, seen);
  return {
    anchor: unmet.anchor === null ? anchor : null,
    indicators: indicators.filter((one) => !unmet.indicators.includes(one)),
  };
}

export const isNothing = ({ anchor, indicators }: Expectation): boolean => anchor === null && indicators.length === 0;

/** An expectation in a part of a sentence. */
export const inWords = ({ anchor, indicators }: Expectation): string =>
  [
    ...(anchor === null ? [] : [`the title or the address has ${quoted([anchor])}`]),
    ...(indicators.length === 0 ? [] : [`the page shows ${quoted(indicators)}`]),
  ].join(' and ');

/** Whether a claim cannot be judged by where the page is and a condition alone. */
export const needsPage = ({ indicators }: Claim, { success, condition, lost }: Wanted): boolean =>
  condition !== false && (success.length > 0 || (condition === null && (indicators.length > 0 || lost !== undefined)));

/**
 * Judges a claim by the page, cheapest first; where `needsPage` says no, where the page is will do. What the author says decides where there is any; what the model itself names as a sign is
 * believed only if all of it is there and nothing that was entered is lost; where only a part is, or it named none, the page does not decide.
 */
export function judge(claim: Claim, seen: Shown, { success, condition, lost }: Wanted): GoalVerdict {
  if (condition === false) return { result: 'not-met', detail: 'what the step expects is not so' };
  const lacking = missingFrom(success, seen);
  if (lacking.length > 0) return { result: 'not-met', detail: `the page does not show ${quoted(lacking)}` };
  if (success.length > 0 || condition) return { result: 'met', by: success.length > 0 ? 'text' : 'condition' };
  const atPlace = claim.anchor === null || isAt(claim.anchor, seen);
  const missing = missingFrom(claim.indicators, seen);
  if (!atPlace && missing.length === claim.indicators.length)
    return {
      result: 'not-met',
      detail: `neither the title nor the address has ${quoted([claim.anchor ?? ''])}${missing.length > 0 ? `, and the page does not show ${quoted(missing)}` : ''}`,
    };
  const [lack] = lost?.(seen) ?? [];
  if (lack !== undefined) return { result: 'undecided', detail: lack };
  if (atPlace && claim.indicators.length > 0 && missing.length === 0) return { result: 'met', by: 'text' };
  return {
    result: 'undecided',
    detail: missing.length > 0 ? `the page does not show ${quoted(missing)}` : 'nothing was named that shows it',
  };
}

const quoted = (texts: readonly string[]) =>
  texts
    .slice(0, 5)
    .map((text) => JSON.stringify(text.slice(0, 100)))
    .join(', ');
