import { toLocatorChain, toPilothouseError, type ErrorCode, type Locator, type Target } from '@pilothouse/contract';
import { locatorNames } from '@pilothouse/core';
import { runAction } from '../../actions/run-action.ts';
import type { ActionScope } from '../../actions/action-scope.ts';

/** Milliseconds for reading an element, and maximum reads if the page was too busy for a full description. */
const READ_MS = 5_000;
const TIMES = 3;

/** Errors of reading an element that disappeared. */
const passing: ReadonlySet<ErrorCode> = new Set([
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
  readonly others: readonly Locator[];
}

/** Describes an element without changing it; null: not found. @throws the abort reason; errors that end an attempt */
export async function describeStepElement(target: Target, parts: ActionScope): Promise<ElementDescription | null> {
  const { before, ...reading } = parts;
  for (let n = 1; ; n += 1) {
    try {
      // Attributes are readable even if the element is invisible, as a file input is.
      const value = { attribute: 'id', optional: true };
      const { outcome } = await runAction({ action: 'extract', target, value }, READ_MS, reading);
      if (!outcome.located) return null;
      const { alternatives: others = [] } = outcome.located;
      if (others.length === 0 && n < TIMES) continue;
      const ways = [...toLocatorChain(target), ...others];
      const role = ways.find((one) => one.role !== undefined)?.role ?? '';
      return { role, name: ways.flatMap(locatorNames)[0] ?? '', others };
    } catch (thrown) {
      parts.signal.throwIfAborted();
      if (!passing.has(toPilothouseError(thrown).code)) throw thrown;
      return null;
    }
  }
}
