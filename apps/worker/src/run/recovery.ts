import type { RunAnswer, Assignment, AnswerChoice, Condition, RunQuestion } from '@pilothouse/contract';
import {
  stepRef,
  postconditionOf,
  recoveryQuestion,
  stepTitle,
  stepStatusUnknown,
  type UncertainStep,
  type Surface,
  type RecoveryPlan,
} from '@pilothouse/core';
import { hit } from '@pilothouse/infra-fault';
import { readSurface, type ActionScope } from '../actions/run-action.ts';
import type { RunProgress } from '../attempt/run-progress.ts';
import { restoreSurface } from '../context/surface-session.ts';
import type { EventBuffer } from '../attempt/event-buffer.ts';
import type { SafePointTracker, SafePointState } from '../attempt/safe-points.ts';
import type { SecretInputs } from '../attempt/secret-inputs.ts';

/** Milliseconds in which what a step leads to has to be seen on the restored surface. */
const VERIFY_MS = 3_000;

type GoOn = Extract<RecoveryPlan, { kind: 'go-on' }>;

export interface TakeoverParts {
  readonly assignment: Pick<Assignment, 'run' | 'definition' | 'epoch'>;
  readonly act: ActionScope;
  /** Where the former attempt was last safe. */
  readonly saved: SafePointState | null;
  /** Goes on where this finds the run. */
  readonly progress: RunProgress;
  readonly secrets: SecretInputs;
  readonly safePoints: SafePointTracker;
  readonly events: EventBuffer;
  /** Told of each step that is in doubt, by its number. */
  comesTo(step: number): void;
  ask(question: RunQuestion): Promise<RunAnswer>;
}

/**
 * Takes up where a former attempt was lost.
 * @throws as `restoreSurface`; PilothouseError STEP_STATUS_UNKNOWN when the step in doubt is not to be done again; what `ask` throws
 */
export async function recover(plan: GoOn, parts: TakeoverParts): Promise<void> {
  const { act, progress, events, safePoints } = parts;
  const { run, definition, epoch } = parts.assignment;
  const saved = plan.restore ? parts.saved : null;
  if (saved) {
    await parts.secrets.maskUsedBefore(
      definition,
      progress.previousPositions.map(({ step }) => step),
    );
    await restoreSurface(saved.surface, act);
    safePoints.inherit(saved);
    await hit('worker.restored', run);
  }
  const { from, skipped, doubt } = await settleDoubt(plan, parts);
  progress.resumeAt(from, doubt, skipped?.step);
  const next = progress.place;
  const title = next && `step ${next.path}: ${stepTitle(next.step)}`;
  const facts = { epoch, step: from, restored: plan.restore };
  events.add('run.log', `A former attempt was lost: going on with ${title ?? 'the output'}`, { facts }, 'warn');
  if (!skipped) return;
  const place = progress.previousPositions[skipped.step];
  const data = {
    ...(place ? stepRef(place) : { step: skipped.step }),
    id: place?.step.id ?? null,
    reason: skipped.reason,
  };
  if (!doubt?.happened) events.add('step.skipped', `Not done again: ${skipped.reason}`, data);
  if (saved && next) safePoints.setState(from, saved.surface);
}

/** How an attempt goes on, once the doubt is settled. */
interface GoingOn {
  readonly from: number;
  /** What decided it. */
  readonly doubt: UncertainStep | null;
  /** The step that was in doubt, when it counts as done without having been done by this attempt; and why. */
  readonly skipped?: { readonly step: number; readonly reason: string };
}

/**
 * Settles what is in doubt after a takeover, on the surface as it is at the safe point.
 * @throws PilothouseError STEP_STATUS_UNKNOWN when the step is not to be done again; what `ask` throws
 */
async function settleDoubt({ from, restore, doubt }: Omit<GoOn, 'kind'>, parts: TakeoverParts): Promise<GoingOn> {
  if (!doubt) return { from, doubt };
  parts.comesTo(doubt.step);
  const { previousPositions } = parts.progress;
  // On an empty surface the steps before it are done again, to come to where it was.
  const after = restore ? doubt.step + 1 : from;
  if (doubt.verify && (await happened(doubt, parts))) {
    return {
      from: after,
      doubt,
      skipped: { step: doubt.step, reason: 'What it leads to is there: it had happened' },
    };
  }
  const answer = doubt.otherwise === 'ask' ? await parts.ask(recoveryQuestion(doubt, previousPositions)) : undefined;
  const choice: AnswerChoice = answer?.choice ?? (doubt.otherwise as AnswerChoice);
  switch (choice) {
    case 'retry':
      return doubt.earlier ? settleDoubt({ from, restore, doubt: doubt.earlier }, parts) : { from, doubt };
    // No such choice is offered about a step.
    case 'decline':
    case 'fail':
      throw stepStatusUnknown(doubt, previousPositions[doubt.step]);
    case 'continue':
      return {
        from: after,
        doubt,
        skipped: {
          step: doubt.step,
          reason: answer ? `${answer.answeredBy} said that it happened` : 'A person said that it happened',
        },
      };
  }
}

/** Whether the surface shows what the step leads to. */
async function happened({ step: number }: UncertainStep, { act, progress }: TakeoverParts): Promise<boolean> {
  const place = progress.previousPositions[number];
  const state = progress.stateAt(number);
  const step = place && progress.renderStep(place.step, state);
  const condition = step ? postconditionOf(step, progress.renderNextStep(state)) : null;
  return condition !== null && appears(condition, act);
}

/** Waits a moment for a condition: the page was just opened. */
async function appears(condition: Condition, parts: ActionScope): Promise<boolean> {
  const deadline = parts.clock.monotonic() + VERIFY_MS;
  const seen = await readSurface(deadline, parts, (context) => parts.surface.expect(condition, context)).then(
    () => true,
    () => false,
  );
  parts.signal.throwIfAborted();
  return seen;
}

/** Whether the condition does not hold yet: found later, it tells. A surface that cannot say tells nothing. */
export async function isStillFalse(surface: Surface, condition: Condition, parts: ActionScope): Promise<boolean> {
  const deadline = parts.clock.monotonic() + VERIFY_MS;
  const holds = await readSurface(deadline, parts, (context) => surface.holds(condition, context)).catch(() => true);
  parts.signal.throwIfAborted();
  return !holds;
}
