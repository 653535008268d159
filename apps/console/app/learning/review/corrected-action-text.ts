import type { CorrectedAction } from '@pilothouse/contract/learning/trace.schema';
import type { TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import { draftKindOf, draftOf, type DraftTarget } from './correction-draft.ts';

/** Words for a target: the recorded element, or the point in thousandths of the viewport. */
export function targetText(target: DraftTarget, record: Pick<TurnRecord, 'observation'> | null): string {
  if ('point' in target) return `point ${Math.round(target.point.x)}, ${Math.round(target.point.y)}`;
  const element = record?.observation.elements.find(({ index }) => index === target.elementIndex);
  return element ? `[${element.index}] ${element.role} “${element.name}”` : `element ${target.elementIndex}`;
}

/** Words for a corrected action: `Fill [3] textbox “Name”: Ada`. */
export function correctedActionText(action: CorrectedAction, record: Pick<TurnRecord, 'observation'> | null): string {
  const { kind, target, text } = draftOf(action);
  if (kind === 'json') return JSON.stringify(action);
  const head = [draftKindOf(kind).label, target && targetText(target, record)].filter(Boolean).join(' ');
  return text === '' ? head : `${head}: ${text}`;
}
