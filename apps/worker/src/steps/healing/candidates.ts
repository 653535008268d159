import { toLocatorChain, toPilothouseError, type ErrorCode, type Locator, type Target } from '@pilothouse/contract';
import { locatorNames } from '@pilothouse/core';
import { runAction, type ActionScope } from '../../actions/run-action.ts';

/** Milliseconds for reading an element, and how often it is read where the page had no time to say more of it. */
const READ_MS = 5_000;
const TIMES = 3;

/** How an element that was there a moment ago may not be read. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'TARGET_NOT_FOUND',
  'TARGET_AMBIGUOUS',
  'TARGET_NOT_ACTIONABLE',
  'EXTRACTION_FAILED',
  'STEP_TIMED_OUT',
]);

/** What an element is, as far as ways to find it say so. */
export interface ElementDescription {
  /** ARIA role; empty: not known. */
  readonly role: string;
  readonly name: string;
  /** Other ways to find it, and it alone, the sturdiest first. */
  readonly others: readonly Locator[];
}

/** Looks at one element without touching it; null when it is not there. @throws the reason of `halt`; what ends an attempt */
export async function describeStepElement(target: Target, parts: ActionScope): Promise<ElementDescription | null> {
  const { before, ...reading } = parts;
  for (let n = 1; ; n += 1) {
    try {
      // Of what nobody sees, such as a field for files, an attribute can be read.
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
