import type { Expectation, Observation } from '@pilothouse/contract';
import { elementLine } from '../observation/observation-text.ts';
import type { GoalClaim } from './agent-protocol.ts';

/** What the page says about a claim. */
export type GoalVerdict =
  | { readonly result: 'met'; readonly by: 'condition' | 'text' | 'model' | 'person' }
  /** The page does not tell: a model has to look. */
  | { readonly result: 'undecided'; readonly detail: string }
  | { readonly result: 'not-met'; readonly detail: string };

/** What the author of the workflow says of the goal. */
export interface GoalCriteria {
  /** Texts that the page shows once the goal is met. */
  readonly texts: readonly string[];
  /** Whether the condition of the step holds; null: it has none. */
  readonly condition: boolean | null;
  /** What the page lacks of what was entered, or of what the goal names, a sentence each. */
  readonly lost?: (seen: PageText) => readonly string[];
}

const plain = (text: string) => text.toLowerCase().replace(/\s+/g, ' ').trim();

/** What was seen of a page: where it is alone, or more. */
export type PageText = Pick<Observation, 'url' | 'title'> &
  Partial<Pick<Observation, 'elements' | 'text' | 'document'>>;

/** Everything that a page says, as one text. */
const saidBy = ({ url, title, elements = [], text }: PageText) =>
  plain(
    [title, url, ...elements.map((one) => `${one.name} ${one.value ?? ''} ${elementLine(one)}`), text?.text ?? ''].join(
      '\n',
    ),
  );

/** Words that tell one place from another. */
const keywords = (text: string) => new Set(plain(text).match(/[\p{L}\p{N}]{3,}/gu) ?? []);

/** Whether the page is where it is said to be: the title or the address has it, or most of its words. */
export function isAtAnchor(anchor: string, { url, title }: Pick<Observation, 'url' | 'title'>): boolean {
  const here = plain(`${title}\n${url}`);
  if (here.includes(plain(anchor))) return true;
  const words = keywords(anchor);
  const there = keywords(here);
  return words.size > 0 && [...words].filter((word) => there.has(word)).length * 2 > words.size;
}

/** Which texts are not on the page. */
export const missingTexts = (texts: readonly string[], seen: PageText): string[] => {
  if (texts.length === 0) return [];
  const said = saidBy(seen);
  return texts.filter((text) => !said.includes(plain(text)));
};

/** What of an expectation is not to be seen. */
export const unmetExpectation = ({ anchor, indicators }: Expectation, seen: PageText): Expectation => ({
  anchor: anchor === null || isAtAnchor(anchor, seen) ? null : anchor,
  indicators: missingTexts(indicators, seen),
});

/** What of an expectation is to be seen. */
export function metExpectation({ anchor, indicators }: Expectation, seen: PageText): Expectation {
  const unmet = unmetExpectation({ anchor, indicators }, seen);
  return {
    anchor: unmet.anchor === null ? anchor : null,
    indicators: indicators.filter((one) => !unmet.indicators.includes(one)),
  };
}

export const isEmptyExpectation = ({ anchor, indicators }: Expectation): boolean =>
  anchor === null && indicators.length === 0;

/** An expectation in a part of a sentence. */
export const describeExpectation = ({ anchor, indicators }: Expectation): string =>
  [
    ...(anchor === null ? [] : [`the title or the address has ${quoted([anchor])}`]),
    ...(indicators.length === 0 ? [] : [`the page shows ${quoted(indicators)}`]),
  ].join(' and ');

/** Whether a claim cannot be judged by where the page is and a condition alone. */
export const needsFullPage = ({ indicators }: GoalClaim, { texts, condition, lost }: GoalCriteria): boolean =>
  condition !== false && (texts.length > 0 || (condition === null && (indicators.length > 0 || lost !== undefined)));

/**
 * Judges a claim by the page, cheapest first; where `needsFullPage` says no, where the page is will do. What the author says decides where there is any; what the model itself names as a sign is
 * believed only if all of it is there and nothing that was entered is lost; where only a part is, or it named none, the page does not decide.
 */
export function verifyClaim(
  claim: GoalClaim,
  seen: PageText,
  { texts: texts, condition, lost }: GoalCriteria,
): GoalVerdict {
  if (condition === false) return { result: 'not-met', detail: 'what the step expects is not so' };
  const lacking = missingTexts(texts, seen);
  if (lacking.length > 0) return { result: 'not-met', detail: `the page does not show ${quoted(lacking)}` };
  if (texts.length > 0 || condition) return { result: 'met', by: texts.length > 0 ? 'text' : 'condition' };
  const atPlace = claim.anchor === null || isAtAnchor(claim.anchor, seen);
  const missing = missingTexts(claim.indicators, seen);
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
