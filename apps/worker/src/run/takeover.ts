import type { Answer, Assignment, Choice, Condition, Question, Step } from '@pilothouse/contract';
import {
  postconditionOf,
  questionOf,
  unknownStep,
  type Doubt,
  type Surface,
  type TakeoverPlan,
} from '@pilothouse/core';
import { look, type ActParts } from './act.ts';

/** Milliseconds in which what a step leads to has to be seen on the restored surface. */
const VERIFY_MS = 3_000;

type GoOn = Extract<TakeoverPlan, { kind: 'go-on' }>;

export interface TakeoverParts {
  readonly assignment: Pick<Assignment, 'definition'>;
  readonly act: ActParts;
  /** A step with its templates replaced, as far as they can be. */
  render(step: Step): Step | null;
  ask(question: Question): Promise<Answer>;
}

/** How an attempt goes on, once the doubt is settled. */
export interface GoingOn {
  readonly from: number;
  /** The step that was in doubt, when it counts as done without having been done by this attempt; and why. */
  readonly skipped?: { readonly step: number; readonly reason: string };
}

/**
 * Settles what is in doubt after a takeover, on the surface as it is at the safe point.
 * @throws PilothouseError STEP_UNKNOWN when the step is not to be done again; what `ask` throws
 */
export async function settleDoubt({ from, restore, doubt }: GoOn, parts: TakeoverParts): Promise<GoingOn> {
  if (!doubt) return { from };
  const { steps } = parts.assignment.definition;
  // On an empty surface the steps before it are done again, to come to where it was.
  const after = restore ? doubt.step + 1 : from;
  if (doubt.verify && (await happened(doubt, parts))) {
    return {
      from: after,
      skipped: { step: doubt.step, reason: 'What it leads to is there: it had happened' },
    };
  }
  const answer = doubt.otherwise === 'ask' ? await parts.ask(questionOf(doubt, steps)) : undefined;
  const choice: Choice = answer?.choice ?? (doubt.otherwise as Choice);
  switch (choice) {
    case 'repeat':
      return { from };
    case 'fail':
      throw unknownStep(doubt, steps[doubt.step]);
    case 'continue':
      return {
        from: after,
        skipped: {
          step: doubt.step,
          reason: answer ? `${answer.by} said that it happened` : 'A person said that it happened',
        },
      };
  }
}

/** Whether the surface shows what the step leads to. */
async function happened({ step: index }: Doubt, { assignment, act, render }: TakeoverParts): Promise<boolean> {
  const { steps } = assignment.definition;
  const step = steps[index] && render(steps[index]);
  const next = steps[index + 1] && render(steps[index + 1] as Step);
  const condition = step ? postconditionOf(step, next ?? undefined) : null;
  return condition !== null && appears(condition, act);
}

/** Waits a moment for a condition: the page was just opened. */
async function appears(condition: Condition, parts: ActParts): Promise<boolean> {
  const deadline = parts.clock.monotonic() + VERIFY_MS;
  const seen = await look(deadline, parts, (context) => parts.surface.expect(condition, context)).then(
    () => true,
    () => false,
  );
  parts.halt.throwIfAborted();
  return seen;
}

/** Whether the condition does not hold yet: found later, it tells. A surface that cannot say tells nothing. */
export async function notYet(surface: Surface, condition: Condition, parts: ActParts): Promise<boolean> {
  const deadline = parts.clock.monotonic() + VERIFY_MS;
  const holds = await look(deadline, parts, (context) => surface.holds(condition, context)).catch(() => true);
  parts.halt.throwIfAborted();
  return !holds;
}
