import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { Checkpoint } from '@pilothouse/contract/worker/to-worker.messages';
import { MASK } from '../secret/secret-masker.ts';
import { advance } from './interpreter.ts';
import { linearStepPath } from './step-path.ts';
import type { StepOutcome, StepPosition, InterpreterState } from './interpreter-state.ts';

/** Record of a step in an earlier attempt. */
export interface StepRecord extends Pick<Checkpoint, 'status' | 'value' | 'error'> {
  readonly path: string;
  /** true: the stored value is masked because it contains a secret. */
  readonly isMasked: boolean;
}

/**
 * Durable records of a run by step number.
 * @param unmaskedValues values by step number, from the surface state
 */
export function recordsFromCheckpoints(
  checkpoints: readonly Checkpoint[],
  unmaskedValues: ReadonlyMap<number, Json>,
): ReadonlyMap<number, StepRecord> {
  return new Map(
    checkpoints
      .filter(({ status }) => status !== 'pending' && status !== 'retrying')
      .map(({ step, status, value, error, path }) => {
        const unmaskedValue = unmaskedValues.get(step);
        const isMasked = unmaskedValue === undefined && JSON.stringify(value).includes(MASK);
        return [step, { status, value: unmaskedValue ?? value, error, path: path ?? linearStepPath(step), isMasked }];
      }),
  );
}

/** A run after a takeover. */
export interface ReplayedRun {
  /** The executed steps, and the next step if there is one. */
  readonly positions: readonly StepPosition[];
  /** States before each step, and after the last. */
  readonly states: readonly InterpreterState[];
  /** Failures that the workflow caught. */
  readonly caughtFailures: ReadonlySet<number>;
}

/**
 * Replays the durable records of a run. A step without an outcome counts as completed if a later step has started. Records of another path
 * (from a step in `try` that first succeeded and then failed) are recognized by their step path and end the history.
 */
export function replayRun(start: InterpreterState, recorded: ReadonlyMap<number, StepRecord>): ReplayedRun {
  const lastNumber = Math.max(-1, ...recorded.keys());
  const positions: StepPosition[] = [];
  const states: InterpreterState[] = [start];
  const caughtFailures = new Set<number>();
  for (let state = start; state.next.kind === 'step';) {
    const { position } = state.next;
    positions.push(position);
    const { number } = position;
    const record = recorded.get(number);
    if (number > lastNumber || (record && record.path !== position.path)) break;
    const stateAfterFailure =
      record?.status === 'failed' ? afterCaughtFailure(state, recordedOutcome(record)) : undefined;
    if (stateAfterFailure) caughtFailures.add(number);
    else if (number === lastNumber && record?.status !== 'completed' && record?.status !== 'skipped') break;
    state = stateAfterFailure ?? advance(state, recordedOutcome(record));
    states.push(state);
  }
  return { positions, states, caughtFailures };
}

/** Outcome of a step from its record. Unknown outcomes count as completed. */
export function recordedOutcome(record: Pick<StepRecord, 'status' | 'value' | 'error'> | undefined): StepOutcome {
  if (record?.status === 'failed' && record.error) return { status: 'failed', error: record.error };
  const hasOutcome = record?.status === 'completed' || record?.status === 'skipped';
  return { status: record?.status === 'skipped' ? 'skipped' : 'completed', value: hasOutcome ? record.value : null };
}

/** State after a failure that the workflow catches; undefined if it does not. */
export function afterCaughtFailure(state: InterpreterState, outcome: StepOutcome): InterpreterState | undefined {
  if (outcome.status !== 'failed') return undefined;
  const nextState = advance(state, outcome);
  return nextState.next.kind === 'failed' ? undefined : nextState;
}

/** The step after the current one, if that succeeds without a value. undefined: it does not exist or is unknown. */
export function nextIfSuccessful(
  state: InterpreterState,
): { position: StepPosition; state: InterpreterState } | undefined {
  if (state.next.kind !== 'step') return undefined;
  try {
    const nextState = advance(state, { status: 'completed', value: null });
    return nextState.next.kind === 'step' ? { position: nextState.next.position, state: nextState } : undefined;
  } catch (thrown) {
    if (thrown instanceof PilothouseError) return undefined;
    throw thrown;
  }
}
