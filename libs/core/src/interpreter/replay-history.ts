import { PilothouseError, type Checkpoint, type Json } from '@pilothouse/contract';
import { MASK } from '../secret/secret-masker.ts';
import { advance } from './interpreter.ts';
import { linearStepPath } from './step-path.ts';
import type { StepOutcome, StepPosition, InterpreterState } from './interpreter-state.ts';

/** Record of a step in an earlier attempt. */
export interface StepRecord extends Pick<Checkpoint, 'status' | 'value' | 'error'> {
  readonly at: string;
  /** true: the stored value is masked because it contains a secret. */
  readonly masked: boolean;
}

/**
 * Durable records of a run by step number.
 * @param hidden unmasked values, from the surface state
 */
export function recordsFromCheckpoints(
  checkpoints: readonly Checkpoint[],
  hidden: ReadonlyMap<number, Json>,
): ReadonlyMap<number, StepRecord> {
  return new Map(
    checkpoints
      .filter(({ status }) => status !== 'pending' && status !== 'retrying')
      .map(({ step, status, value, error, path: at }) => {
        const known = hidden.get(step);
        const masked = known === undefined && JSON.stringify(value).includes(MASK);
        return [step, { status, value: known ?? value, error, at: at ?? linearStepPath(step), masked }];
      }),
  );
}

/** A run as it was taken over. */
export interface ReplayedRun {
  /** The executed steps, and the next step if there is one. */
  readonly places: readonly StepPosition[];
  /** States before each step, and after the last. */
  readonly states: readonly InterpreterState[];
  /** Failures that the workflow caught. */
  readonly caught: ReadonlySet<number>;
}

/**
 * Replays the durable records of a run. A step without an outcome counts as completed if a later step has started. Records of another path
 * (from a step in `try` that first succeeded and then failed) are recognized by their step path and end the history.
 */
export function replayRun(start: InterpreterState, recorded: ReadonlyMap<number, StepRecord>): ReplayedRun {
  const last = Math.max(-1, ...recorded.keys());
  const places: StepPosition[] = [];
  const states: InterpreterState[] = [start];
  const caught = new Set<number>();
  for (let state = start; state.next.kind === 'step';) {
    const { place } = state.next;
    places.push(place);
    const { number } = place;
    const record = recorded.get(number);
    if (number > last || (record && record.at !== place.path)) break;
    const failed = record?.status === 'failed' ? afterCaughtFailure(state, recordedOutcome(record)) : undefined;
    if (failed) caught.add(number);
    else if (number === last && record?.status !== 'completed' && record?.status !== 'skipped') break;
    state = failed ?? advance(state, recordedOutcome(record));
    states.push(state);
  }
  return { places, states, caught };
}

/** Outcome of a step from its record. Unknown outcomes count as completed. */
export function recordedOutcome(record: Pick<StepRecord, 'status' | 'value' | 'error'> | undefined): StepOutcome {
  if (record?.status === 'failed' && record.error) return { status: 'failed', error: record.error };
  const isKnown = record?.status === 'completed' || record?.status === 'skipped';
  return { status: record?.status === 'skipped' ? 'skipped' : 'completed', value: isKnown ? record.value : null };
}

/** State after a failure that the workflow catches; undefined if it does not. */
export function afterCaughtFailure(state: InterpreterState, outcome: StepOutcome): InterpreterState | undefined {
  if (outcome.status !== 'failed') return undefined;
  const caught = advance(state, outcome);
  return caught.next.kind === 'failed' ? undefined : caught;
}

/** The step after the one at work, should that succeed without a value; undefined when there is none, or that is not known. */
export function nextIfSuccessful(
  state: InterpreterState,
): { place: StepPosition; state: InterpreterState } | undefined {
  if (state.next.kind !== 'step') return undefined;
  try {
    const then = advance(state, { status: 'completed', value: null });
    return then.next.kind === 'step' ? { place: then.next.place, state: then } : undefined;
  } catch (thrown) {
    if (thrown instanceof PilothouseError) return undefined;
    throw thrown;
  }
}
