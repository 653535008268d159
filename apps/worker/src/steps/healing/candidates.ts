import { toLocatorChain, toPilothouseError, type ErrorCode, type Locator, type Target } from '@pilothouse/contract';
import { locatorNames } from '@pilothouse/core';
import { runAction } from '../../actions/run-action.ts';
import type { ActionScope } from '../../actions/action-scope.ts';

/** Milliseconds for reading an element, and maximum reads if the page was too busy for a full description. */
const READ_MS = 5_000;
const MAX_READS = 3;

/** Errors of reading an element that disappeared. */
const lostElementErrors: ReadonlySet<ErrorCode> = new Set([
  'TARGET_NOT_FOUND',
  'TARGET_AMBIGUOUS',
  'TARGET_NOT_ACTIONABLE',
  'EXTRACTION_FAILED',
  'STEP_TIMED_OUT',
]);

/** Description of an element by its locators. */
export interface ElementDescription {
  /** ARIA role; empty: unknown. */
  readonly role: string;
  readonly name: string;
  /** Other unique locators, the most stable first. */
  readonly otherLocators: readonly Locator[];
}

/** Describes an element without changing it; null: not found. @throws the abort reason; errors that end an attempt */
export async function describeStepElement(target: Target, scope: ActionScope): Promise<ElementDescription | null> {
  const { before, ...readScope } = scope;
  for (let readCount = 1; ; readCount += 1) {
    try {
      // Attributes are readable even if the element is invisible, as a file input is.
      const value = { attribute: 'id', optional: true };
      const { outcome } = await runAction({ action: 'extract', target, value }, READ_MS, readScope);
      if (!outcome.located) return null;
      const { alternatives: otherLocators = [] } = outcome.located;
      if (otherLocators.length === 0 && readCount < MAX_READS) continue;
      const locators = [...toLocatorChain(target), ...otherLocators];
      const role = locators.find((locator) => locator.role !== undefined)?.role ?? '';
      return { role, name: locators.flatMap(locatorNames)[0] ?? '', otherLocators };
    } catch (thrown) {
      scope.signal.throwIfAborted();
      if (!lostElementErrors.has(toPilothouseError(thrown).code)) throw thrown;
      return null;
    }
  }
}
