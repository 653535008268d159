import type { Tier } from '@pilothouse/contract/model/tier-names';
import type { Step } from '@pilothouse/contract/workflow/step.schema';
import type { StepPosition } from '@pilothouse/core/interpreter/interpreter-state';
import type { InputCounter } from '../actions/action-scope.ts';

/** A step between its intent and its recorded outcome. */
export interface RunningStep {
  readonly position: StepPosition;
  /** Rendered, once its templates are replaced. */
  step: Step;
  /** Monotonic milliseconds, without the wait for a site limit. */
  startedAtMs: number;
  /** Highest model tier of its agent; unset: no model was called. */
  tier?: Tier;
  /** Number of the attempt of the step, from 1. */
  attempt: number;
  /** Inputs of the current attempt that may have been sent. */
  inputCounter: InputCounter;
  /** True if `expect` of the step did not hold before it. */
  wasExpectationFalse: boolean;
  /** True after a failed attempt of the step by this worker. */
  isRetried: boolean;
}
