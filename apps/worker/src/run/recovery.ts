import type { Condition } from '@pilothouse/contract/actions/condition.schema';
import { MAX_EFFECT_REASON, type Result } from '@pilothouse/contract/run/outcome';
import type { AnswerChoice } from '@pilothouse/contract/run/run-question.schema';
import { numberOf } from '@pilothouse/core/interpreter/step-number';
import { stepRef } from '@pilothouse/core/interpreter/step-path';
import {
  recoveryQuestion,
  stepStatusUnknown,
  type RecoveryPlan,
  type UncertainStep,
} from '@pilothouse/core/run/run-recovery';
import { postconditionOf } from '@pilothouse/core/workflow/step-effects';
import { stepTitle } from '@pilothouse/core/workflow/step-titles';
import { failpoint } from '@pilothouse/infra-fault';
import type { ActionScope } from '../actions/action-scope.ts';
import { conditionHolds, readSurface } from '../actions/surface-reads.ts';
import { actionScope, type AttemptContext } from '../context/attempt-context.ts';
import { requestHumanAnswer } from '../context/human-questions.ts';
import { restoreSurface } from '../context/surface-session.ts';

/** Milliseconds to verify a postcondition on the restored surface. */
const VERIFY_MS = 3_000;

type ContinuePlan = Extract<RecoveryPlan, { kind: 'resume' }>;

/**
 * Continues where an earlier attempt was lost: restores the safe point, and resolves the step in unknown state.
 * @throws as `restoreSurface`; PilothouseError STEP_STATUS_UNKNOWN when that step may not be repeated; errors of `requestHumanAnswer`
 */
export async function recover(plan: ContinuePlan, attempt: AttemptContext): Promise<void> {
  const { assignment, progress, events, safePoints, secrets, surfaceSession } = attempt;
  const { run, definition, epoch } = assignment;
  const scope = actionScope(attempt, await surfaceSession.waitUntilOpen());
  const restoredState = plan.restore ? attempt.restoredState : null;
  if (restoredState) {
    await secrets.maskUsedBefore(
      definition,
      progress.previousPositions.map(({ step }) => step),
    );
    await restoreSurface(restoredState.surface, scope);
    safePoints.inherit(restoredState);
    await failpoint('worker.restored', run);
  }
  const { startStep, skipped, uncertain } = await resolveUncertainStep(plan, attempt, scope);
  progress.resumeAt(startStep, uncertain, skipped?.step);
  const next = progress.nextPosition;
  const title = next && `step ${numberOf(next)}: ${stepTitle(next.step)}`;
  const facts = { epoch, step: startStep, restored: plan.restore };
  events.add(
    'run.log',
    `An earlier attempt was lost. This attempt continues with ${title ?? 'the output'}`,
    { facts },
    'warn',
  );
  if (!skipped) return;
  const position = progress.previousPositions[skipped.step];
  const data = {
    ...(position ? stepRef(position) : { step: skipped.step }),
    id: position?.step.id ?? null,
    reason: skipped.reason,
    ...skipped.result,
  };
  if (!uncertain?.hasRun) events.add('step.skipped', `Skipped: ${skipped.reason}`, data);
  if (restoredState && next) safePoints.setState(startStep, restoredState.surface);
}

interface Resolution {
  /** Number of the step at which the attempt continues. */
  readonly startStep: number;
  /** The step that decided it. */
  readonly uncertain: UncertainStep | null;
  /** The step in unknown state, if it counts as completed without being repeated. */
  readonly skipped?: { readonly step: number; readonly reason: string; readonly result: Result };
}

/**
 * Resolves the step in unknown state, on the surface of the safe point.
 * @throws PilothouseError STEP_STATUS_UNKNOWN when the step may not be repeated; errors of `requestHumanAnswer`
 */
async function resolveUncertainStep(
  { startStep, restore, uncertainStep: uncertain }: Omit<ContinuePlan, 'kind'>,
  attempt: AttemptContext,
  scope: ActionScope,
): Promise<Resolution> {
  if (!uncertain) return { startStep, uncertain };
  const { step } = uncertain;
  attempt.stepNumber = step;
  const { previousPositions } = attempt.progress;
  // An empty surface repeats the steps before it, to return to its state.
  const next = restore ? step + 1 : startStep;
  if (uncertain.verify && (await hasHappened(uncertain, attempt, scope))) {
    return {
      startStep: next,
      uncertain,
      skipped: {
        step,
        reason: 'Its expected result is present: the step had run',
        result: { outcome: 'completed', effect: 'confirmed' },
      },
    };
  }
  const answer =
    uncertain.fallback === 'ask'
      ? await requestHumanAnswer(attempt, recoveryQuestion(uncertain, previousPositions))
      : undefined;
  const choice: AnswerChoice = answer?.choice ?? (uncertain.fallback as AnswerChoice);
  switch (choice) {
    case 'retry':
      return uncertain.earlier
        ? resolveUncertainStep({ startStep, restore, uncertainStep: uncertain.earlier }, attempt, scope)
        : { startStep, uncertain };
    // Not available for a step.
    case 'decline':
    case 'fail':
      throw stepStatusUnknown(uncertain, previousPositions[step]);
    case 'continue': {
      const reason = answer ? `${answer.answeredBy} confirmed that it ran` : 'A person confirmed that it ran';
      const result: Result = {
        outcome: 'completed',
        effect: 'unverifiable',
        effectReason: reason.slice(0, MAX_EFFECT_REASON),
      };
      return { startStep: next, uncertain, skipped: { step, reason, result } };
    }
  }
}

/** True if the surface shows the postcondition of the step. */
async function hasHappened(
  { step: number }: UncertainStep,
  { progress }: AttemptContext,
  scope: ActionScope,
): Promise<boolean> {
  const position = progress.previousPositions[number];
  const state = progress.stateAt(number);
  const step = position && progress.renderStep(position.step, state);
  const condition = step ? postconditionOf(step, progress.renderNextStep(state)) : null;
  return condition !== null && conditionHolds(condition, VERIFY_MS, scope);
}

/** True if the condition does not hold now. False where the surface cannot tell. */
export async function isConditionFalse(condition: Condition, scope: ActionScope): Promise<boolean> {
  const { surface, clock, signal } = scope;
  const deadline = clock.monotonic() + VERIFY_MS;
  const isTrue = await readSurface(deadline, scope, (context) => surface.isMet(condition, context)).catch(() => true);
  signal.throwIfAborted();
  return !isTrue;
}
