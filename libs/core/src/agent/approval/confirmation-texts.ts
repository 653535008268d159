import type { Action, ElementView, ApprovalEffect, Observation } from '@pilothouse/contract';
import { targetElement } from '../page-queries.ts';
import type { Granted } from '../agent-goal.ts';
import type { ApprovalNeeded } from './approval-policy.ts';
import { plainLetters } from './confusable-letters.ts';
import { isBeside, effectOfConfirmation } from './risky-words.ts';

/* One thing that cannot be undone is asked for once: a page that asks to confirm it asks the agent, and not a person again. */

/** Kinds that pages ask to confirm. */
const confirmed: ReadonlySet<ApprovalEffect> = new Set(['pay', 'delete', 'send']);

/** What a control beside a confirmation says. */
const refuses =
  /^(?:cancel|no\b.*|keep\b.*|back|close|abort|abbrechen|nein|zuruck|annuler|non|cancelar|volver|annulla)[.!]?$/iu;

/**
 * Whether an action only confirms what a person allowed: the page asks about it since then.
 * @param granted what the person allowed
 */
export function confirms(action: Action, found: ApprovalNeeded, seen: Observation, granted: Granted): boolean {
  if (found.kind !== granted.kind || !confirmed.has(found.kind)) return false;
  const { before } = granted;
  const one = action.action === 'click' || action.action === 'press' ? targetElement(action, seen) : undefined;
  if (!one || !isNew(one, seen, before) || URL.parse(seen.url)?.origin !== URL.parse(before.url)?.origin) return false;
  if (effectOfConfirmation(one, seen) === found.kind) return true;
  return seen.elements.some(
    (other) =>
      other.interactive &&
      isNew(other, seen, before) &&
      refuses.test(plainLetters(other.name).trim()) &&
      isBeside(one, other),
  );
}

/** Whether an element came to the page since then. */
const isNew = ({ index }: ElementView, seen: Observation, before: Observation): boolean =>
  seen.document !== before.document || before.elements.every((one) => one.index !== index);
