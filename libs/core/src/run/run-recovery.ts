import { type ErrorCode, errorDefinition } from '@pilothouse/contract/errors/error-codes';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { assertNever } from '@pilothouse/contract/primitives.schema';
import type { AnswerChoice, RunAnswer, RunQuestion } from '@pilothouse/contract/run/run-question.schema';
import type { SafePoint } from '@pilothouse/contract/worker/assignment.schema';
import type { Checkpoint } from '@pilothouse/contract/worker/to-worker.messages';
import { type Step, isNonIdempotent } from '@pilothouse/contract/workflow/step.schema';
import type { WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import { numberOf } from '../interpreter/step-number.ts';
import { answersStep, linearStepPath } from '../interpreter/step-path.ts';
import type { StepPosition } from '../interpreter/interpreter-state.ts';
import { DEFAULT_SURFACE, surfaceTraits } from '../surface/surface-traits.ts';
import { isReadOnlyStep, isRequestStep } from '../workflow/step-effects.ts';
import { stepTitle } from '../workflow/step-titles.ts';

/** Start of an attempt, given the records of earlier attempts. */
export type RecoveryPlan =
  /** Nothing has happened yet. */
  | { readonly kind: 'start' }
  /** Continues at `startStep`, and repeats everything that earlier attempts did after it. */
  | {
      readonly kind: 'resume';
      readonly startStep: number;
      /** True if the surface state of the safe point is restored first. */
      readonly restore: boolean;
      /** A step that must not simply run again. It is decided with the surface at `startStep`. */
      readonly uncertainStep: UncertainStep | null;
    }
  /** The policy of the workflow or the step is `fail`. */
  | { readonly kind: 'fail'; readonly step: number; readonly error: PilothouseError };

/** A step whose status must be clarified before it runs again. */
export interface UncertainStep {
  readonly step: number;
  /** The step ran; only its effect on the surface is lost. */
  readonly hasRun: boolean;
  /** True if the surface can show it: `expect` did not hold before the step. */
  readonly verify: boolean;
  /** Policy if the surface cannot show it. */
  readonly fallback: AnswerChoice | 'ask';
  /** An earlier non-idempotent step that ran. It is in doubt only if this step runs again and needs its effect. */
  readonly earlier?: UncertainStep;
}

/** Recovery policy after a lost worker. `ask`: starts again, but asks a person about the last step that changed something. */
export type RecoveryPolicy = 'resume' | 'restart' | 'ask' | 'fail';

/**
 * Recovery policy of a workflow. A desktop has no safe point, so `resume` is not possible there. Precedence on a desktop: the profile, then
 * `restart` or `fail` of the workflow, then `ask`.
 */
export function recoveryPolicyOf({
  surface = DEFAULT_SURFACE,
  desktop,
  onWorkerLost = 'resume',
}: Pick<WorkflowDefinition, 'desktop' | 'onWorkerLost'> &
  Partial<Pick<WorkflowDefinition, 'surface'>>): RecoveryPolicy {
  if (surfaceTraits[surface].isRestorable) return onWorkerLost;
  return desktop?.profile?.onWorkerLost ?? (onWorkerLost === 'resume' ? 'ask' : onWorkerLost);
}

/** Executed steps and the next one, by number, and the policy of the workflow. */
interface RunPath {
  readonly positions: readonly StepPosition[];
  /** Default: `resume`. */
  readonly policy?: RecoveryPolicy | undefined;
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
  { positions, policy = 'resume' }: RunPath,
  { checkpoints, safePoint, answer }: PreviousAttempts,
): RecoveryPlan {
  const startedCheckpoints = checkpoints.filter(({ status }) => status !== 'pending').sort((a, b) => a.step - b.step);
  const last = startedCheckpoints.at(-1);
  if (!last) return { kind: 'start' };
  if (policy === 'fail') {
    const error = new PilothouseError(
      'WORKER_LOST',
      'The run lost its worker, and the workflow has `onWorkerLost: fail`',
    );
    return { kind: 'fail', step: last.step, error };
  }
  const restore = safePoint !== null && policy === 'resume';
  const needsConfirmation = policy === 'ask' ? mayHaveChangedDesktop : mustNotRepeat;
  const firstStep = restore ? safePoint.step : 0;
  const isDone = ({ step, status }: Checkpoint) =>
    status === 'skipped' || (status === 'completed' && isRequestStep(positions[step]?.step));
  // A step that waits for its next attempt is known to have failed.
  const repeatedCheckpoints = startedCheckpoints.filter(
    (checkpoint) => checkpoint.step >= firstStep && checkpoint.status !== 'retrying' && !isDone(checkpoint),
  );
  const { uncertain, earlier } = findUncertainSteps(positions, repeatedCheckpoints, answer, needsConfirmation);
  const plan = { kind: 'resume', startStep: firstStep, restore } as const;
  if (!uncertain) return { ...plan, uncertainStep: null };
  const laterStep = toUncertainStep(uncertain, positions[uncertain.step]?.step, restore, needsConfirmation);
  const earlierStep = earlier && toUncertainStep(earlier, positions[earlier.step]?.step, restore, needsConfirmation);
  const uncertainStep = earlierStep ? { ...laterStep, earlier: earlierStep } : laterStep;
  const isAnswered = answer && answersStep(answer, positionAt(positions, uncertainStep.step));
  // The person skipped the step, so it is not repeated.
  if (isAnswered && answer.acceptsTarget && answer.choice !== 'retry')
    return { ...plan, uncertainStep: { ...uncertainStep, verify: false, fallback: 'retry' } };
  // The answer also settles a step with the policy `fail`, because the question covered it.
  if (isAnswered && isDecisive(answer))
    return { ...plan, uncertainStep: { ...uncertainStep, verify: false, fallback: answer.choice } };
  if (uncertainStep.fallback !== 'fail') return { ...plan, uncertainStep };
  // An answer about another aspect of the step does not fail the run.
  if (isAnswered) return { ...plan, uncertainStep: { ...uncertainStep, fallback: 'ask' } };
  return {
    kind: 'fail',
    step: uncertainStep.step,
    error: stepStatusUnknown(uncertainStep, positions[uncertainStep.step]),
  };
}

const positionAt = (positions: readonly StepPosition[], step: number) => ({
  number: step,
  path: pathAt(step, positions[step]),
});

/** True if an answer decides whether its step ran. Answers to agents and the end of manual control do not. */
const isDecisive = ({ questionNumber, controlToken }: RunAnswer) =>
  questionNumber === undefined && controlToken === undefined;

/**
 * The last non-idempotent step, or else the last interrupted step. If the interrupted step comes later and has its own policy, it is decided
 * first.
 */
function findUncertainSteps(
  positions: readonly StepPosition[],
  repeatedCheckpoints: readonly Checkpoint[],
  answer: RunAnswer | null,
  needsConfirmation: (step: Step | undefined) => boolean,
): { uncertain: Checkpoint | undefined; earlier?: Checkpoint } {
  const nonIdempotent = repeatedCheckpoints.filter(({ step }) => needsConfirmation(positions[step]?.step)).at(-1);
  const interruptedCheckpoint = repeatedCheckpoints.filter(({ status }) => status !== 'completed').at(-1);
  if (!nonIdempotent) return { uncertain: interruptedCheckpoint };
  if (
    nonIdempotent.status !== 'completed' ||
    !interruptedCheckpoint ||
    interruptedCheckpoint.step < nonIdempotent.step ||
    !hasOwnPolicy(positions[interruptedCheckpoint.step]?.step)
  )
    return { uncertain: nonIdempotent };
  // The question about the earlier step was asked after the later one ran, so the later one runs again.
  if (answer && isDecisive(answer) && answersStep(answer, positionAt(positions, nonIdempotent.step)))
    return { uncertain: nonIdempotent };
  return { uncertain: interruptedCheckpoint, earlier: nonIdempotent };
}

/** True if the interrupted step has its own policy. The page before the other step cannot show its result. */
const hasOwnPolicy = (step: Step | undefined) => step?.onInterrupted === 'ask' || step?.onInterrupted === 'fail';

/** An unknown step is not repeated. */
const mustNotRepeat = (step: Step | undefined) => step === undefined || isNonIdempotent(step);

/** Actions of a desktop that only show something. */
const repeatableActions: ReadonlySet<string> = new Set(['openApp', 'switchWindow']);

/** True for a step that may have changed something that a new desktop does not undo. */
const mayHaveChangedDesktop = (step: Step | undefined): boolean =>
  mustNotRepeat(step) ||
  (step?.idempotent !== true && step !== undefined && !isReadOnlyStep(step) && !repeatableActions.has(step.action));

function toUncertainStep(
  { step: index, status, verifiable }: Checkpoint,
  step: Step | undefined,
  restore: boolean,
  needsConfirmation: (step: Step | undefined) => boolean,
): UncertainStep {
  const hasRun = status === 'completed';
  const fallback = needsConfirmation(step) ? 'ask' : 'retry';
  const verify = verifiable && restore;
  const uncertainStep = { step: index, hasRun };
  switch (step?.onInterrupted) {
    case 'ask':
      return { ...uncertainStep, verify: false, fallback: 'ask' };
    case 'fail':
      return { ...uncertainStep, verify: false, fallback: 'fail' };
    case 'rerun':
      // The step is known to have run; repeating it is a decision of a person.
      return {
        ...uncertainStep,
        verify: hasRun && mustNotRepeat(step) && verify,
        fallback: hasRun ? fallback : 'retry',
      };
    default:
      return { ...uncertainStep, verify, fallback };
  }
}

/**
 * Steps that are skipped when their neighbors run again: steps that a person settled, and non-idempotent steps that ran. The uncertain
 * step is included only if it is settled.
 */
export function stepsNotToRepeat(
  positions: readonly StepPosition[],
  checkpoints: readonly Checkpoint[],
  uncertainStep: Pick<UncertainStep, 'step'> | null,
): Set<number> {
  const settled = checkpoints.filter(
    ({ step, status }) =>
      status === 'skipped' ||
      (status === 'completed' && mustNotRepeat(positions[step]?.step) && step !== uncertainStep?.step),
  );
  return new Set(settled.map(({ step }) => step));
}

/** The question about an uncertain step. */
export function recoveryQuestion(
  { step: index, hasRun }: UncertainStep,
  positions: readonly StepPosition[],
): RunQuestion {
  const position = positions[index];
  const next = positions[index + 1];
  const path = pathAt(index, position);
  const title = position ? stepTitle(position.step) : `step ${path}`;
  const continuation = next
    ? `continue with step ${numberOf(next)}: ${stepTitle(next.step)}`
    : 'continue with the next step';
  const choices: RunQuestion['choices'] = [
    { choice: 'continue', title: `Treat the step as done and ${continuation}` },
    { choice: 'retry', title: 'Run the step again' },
    { choice: 'fail', title: 'End the run as failed' },
  ];
  return {
    step: index,
    ...(path !== linearStepPath(index) && { path }),
    id: position?.step.id ?? null,
    reason:
      `Step ${position ? numberOf(position) : path} (${title}) ${describeStatus(hasRun)} before the worker was lost. It is not repeated automatically. The surface is at the last safe point: before you continue, take control and restore the state after the step.`.slice(
        0,
        2000,
      ),
    choices: choices.map(({ choice, title: text }) => ({ choice, title: text.slice(0, 300) })),
  };
}

/** The error of a run that ends because the status of a step is unknown. */
export function stepStatusUnknown(
  { step: index, hasRun }: UncertainStep,
  position: StepPosition | undefined,
): PilothouseError {
  const step = position?.step;
  const name = step?.id ? `"${step.id}"` : 'without an id';
  return new PilothouseError(
    'STEP_STATUS_UNKNOWN',
    `Step ${position ? numberOf(position) : pathAt(index, position)} (${name}, ${step?.action ?? 'unknown'}) ${describeStatus(hasRun)} before the worker was lost and is not repeated automatically`,
    { details: { step: index, id: step?.id ?? null } },
  );
}

const pathAt = (number: number, position: StepPosition | undefined) => position?.path ?? linearStepPath(number);

const describeStatus = (hasRun: boolean) => (hasRun ? 'ran' : 'may have run');

/** Effect of an attempt's error on its run. */
export type ErrorConsequence =
  /** The run fails with this error. */
  | 'fail'
  | 'cancel'
  /** The run goes back to the queue for another worker. */
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
