import {
  type AnswerChoice,
  type Checkpoint,
  type ErrorCode,
  PilothouseError,
  type RunAnswer,
  type RunQuestion,
  type SafePoint,
  type Step,
  type WorkflowDefinition,
  assertNever,
  errorDefinition,
  isNonIdempotent,
} from '@pilothouse/contract';
import { answersStep, linearStepPath } from '../interpreter/step-path.ts';
import type { StepPosition } from '../interpreter/interpreter-state.ts';
import { isRequestStep } from '../workflow/step-effects.ts';
import { stepTitle } from '../workflow/step-titles.ts';

/** How an attempt starts, given the records of earlier attempts. */
export type RecoveryPlan =
  /** Nothing has happened yet. */
  | { readonly kind: 'start' }
  /** Continues at `from`, and repeats everything that earlier attempts did after it. */
  | {
      readonly kind: 'go-on';
      readonly from: number;
      /** Whether the surface state of the safe point is restored first. */
      readonly restore: boolean;
      /** A step that may not simply be done again: decided on the surface as it is at `from`. */
      readonly uncertainStep: UncertainStep | null;
    }
  /** The workflow, or the step, does not want it. */
  | { readonly kind: 'fail'; readonly step: number; readonly error: PilothouseError };

/** A step whose status must be clarified before it runs again. */
export interface UncertainStep {
  readonly step: number;
  /** The step ran; only its effect on the surface is lost. */
  readonly happened: boolean;
  /** Whether the surface can show it: `expect` did not hold before the step. */
  readonly verify: boolean;
  /** Policy if the surface cannot show it. */
  readonly otherwise: AnswerChoice | 'ask';
  /** An earlier non-idempotent step that ran. It is in doubt only if this step runs again and needs its effect. */
  readonly earlier?: UncertainStep;
}

/** Executed steps and the next one, by number, and `onWorkerLost` of the workflow. */
export interface RunPath extends Pick<WorkflowDefinition, 'onWorkerLost'> {
  readonly places: readonly StepPosition[];
}

/** Records of earlier attempts. */
export interface PreviousAttempts {
  /** Checkpoints in any order. */
  readonly checkpoints: readonly Checkpoint[];
  readonly safePoint: Pick<SafePoint, 'step'> | null;
  /** Answer to the last question. */
  readonly answer: RunAnswer | null;
}

/**
 * Decides how an attempt starts. Everything from the safe point on runs again, so each step since then that ran, or may have, must be
 * idempotent. The last non-idempotent step, or the step that was interrupted, is in doubt. The policy of the interrupted step
 * (`onInterrupted`) is applied first, because it may settle the other one.
 */
export function planRecovery(
  { places, onWorkerLost }: RunPath,
  { checkpoints, safePoint: saved, answer }: PreviousAttempts,
): RecoveryPlan {
  const begun = checkpoints.filter(({ status }) => status !== 'pending').sort((a, b) => a.step - b.step);
  const last = begun.at(-1);
  if (!last) return { kind: 'start' };
  if (onWorkerLost === 'fail') {
    const error = new PilothouseError(
      'WORKER_LOST',
      'The run lost its worker, and the workflow says `onWorkerLost: fail`',
    );
    return { kind: 'fail', step: last.step, error };
  }
  const restore = saved !== null && onWorkerLost !== 'restart';
  const from = restore ? saved.step : 0;
  const isDone = ({ step, status }: Checkpoint) =>
    status === 'skipped' || (status === 'completed' && isRequestStep(places[step]?.step));
  // A step that waits for its next attempt is known to have failed: there is no doubt about it.
  const again = begun.filter(
    (checkpoint) => checkpoint.step >= from && checkpoint.status !== 'retrying' && !isDone(checkpoint),
  );
  const { uncertain: uncertain, earlier } = doubtedSteps(places, again, answer);
  const plan = { kind: 'go-on', from, restore } as const;
  if (!uncertain) return { ...plan, uncertainStep: null };
  const late = doubtOf(uncertain, places[uncertain.step]?.step, restore);
  const early = earlier && doubtOf(earlier, places[earlier.step]?.step, restore);
  const uncertainStep = early ? { ...late, earlier: early } : late;
  const answered = answer && answersStep(answer, placeOf(places, uncertainStep.step));
  // The person skipped the step, so it is not repeated.
  if (answered && answer.acceptsTarget && answer.choice !== 'retry')
    return { ...plan, uncertainStep: { ...uncertainStep, verify: false, otherwise: 'retry' } };
  // The answer also settles a step with the policy `fail`, because the question covered it.
  if (answered && saysWhether(answer))
    return { ...plan, uncertainStep: { ...uncertainStep, verify: false, otherwise: answer.choice } };
  if (uncertainStep.otherwise !== 'fail') return { ...plan, uncertainStep: uncertainStep };
  // An answer about another aspect of the step does not fail the run.
  if (answered) return { ...plan, uncertainStep: { ...uncertainStep, otherwise: 'ask' } };
  return {
    kind: 'fail',
    step: uncertainStep.step,
    error: stepStatusUnknown(uncertainStep, places[uncertainStep.step]),
  };
}

const placeOf = (places: readonly StepPosition[], step: number) => ({ number: step, path: atOf(step, places[step]) });

/** Whether an answer settles if its step ran. Answers to agents and the end of manual control do not. */
const saysWhether = ({ questionNumber: ask, controlToken: wheel }: RunAnswer) =>
  ask === undefined && wheel === undefined;

/**
 * The last step that must not be repeated; without one, the last that may have half-happened. When that comes after it and has a policy of
 * its own: first that one, then the other.
 */
