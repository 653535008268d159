import { MAX_CORRECTED_THOUGHT, type CorrectedAction } from '@pilothouse/contract/learning/trace.schema';
import type { TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import type { PlannedAction } from '../agent/planned-action.ts';
import { ACT } from '../agent/tools/offered-actions.ts';
import { parseToolCall } from '../agent/tools/tool-calls.ts';
import { checkCorrection } from './correction-check.ts';
import type { ScoreAnswer } from './prompts/score-turn.prompt.ts';

/** Correction of a turn by a model. */
export interface ModelCorrection {
  readonly correctedThought: string | null;
  readonly correctedActions: readonly CorrectedAction[] | null;
  /** Dropped part of the correction, with the reason; null: nothing was dropped. */
  readonly note: string | null;
}

const droppedCorrection = (reason: string): ModelCorrection => ({
  correctedThought: null,
  correctedActions: null,
  note: `The correction of the model was dropped: ${reason}`,
});

/** The valid correction of an answer. A correction with an invalid part is dropped as a whole. */
export function correctionOf(
  { quality, correctedThought, correctedActions: calls }: ScoreAnswer,
  record: TurnRecord,
): ModelCorrection {
  if (calls.length === 0 && correctedThought === null)
    return { correctedThought: null, correctedActions: null, note: null };
  if (quality !== 'bad') return droppedCorrection('the turn is not bad.');
  const thought = correctedThought?.slice(0, MAX_CORRECTED_THOUGHT).toWellFormed() ?? null;
  if (calls.length === 0) return { correctedThought: thought, correctedActions: null, note: null };
  const actions: unknown[] = [];
  for (const call of calls) {
    const planned = parseToolCall(ACT, call);
    const action = planned === null || planned.kind === 'problem' ? null : correctedActionOf(planned);
    if (action === null)
      return droppedCorrection(
        planned?.kind === 'problem' ? planned.problem : `${planned?.kind ?? 'the action'} is not possible.`,
      );
    actions.push(action);
  }
  const checked = checkCorrection(actions, record);
  if (checked.actions) return { correctedThought: thought, correctedActions: checked.actions, note: null };
  return droppedCorrection(checked.problems.map(({ message }) => message).join('; '));
}

/** The action as a correction; null: a function that only gathers information. */
function correctedActionOf(planned: PlannedAction): CorrectedAction | null {
  switch (planned.kind) {
    case 'act':
      return { kind: 'act', action: planned.action };
    case 'done': {
      const { answer, anchor, indicators } = planned.claim;
      return {
        kind: 'done',
        answer,
        ...(anchor !== null && { anchor }),
        ...(indicators.length > 0 && { indicators: [...indicators] }),
      };
    }
    case 'ask':
      return { kind: 'ask', question: planned.question };
    case 'fail':
      return { kind: 'fail', reason: planned.reason };
    default:
      return null;
  }
}
