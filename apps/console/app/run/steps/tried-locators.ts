import { countOf } from '../../shared/number-format.ts';
import type { StepState } from '../run-state.ts';

/** A locator that a step tried. */
export interface TriedLocator {
  locator: string;
  /** Result of the locator: `1 match`, `No match`, or the problem of the element. */
  result: string;
  /** Milliseconds from the start of the search to the last try; null: not recorded. */
  elapsedMs: number | null;
  isMatch: boolean;
}

/** Locators that a step tried, in order. Empty for a step without a target. */
export function triedLocatorsOf({ located, error }: Pick<StepState, 'located' | 'error'>): TriedLocator[] {
  if (error) return failedRows(error.details ?? {});
  if (!located) return [];
  const { locator, triedCount, tried = [] } = located;
  if (tried.length > 0) {
    return tried.map((attempt, index) => ({
      locator: attempt.locator,
      result: matchesText(attempt.matches),
      elapsedMs: attempt.elapsedMs,
      isMatch: index === tried.length - 1,
    }));
  }
  const result = triedCount > 1 ? `1 match, locator ${triedCount} of the target` : matchesText(1);
  return [{ locator, result, elapsedMs: null, isMatch: true }];
}

function failedRows(details: Readonly<Record<string, unknown>>): TriedLocator[] {
  const row = (locator: unknown, result: string): TriedLocator[] =>
    typeof locator === 'string' ? [{ locator, result, elapsedMs: null, isMatch: false }] : [];
  const { tried, locator, reason, count } = details;
  if (Array.isArray(tried)) {
    return (tried as { locator?: unknown; found?: unknown }[]).flatMap((attempt) =>
      row(attempt.locator, attempt.found === 'nothing' ? matchesText(0) : String(attempt.found)),
    );
  }
  if (typeof count === 'number') return row(locator, matchesText(count));
  return typeof reason === 'string' ? row(locator, `1 match, but ${reason}`) : [];
}

const matchesText = (count: number): string => (count === 0 ? 'No match' : countOf(count, 'match', 'matches'));
