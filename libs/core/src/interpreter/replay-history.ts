import { PilothouseError, type Checkpoint, type Json } from '@pilothouse/contract';
import { MASK } from '../secret/secret-masker.ts';
import { advance } from './interpreter.ts';
import { linearStepPath } from './step-path.ts';
import type { StepOutcome, StepPosition, InterpreterState } from './interpreter-state.ts';

/** What a former attempt knows of a step. */
export interface StepRecord extends Pick<Checkpoint, 'status' | 'value' | 'error'> {
  readonly at: string;
  /** The value is not what the step read: a secret in it is masked. */
  readonly masked: boolean;
}

/**
 * What is durable of a run, by number of the step.
 * @param hidden values that events show masked, as the state of the surface kept them
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
  /** The steps it came to, and the one after them when there is one. */
  readonly places: readonly StepPosition[];
  /** Where the run was before each of the places, and at last after all of them. */
  readonly states: readonly InterpreterState[];
  /** Failures that the workflow itself caught: what follows is its way of going on. */
  readonly caught: ReadonlySet<number>;
}

/**
 * The way that a run took, by what is durable of it. A step that is not known to have happened counts as done when steps after it have
 * begun. Records of a way that a former attempt left for another (a step that succeeded once and failed when it was done again, inside
 * a `try`) are told by their place, and end the history.
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

/** What is durable of a step as its outcome; what is not known counts as done. */
export function recordedOutcome(record: Pick<StepRecord, 'status' | 'value' | 'error'> | undefined): StepOutcome {
  if (record?.status === 'failed' && record.error) return { status: 'failed', error: record.error };
  const isKnown = record?.status === 'completed' || record?.status === 'skipped';
  return { status: record?.status === 'skipped' ? 'skipped' : 'completed', value: isKnown ? record.value : null };
}

/** Where the run is after a failure that the workflow catches; undefined when it does not. */
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
