import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { ElementView, Observation } from '@pilothouse/contract/observation/observation.schema';
import type { ApprovalEffect } from '@pilothouse/contract/workflow/goal.schema';
import { hasSameOrigin } from '../../origin/uri-origin.ts';
import { targetElement } from '../page-queries.ts';
import type { ApprovedAction } from '../agent-state.ts';
import type { ApprovalNeeded } from './approval-policy.ts';
import { plainLetters } from './confusable-letters.ts';
import { isBeside, effectOfConfirmation } from './risky-words.ts';

/* A person approves an irreversible effect once. If the page then asks to confirm it, the agent confirms. */

/** Effects that pages ask to confirm. */
const confirmedEffects: ReadonlySet<ApprovalEffect> = new Set(['pay', 'delete', 'send']);

/** Names of the control beside a confirmation that cancels it. */
const cancelNames =
  /^(?:cancel|no\b.*|keep\b.*|back|close|abort|abbrechen|nein|zuruck|annuler|non|cancelar|volver|annulla)[.!]?$/iu;

/** True if an action only confirms what a person approved: the page asks about it since then. */
export function confirms(
  action: Action,
  request: ApprovalNeeded,
  page: Observation,
  { effect, page: approvedPage }: ApprovedAction,
): boolean {
  if (request.kind !== effect || !confirmedEffects.has(request.kind)) return false;
  const element = action.action === 'click' || action.action === 'press' ? targetElement(action, page) : undefined;
  if (!element || !isNewElement(element, page, approvedPage)) return false;
  if (!hasSameOrigin(page.url, approvedPage.url)) return false;
  if (effectOfConfirmation(element, page) === request.kind) return true;
  return page.elements.some(
    (control) =>
      control.interactive &&
      isNewElement(control, page, approvedPage) &&
      cancelNames.test(plainLetters(control.name).trim()) &&
      isBeside(element, control),
  );
}

const isNewElement = ({ index }: ElementView, page: Observation, previousPage: Observation): boolean =>
  page.document !== previousPage.document || previousPage.elements.every((element) => element.index !== index);
