import type { Answer, Assignment, Choice, Condition, Question, Step } from '@pilothouse/contract';
import {
  postconditionOf,
  questionOf,
  settledSteps,
  stepTitle,
  unknownStep,
  type Doubt,
  type Surface,
  type TakeoverPlan,
} from '@pilothouse/core';
import { look, type ActParts } from './act.ts';
import { restoreSurface } from './opening.ts';
import type { Reporter } from './reporter.ts';
import type { SafePoints, SavedState } from './safe-points.ts';
import type { Secrets } from './secrets.ts';
import type { Values } from './values.ts';

/** Milliseconds in which what a step leads to has to be seen on the restored surface. */
const VERIFY_MS = 3_000;

type GoOn = Extract<TakeoverPlan, { kind: 'go-on' }>;

export interface TakeoverParts {
  readonly assignment: Pick<Assignment, 'definition' | 'checkpoints' | 'epoch'>;
  readonly act: ActParts;
  /** Where the former attempt was last safe. */
  readonly saved: SavedState | null;
  readonly values: Values;
  readonly secrets: Secrets;
  readonly safePoints: SafePoints;
  readonly reporter: Reporter;
  ask(question: Question): Promise<Answer>;
}

/**
 * Takes up where a former attempt was lost.
 * @returns the step to go on with, and those that are not done again
 * @throws as `restoreSurface`; PilothouseError STEP_UNKNOWN when the step in doubt is not to be done again; what `ask` throws
 */
export async function takeOver(
  plan: GoOn,
  parts: TakeoverParts,
): Promise<{ from: number; settled: ReadonlySet<number> }> {
  const { act, values, reporter, safePoints } = parts;
  const { definition, checkpoints, epoch } = parts.assignment;
  for (const { step, status, value } of checkpoints) {
    if (status === 'acted') values.keep(definition.steps[step], value);
  }
  const saved = plan.restore ? parts.saved : null;
  if (saved) {
    for (const [id, value] of Object.entries(saved.values)) values.steps[id] = { value };
    const begun = 1 + Math.max(plan.from - 1, ...checkpoints.map(({ step }) => step));
    await parts.secrets.know(definition.steps.slice(0, begun));
    await restoreSurface(saved.surface, act);
  }
  const { from, skipped } = await settleDoubt(plan, parts);
  const title = definition.steps[from] && `step ${from + 1}: ${stepTitle(definition.steps[from])}`;
  const facts = { epoch, step: from, restored: plan.restore };
  reporter.add('log', `A former attempt was lost: going on with ${title ?? 'the output'}`, { facts }, 'warn');
  const settled = settledSteps(definition.steps, checkpoints, plan.doubt);
  if (!skipped) return { from, settled };
  const id = definition.steps[skipped.step]?.id;
  const data = { step: skipped.step, id: id ?? null, reason: skipped.reason };
  if (!plan.doubt?.happened) reporter.add('step.skipped', `Not done again: ${skipped.reason}`, data);
  if (id !== undefined) values.steps[id] ??= { value: null };
  if (saved && from < definition.steps.length) safePoints.moveTo(from, saved.surface);
  return { from, settled: settled.add(skipped.step) };
}

/** How an attempt goes on, once the doubt is settled. */
interface GoingOn {
  readonly from: number;
  /** The step that was in doubt, when it counts as done without having been done by this attempt; and why. */
  readonly skipped?: { readonly step: number; readonly reason: string };
}

/**
 * Settles what is in doubt after a takeover, on the surface as it is at the safe point.
 * @throws PilothouseError STEP_UNKNOWN when the step is not to be done again; what `ask` throws
 */
async function settleDoubt({ from, restore, doubt }: GoOn, parts: TakeoverParts): Promise<GoingOn> {
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
async function happened({ step: index }: Doubt, { assignment, act, values }: TakeoverParts): Promise<boolean> {
  const { steps } = assignment.definition;
  const step = steps[index] && values.rendered(steps[index]);
  const next = steps[index + 1] && values.rendered(steps[index + 1] as Step);
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
