import { toLocatorChain, type Locator, type Target, locatorNames } from '@pilothouse/contract/actions/locator.schema';
import type { ErrorCode } from '@pilothouse/contract/errors/error-codes';
import { toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { HealingMethod } from '@pilothouse/contract/events/run.events';
import type { Tier } from '@pilothouse/contract/model/tier-names';
import type { ElementView } from '@pilothouse/contract/observation/observation.schema';
import type { ApprovalNeeded } from '@pilothouse/core/agent/approval/approval-policy';
import { stableLocators } from '@pilothouse/core/agent/healing/lost-element';
import { stepTarget } from '@pilothouse/core/agent/healing/workflow-repair';
import { ellipsize } from '@pilothouse/core/observation/observation-text';
import { findTemplates } from '@pilothouse/core/workflow/templates';
import { runAction, type HealingDetails } from '../../actions/run-action.ts';
import type { ActionScope } from '../../actions/action-scope.ts';
import type { HealingContext } from './healing-scope.ts';
import { TIER_HUMAN } from './human-candidates.ts';

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

/** Escalation tier of each healing method. */
export const tierOfMethod: Readonly<Record<HealingMethod, Tier>> = {
  'earlier-run': 'replay',
  similarity: 'replay',
  'text-model': 'text',
  'vision-model': 'vision',
  human: TIER_HUMAN,
};

/** Candidate for the lost element. */
export interface Candidate {
  readonly method: HealingMethod;
  readonly target: Target;
  readonly element: Pick<ElementView, 'role' | 'name'>;
  /** Additional stable locators. */
  readonly extraLocators: readonly Locator[];
  /** Approval that the action needs; null: none. */
  readonly approval: ApprovalNeeded | null;
}

/** Data of the event `step.healed` for a candidate that replaced the element of a step. @param label description of the element */
export function healingDetails(
  { method, extraLocators }: Candidate,
  label: string,
  { position, render }: Pick<HealingContext, 'position' | 'render'>,
): HealingDetails {
  const previousTarget = stepTarget(position.step)?.target ?? [];
  const templateValues = findTemplates(previousTarget).map(({ source }) => ({
    template: source,
    value: render({ text: source })?.text ?? null,
  }));
  return {
    tier: tierOfMethod[method],
    method,
    element: ellipsize(label, 500),
    previousLocators: toLocatorChain(previousTarget),
    locators: stableLocators(extraLocators, previousTarget, templateValues),
  };
}

/** Describes an element without changing it; null: not found. @throws the abort reason; errors that end an attempt */
export async function describeStepElement(target: Target, scope: ActionScope): Promise<ElementDescription | null> {
  const { onPreActionScreenshot, ...readScope } = scope;
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
