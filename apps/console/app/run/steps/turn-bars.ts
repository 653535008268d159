import type { StepState, Turn } from '../run-state.ts';
import type { TimeScale } from './time-scale.ts';

/** Outcome of a turn: an action failed, a check reported a problem, or neither. */
export type TurnOutcome = 'completed' | 'failed' | 'problem';

export const turnOutcomeLabels: Readonly<Record<TurnOutcome, string>> = {
  completed: 'Done',
  failed: 'Failed',
  problem: 'Problem',
};

/** Order of the outcomes, from the best. */
const severityOf: Readonly<Record<TurnOutcome, number>> = { completed: 0, problem: 1, failed: 2 };

/** Times of a turn, in milliseconds since 1970. */
export interface TurnTime {
  turn: Turn;
  startMs: number;
  endMs: number;
  outcome: TurnOutcome;
}

/** A turn on the time axis, in fractions of the axis from 0 to 1. */
export interface TurnBar extends TurnTime {
  step: StepState;
  left: number;
  width: number;
}

/** Bars that are narrower than this fraction are not separate from each other. */
const MIN_BAR_WIDTH = 0.002;

/** Times of the turns of a step. A turn begins when the previous turn of its branch ends, and the last one ends with its step. */
export function turnTimesOf({ turns, startedAt, finishedAt, status }: StepState): TurnTime[] {
  const stepStart = startedAt === null ? null : Date.parse(startedAt);
  const branchEnds = new Map<string | null, number>();
  const times = turns.flatMap((turn): TurnTime[] => {
    const endMs = Date.parse(turn.endedAt);
    const startMs = Math.min(branchEnds.get(turn.branch) ?? stepStart ?? endMs, endMs);
    // Turn 0 comes before the first model call.
    if (turn.turn === 0) return [];
    branchEnds.set(turn.branch, endMs);
    return [{ turn, startMs, endMs, outcome: outcomeOf(turn) }];
  });
  const last = times.at(-1);
  if (last && finishedAt !== null) {
    last.endMs = Math.max(last.endMs, Date.parse(finishedAt));
    if (status === 'failed') last.outcome = 'failed';
  }
  return times;
}

function outcomeOf({ actions, notes }: Turn): TurnOutcome {
  if (actions.some(({ error }) => error !== null)) return 'failed';
  return notes.some(({ isPositive }) => !isPositive) ? 'problem' : 'completed';
}

/** Bars of the turns of all steps. Neighboring bars that are too narrow are one bar, with the worst outcome. */
export function turnBarsOf(steps: readonly StepState[], { fractionOf }: Pick<TimeScale, 'fractionOf'>): TurnBar[] {
  const bars: TurnBar[] = [];
  for (const step of steps) {
    for (const time of turnTimesOf(step)) {
      const left = fractionOf(time.startMs);
      const width = Math.max(0, fractionOf(time.endMs) - left);
      const previous = bars.at(-1);
      const isMerged = previous?.step === step && left >= previous.left && left + width - previous.left < MIN_BAR_WIDTH;
      if (!isMerged) {
        bars.push({ ...time, step, left, width });
        continue;
      }
      const isWorse = severityOf[time.outcome] > severityOf[previous.outcome];
      const mergedWidth = Math.max(previous.width, left + width - previous.left);
      bars[bars.length - 1] = { ...(isWorse ? { ...time, step, left: previous.left } : previous), width: mergedWidth };
    }
  }
  return bars;
}

/** The turn of a step at a time; undefined: no turn was active. @param ms milliseconds since 1970 */
export const turnAt = (step: StepState, ms: number): TurnTime | undefined =>
  turnTimesOf(step).find(({ startMs, endMs }) => startMs <= ms && ms <= endMs);