function doubtedSteps(
  places: readonly StepPosition[],
  again: readonly Checkpoint[],
  answer: RunAnswer | null,
): { uncertain: Checkpoint | undefined; earlier?: Checkpoint } {
  const once = again.filter(({ step }) => mustNotRepeat(places[step]?.step)).at(-1);
  const atWork = again.filter(({ status }) => status !== 'completed').at(-1);
  if (!once) return { uncertain: atWork };
  if (once.status !== 'completed' || !atWork || atWork.step < once.step || !decides(places[atWork.step]?.step))
    return { uncertain: once };
  // The question about the earlier step was asked after the later one ran, so the later one runs again.
  if (answer && saysWhether(answer) && answersStep(answer, placeOf(places, once.step))) return { uncertain: once };
  return { uncertain: atWork, earlier: once };
}

/** Whether the interrupted step has its own policy. The page before the other step cannot show its result. */
const decides = (step: Step | undefined) => step?.onInterrupted === 'ask' || step?.onInterrupted === 'fail';

/** A step that is not there is none to repeat. */
const mustNotRepeat = (step: Step | undefined) => step === undefined || isNonIdempotent(step);

function doubtOf(
  { step: index, status, verifiable: verifiable }: Checkpoint,
  step: Step | undefined,
  restore: boolean,
): UncertainStep {
  const happened = status === 'completed';
  const otherwise = mustNotRepeat(step) ? 'ask' : 'retry';
  const verify = verifiable && restore;
  const uncertainStep = { step: index, happened };
  switch (step?.onInterrupted) {
    case 'ask':
      return { ...uncertainStep, verify: false, otherwise: 'ask' };
    case 'fail':
      return { ...uncertainStep, verify: false, otherwise: 'fail' };
    case 'rerun':
      // The step is known to have run; repeating it is a decision of a person.
      return {
        ...uncertainStep,
        verify: happened && mustNotRepeat(step) && verify,
        otherwise: happened ? otherwise : 'retry',
      };
    default:
      return { ...uncertainStep, verify, otherwise };
  }
}

/**
 * Steps that are skipped when their neighbors run again: those that a person settled, and non-idempotent ones that ran. The step in doubt
 * is included only if it is settled.
 */
export function stepsNotToRepeat(
  places: readonly StepPosition[],
  checkpoints: readonly Checkpoint[],
  uncertainStep: Pick<UncertainStep, 'step'> | null,
): Set<number> {
  const settled = checkpoints.filter(
    ({ step, status }) =>
      status === 'skipped' ||
      (status === 'completed' && mustNotRepeat(places[step]?.step) && step !== uncertainStep?.step),
  );
  return new Set(settled.map(({ step }) => step));
}

/** The question about a step in doubt. */
export function recoveryQuestion(
  { step: index, happened }: UncertainStep,
  places: readonly StepPosition[],
): RunQuestion {
  const place = places[index];
  const next = places[index + 1];
  const at = atOf(index, place);
  const title = place ? stepTitle(place.step) : `step ${at}`;
  const goOn = next ? `go on with step ${next.path}: ${stepTitle(next.step)}` : 'end the run as completed';
  const choices: RunQuestion['choices'] = [
    { choice: 'continue', title: `It happened: ${goOn}` },
    { choice: 'retry', title: happened ? 'Do it once more' : 'It did not happen: do it' },
    { choice: 'fail', title: 'End the run as failed' },
  ];
  return {
    step: index,
    ...(at !== linearStepPath(index) && { path: at }),
    id: place?.step.id ?? null,
    reason:
      `Step ${at} (${title}) ${whatHappened(happened)} the worker was lost, and must not simply be repeated`.slice(
        0,
        2000,
      ),
    choices: choices.map(({ choice, title: text }) => ({ choice, title: text.slice(0, 300) })),
  };
}

/** Why a run ends rather than doing a step in doubt again. */
export function stepStatusUnknown(
  { step: index, happened }: UncertainStep,
  place: StepPosition | undefined,
): PilothouseError {
  const step = place?.step;
  const name = step?.id ? `"${step.id}"` : 'without an id';
  return new PilothouseError(
    'STEP_STATUS_UNKNOWN',
    `Step ${atOf(index, place)} (${name}, ${step?.action ?? 'unknown'}) ${whatHappened(happened)} the worker was lost, and is not to be repeated`,
    { details: { step: index, id: step?.id ?? null } },
  );
}

const atOf = (number: number, place: StepPosition | undefined) => place?.path ?? linearStepPath(number);

const whatHappened = (happened: boolean) => (happened ? 'happened before' : 'may have happened before');

/** Effect of an error of an attempt on its run. */
export type ErrorConsequence =
  /** It failed with this error. */
  | 'fail'
  | 'cancel'
  /** It goes back to the queue, for another worker. */
  | 'handback'
  /** Another process decides: write nothing more. */
  | 'lost';

/** Effect of an error on the run. The error code determines the retry. */
export function consequenceOf(code: ErrorCode): ErrorConsequence {
  if (code === 'LEASE_LOST') return 'lost';
  if (code === 'RUN_CANCELLED') return 'cancel';
  // The lost worker cannot report, so the next one applies `onWorkerLost: fail`.
  if (code === 'WORKER_LOST') return 'fail';
  const { retry } = errorDefinition(code);
  switch (retry) {
    case 'new-worker':
      return 'handback';
    case 'no':
    case 'same-request':
      return 'fail';
    default:
      return assertNever(retry);
  }
}
