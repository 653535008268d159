import type { Expectation } from '@pilothouse/contract/agent/agent.schema';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import { applicationUri, matchesApplication, uriOriginOf } from '../origin/uri-origin.ts';
import { answerParts, controlNamesOf, evidenceGap, sourceGap, type ClaimHistory } from './claim-evidence.ts';
import { evidenceTextOf, missingTexts, normalizeText, sourceTextOf, type ObservedPage } from './observed-text.ts';
import type { GoalClaim } from './planned-action.ts';

/** Verdict of the page about a claim. */
export type GoalVerdict =
  | { readonly result: 'met'; readonly verifiedBy: 'condition' | 'text' | 'model' | 'person' }
  /** The page does not decide. A model has to. */
  | { readonly result: 'undecided'; readonly detail: string }
  | { readonly result: 'not-met'; readonly detail: string };

/** Completion criteria from the author of the workflow. */
export interface GoalCriteria {
  /** Texts that the page shows once the goal is met. */
  readonly texts: readonly string[];
  /** Result of the step's condition; null: no condition. */
  readonly condition: boolean | null;
  /** Entered values and goal texts that the page lacks, one sentence each. */
  readonly lostValues?: (page: ObservedPage) => readonly string[];
  /** Fields with entered values that the page marks as invalid, one sentence each. */
  readonly invalidFields?: (page: ObservedPage) => readonly string[];
  /** Indexes of the fields that the agent has filled. */
  readonly filledIndexes?: (page: ObservedPage) => ReadonlySet<number | null>;
  readonly history: ClaimHistory;
  /** Every part of the answer has to be on a page. */
  readonly requiresSources: boolean;
}

/** Words that distinguish two pages. */
const keywords = (text: string) => new Set(normalizeText(text).match(/[\p{L}\p{N}]{3,}/gu) ?? []);

/**
 * Properties by which a page or window shows an anchor, the most reliable first. An application is matched by its id,
 * as of `mousepad`.
 */
const anchorMatches = ['app', 'title', 'url', 'keywords'] as const;
type AnchorMatch = (typeof anchorMatches)[number];

/** A page, or a window and the page that it shows. */
type Place = Pick<Observation, 'url' | 'title' | 'page'>;

/** Property by which a page or window shows an anchor; null: it does not. `keywords`: most words match. */
function anchorMatch(anchor: string, place: Place): AnchorMatch | null {
  const { url, title, page } = place;
  const addresses = [url, ...(page ? [page.url] : [])].join('\n');
  if (!anchor.includes('*') && matchesApplication(anchor.trim(), uriOriginOf(url))) return 'app';
  if (normalizeText(title).includes(normalizeText(anchor))) return 'title';
  if (normalizeText(`${title}\n${addresses}`).includes(normalizeText(anchor))) return 'url';
  const words = keywords(anchor);
  const pageKeywords = keywords(`${title}\n${addresses}`);
  return words.size > 0 && [...words].filter((word) => pageKeywords.has(word)).length * 2 > words.size
    ? 'keywords'
    : null;
}

/** True if the application, title or URL is the anchor or contains it, or most of its words. */
export const isAtAnchor = (anchor: string, place: Place): boolean => anchorMatch(anchor, place) !== null;

type WindowName = NonNullable<Observation['windows']>[number];

/** The window of a desktop that shows an anchor most reliably, of several the topmost; null: none. @param windows the topmost last */
export function windowAtAnchor(anchor: string, windows: readonly WindowName[]): WindowName | null {
  const matches = windows.map((window) => ({
    window,
    match: anchorMatch(anchor, { url: applicationUri(window.app, window.title), title: window.title }),
  }));
  for (const kind of anchorMatches) {
    const found = matches.findLast(({ match, window }) => match === kind && window.title !== '');
    if (found) return found.window;
  }
  return null;
}

/** Part of an expectation that the page does not show. */
export const unmetExpectation = ({ anchor, indicators }: Expectation, page: ObservedPage): Expectation => ({
  anchor: anchor === null || isAtAnchor(anchor, page) ? null : anchor,
  indicators: missingTexts(indicators, page),
});

