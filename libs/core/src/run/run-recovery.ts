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

/** How an attempt begins, by what former attempts left behind. */
export type RecoveryPlan =
  /** Nothing has happened yet. */
  | { readonly kind: 'start' }
  /** Goes on at `from`, and does again what former attempts did from there on. */
  | {
      readonly kind: 'go-on';
      readonly from: number;
      /** Whether the surface is brought back to the safe point first. */
      readonly restore: boolean;
      /** A step that may not simply be done again: decided on the surface as it is at `from`. */
      readonly doubt: UncertainStep | null;
    }
  /** The workflow, or the step, does not want it. */
  | { readonly kind: 'fail'; readonly step: number; readonly error: PilothouseError };

/** A step of which somebody has to say whether it is done (again). */
export interface UncertainStep {
  readonly step: number;
  /** It did happen: only what came of it is not on the surface. */
  readonly happened: boolean;
  /** Whether the surface may tell: what is to be true afterwards was not so before. */
  readonly verify: boolean;
  /** What is done when the surface does not tell. */
  readonly otherwise: AnswerChoice | 'ask';
  /** A step before it that did happen and must not be repeated: in doubt only when this one is to be done again, which needs what it led to. */
  readonly earlier?: UncertainStep;
}

/** The steps of a run by their number, as far as it came and one more, and what the workflow says of lost workers. */
export interface RunPath extends Pick<WorkflowDefinition, 'onWorkerLost'> {
  readonly places: readonly StepPosition[];
}

/** What former attempts left behind. */
export interface PreviousAttempts {
  /** How far they came, in any order. */
  readonly checkpoints: readonly Checkpoint[];
  readonly safePoint: Pick<SafePoint, 'step'> | null;
  /** What a person answered to the last question. */
  readonly answer: RunAnswer | null;
}

/**
 * Decides how an attempt begins. From the safe point on everything is done again, so each step from there that acted, or may have,
 * has to allow it: the last one that must not be repeated, or the one at work when the worker was lost, is in doubt. Where the one at work says
 * by itself what is to become of it, it is in doubt first: what it decides may leave nothing to decide of the other.
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
  const { doubted, earlier } = doubtedSteps(places, again, answer);
  const plan = { kind: 'go-on', from, restore } as const;
  if (!doubted) return { ...plan, doubt: null };
  const late = doubtOf(doubted, places[doubted.step]?.step, restore);
  const early = earlier && doubtOf(earlier, places[earlier.step]?.step, restore);
  const doubt = early ? { ...late, earlier: early } : late;
  const answered = answer && answersStep(answer, placeOf(places, doubt.step));
  // Where a person leaves nothing to do of the step, there is nothing to repeat: it is for the step to obey.
  if (answered && answer.acceptsTarget && answer.choice !== 'retry')
    return { ...plan, doubt: { ...doubt, verify: false, otherwise: 'retry' } };
  // What a person said of a step that wants to fail counts, too: they were asked for what stands below.
  if (answered && saysWhether(answer)) return { ...plan, doubt: { ...doubt, verify: false, otherwise: answer.choice } };
  if (doubt.otherwise !== 'fail') return { ...plan, doubt };
  // Who answered something else about the step, so that the run goes on, is not told by its end that it could not.
  if (answered) return { ...plan, doubt: { ...doubt, otherwise: 'ask' } };
  return { kind: 'fail', step: doubt.step, error: stepStatusUnknown(doubt, places[doubt.step]) };
}

const placeOf = (places: readonly StepPosition[], step: number) => ({ number: step, path: atOf(step, places[step]) });

/** Whether an answer says if its step happened: what an agent asked, or who had the wheel, says nothing of that. */
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
): { doubted: Checkpoint | undefined; earlier?: Checkpoint } {
  const once = again.filter(({ step }) => mustNotRepeat(places[step]?.step)).at(-1);
  const atWork = again.filter(({ status }) => status !== 'completed').at(-1);
  if (!once) return { doubted: atWork };
  if (once.status !== 'completed' || !atWork || atWork.step < once.step || !decides(places[atWork.step]?.step))
    return { doubted: once };
  // Who was asked about the earlier one had come past the later: it is to be done again.
  if (answer && saysWhether(answer) && answersStep(answer, placeOf(places, once.step))) return { doubted: once };
  return { doubted: atWork, earlier: once };
}

/** Whether a step at work says by itself what is to become of it. Nothing of it can be seen on the page that was there before the other step. */
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
  const doubt = { step: index, happened };
  switch (step?.onInterrupted) {
    case 'ask':
      return { ...doubt, verify: false, otherwise: 'ask' };
    case 'fail':
      return { ...doubt, verify: false, otherwise: 'fail' };
    case 'rerun':
      // What is known to have happened is not unknown: to do it again is somebody's decision.
      return {
        ...doubt,
        verify: happened && mustNotRepeat(step) && verify,
        otherwise: happened ? otherwise : 'retry',
      };
    default:
      return { ...doubt, verify, otherwise };
  }
}

/**
 * Steps that are not done again although others around them are: what somebody settled before, and what must not be repeated and did
 * happen. The step in doubt is not among them unless it was settled.
 */
export function stepsNotToRepeat(
  places: readonly StepPosition[],
  checkpoints: readonly Checkpoint[],
  doubt: Pick<UncertainStep, 'step'> | null,
): Set<number> {
  const settled = checkpoints.filter(
    ({ step, status }) =>
      status === 'skipped' || (status === 'completed' && mustNotRepeat(places[step]?.step) && step !== doubt?.step),
  );
  return new Set(settled.map(({ step }) => step));
}

/** What a person is asked about a step in doubt. */
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

/** What becomes of a run whose attempt met an error. */
export type ErrorConsequence =
  /** It failed with this error. */
  | 'fail'
  | 'cancel'
  /** It goes back to the queue, for another worker. */
  | 'handback'
  /** Somebody else decides: nothing may be written any more. */
  | 'lost';

/** What an error of an attempt means for its run; whether to retry is a property of the code. */
export function consequenceOf(code: ErrorCode): ErrorConsequence {
  if (code === 'LEASE_LOST') return 'lost';
  if (code === 'RUN_CANCELLED') return 'cancel';
  // A lost worker says nothing: the next one does, where the workflow wants none to go on (`onWorkerLost: fail`).
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
