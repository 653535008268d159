import type { TurnAction, TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import { fingerprintOf } from '../agent/page-queries.ts';
import { observationOf } from './recorded-observation.ts';

/* Signatures by which turns are compared. */

const signatures = new WeakMap<TurnRecord, string>();

/** Signature of a page state: its URL, and the names, values and states of its elements; null: no elements to compare. */
export function pageSignature(record: TurnRecord): string | null {
  if (record.observation.elements.length === 0) return null;
  const signature = signatures.get(record) ?? fingerprintOf(observationOf(record));
  signatures.set(record, signature);
  return signature;
}

/** True if both turns observed the same page state. */
export function isSamePage(record: TurnRecord, compared: TurnRecord): boolean {
  const signature = pageSignature(record);
  return signature !== null && signature === pageSignature(compared);
}

/** Signature of actions on the surface; null: no such action. */
export function actionsSignature(actions: readonly TurnAction[]): string | null {
  const surfaceActions = actions.flatMap(({ action }) => (action === null ? [] : [action]));
  return surfaceActions.length === 0 ? null : JSON.stringify(surfaceActions);
}

/** True if both turns belong to the same agent. A new attempt or iteration of a step has a new agent. */
export function isContinued(previous: TurnRecord, record: TurnRecord): boolean {
  const isSameAgent = previous.step === record.step && previous.branchPath === record.branchPath;
  const isByPerson = previous.source === 'person' || record.source === 'person';
  return (
    isSameAgent &&
    previous.attempt === record.attempt &&
    (isByPerson ? previous.turn <= record.turn : previous.turn < record.turn)
  );
}