/** Part of an expectation that the page shows. */
export function shownExpectation({ anchor, indicators }: Expectation, page: ObservedPage): Expectation {
  const unmet = unmetExpectation({ anchor, indicators }, page);
  return {
    anchor: unmet.anchor === null ? anchor : null,
    indicators: indicators.filter((indicator) => !unmet.indicators.includes(indicator)),
  };
}

export const isEmptyExpectation = ({ anchor, indicators }: Expectation): boolean =>
  anchor === null && indicators.length === 0;

/** Describes an expectation as a noun phrase. */
export const describeExpectation = ({ anchor, indicators }: Expectation): string =>
  [
    ...(anchor === null ? [] : [`title or address with ${quoteAll([anchor])}`]),
    ...(indicators.length === 0 ? [] : [`texts ${quoteAll(indicators)}`]),
  ].join(' and ');

/** True if URL, title and condition alone cannot decide the claim. */
export const needsFullPage = (
  { indicators, answer }: GoalClaim,
  { texts, condition, lostValues, requiresSources }: GoalCriteria,
): boolean =>
  condition !== false &&
  (texts.length > 0 ||
    (requiresSources && answer !== null) ||
    (condition === null && (indicators.length > 0 || lostValues !== undefined)));

/**
 * Judges a claim by the page, cheapest check first. URL and title suffice unless `needsFullPage` is true. Criteria of the author decide if
 * there are any. Indicators of the model count only if the page shows all of them and every entered value, marks no filled field as
 * invalid, and `evidenceGap` returns null. Otherwise the verdict is `undecided`.
 */
export function verifyClaim(claim: GoalClaim, page: ObservedPage, criteria: GoalCriteria): GoalVerdict {
  const { texts, condition, history } = criteria;
  if (condition === false) return { result: 'not-met', detail: 'the condition of the step is false' };
  const missingGoalTexts = missingTexts(texts, page);
  if (missingGoalTexts.length > 0)
    return { result: 'not-met', detail: `the page does not show ${quoteAll(missingGoalTexts)}` };
  if (criteria.requiresSources) {
    const pageTexts = [sourceTextOf(page, criteria.filledIndexes?.(page)), ...history.seenTexts];
    const parts = answerParts(claim.answer, history.goal.outputSchema, pageTexts);
    const gap = sourceGap(parts);
    if (gap !== null) return { result: 'not-met', detail: gap };
  }
  if (texts.length > 0 || condition) return { result: 'met', verifiedBy: texts.length > 0 ? 'text' : 'condition' };
  return judgeIndicators(claim, page, criteria);
}

function judgeIndicators(
  claim: GoalClaim,
  page: ObservedPage,
  { lostValues, invalidFields, filledIndexes, history }: GoalCriteria,
): GoalVerdict {
  const isAnchorShown = claim.anchor === null || isAtAnchor(claim.anchor, page);
  const missingIndicators = missingTexts(claim.indicators, page);
  if (!isAnchorShown && missingIndicators.length === claim.indicators.length)
    return {
      result: 'not-met',
      detail: `title and address do not contain ${quoteAll([claim.anchor ?? ''])}${missingIndicators.length > 0 ? `, and the page does not show ${quoteAll(missingIndicators)}` : ''}`,
    };
  const [invalidField] = invalidFields?.(page) ?? [];
  // The answer may be the validation error itself.
  if (invalidField !== undefined)
    return { result: claim.answer === null || claim.answer === '' ? 'not-met' : 'undecided', detail: invalidField };
  const [lostValue] = lostValues?.(page) ?? [];
  if (lostValue !== undefined) return { result: 'undecided', detail: lostValue };
  if (missingIndicators.length > 0)
    return { result: 'undecided', detail: `the page does not show ${quoteAll(missingIndicators)}` };
  if (!isAnchorShown || claim.indicators.length === 0)
    return { result: 'undecided', detail: 'the claim names no evidence' };
  const gap = evidenceGap(claim, evidenceTextOf(page, filledIndexes?.(page)), controlNamesOf(page), history);
  return gap === null ? { result: 'met', verifiedBy: 'text' } : { result: 'undecided', detail: gap };
}

const quoteAll = (texts: readonly string[]) =>
  texts
    .slice(0, 5)
    .map((text) => JSON.stringify(text.slice(0, 100)))
    .join(', ');
