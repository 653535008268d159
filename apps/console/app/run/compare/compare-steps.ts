import type { RunStatus } from '@pilothouse/contract/run/run-status';
import { elapsedMs } from '../../shared/duration.ts';
import { displayStatusOf } from '../run-state-selectors.ts';
import type { RunState, StepState } from '../run-state.ts';

/** A difference between two steps. `missing`: only one run has the step. */
export type StepDifference = 'missing' | 'status' | 'error' | 'locator' | 'output';

/** Corresponding steps of two runs. */
export interface StepPair {
  left: StepState | null;
  right: StepState | null;
  /** Empty: the steps are equal. Durations are not compared. */
  differences: StepDifference[];
}

type ComparedRun = Pick<RunState, 'steps' | 'status'>;

/**
 * Pairs the steps of two runs in their order.
 * @param isSameVersion both runs executed the same version: steps are paired by path, otherwise by action and title
 */
export function compareSteps(left: ComparedRun, right: ComparedRun, isSameVersion: boolean): StepPair[] {
  const keysOf = isSameVersion ? pathKeys : titleKeys;
  const [leftKeys, rightKeys] = [keysOf(left.steps), keysOf(right.steps)];
  const [inLeft, inRight] = [new Set(leftKeys), new Set(rightKeys)];
  const rightByKey = new Map(rightKeys.map((key, index) => [key, right.steps[index]]));
  const pairs: StepPair[] = [];
  const add = (leftStep: StepState | null, rightStep: StepState | null) =>
    pairs.push({
      left: leftStep,
      right: rightStep,
      differences: differencesOf(leftStep, rightStep, left.status, right.status),
    });
  let nextRight = 0;
  /** Adds the steps of the right run up to the next step that the left run also has. */
  const addRightOnly = () => {
    for (; nextRight < right.steps.length && !inLeft.has(rightKeys[nextRight] ?? ''); nextRight += 1)
      add(null, right.steps[nextRight] ?? null);
  };
  left.steps.forEach((step, index) => {
    const key = leftKeys[index] ?? '';
    if (!inRight.has(key)) return add(step, null);
    addRightOnly();
    add(step, rightByKey.get(key) ?? null);
    if (rightKeys[nextRight] === key) nextRight += 1;
  });
  for (; nextRight < right.steps.length; nextRight += 1)
    if (!inLeft.has(rightKeys[nextRight] ?? '')) add(null, right.steps[nextRight] ?? null);
  return pairs;
}

const pathKeys = (steps: readonly StepState[]) => steps.map(({ path }) => path);

/** Action and title, with a number for repetitions. */
function titleKeys(steps: readonly StepState[]): string[] {
  const counts = new Map<string, number>();
  return steps.map(({ action, title }) => {
    const key = `${action} ${title}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return `${key} ${count}`;
  });
}

function differencesOf(
  left: StepState | null,
  right: StepState | null,
  leftRun: RunStatus,
  rightRun: RunStatus,
): StepDifference[] {
  if (!left || !right) return ['missing'];
  const checks: readonly [StepDifference, unknown, unknown][] = [
    ['status', displayStatusOf(left, leftRun), displayStatusOf(right, rightRun)],
    ['error', left.error?.code, right.error?.code],
    ['locator', usedLocator(left), usedLocator(right)],
    ['output', JSON.stringify(left.value), JSON.stringify(right.value)],
  ];
  return checks.filter(([, leftValue, rightValue]) => leftValue !== rightValue).map(([difference]) => difference);
}

/** The locator that matched, or the element that healing used. */
export const usedLocator = ({ located, healedElement }: StepState): string | null =>
  healedElement ?? located?.locator ?? null;

/** Duration of a step in milliseconds; null: it has not ended. */
export const stepDurationMs = ({ startedAt, finishedAt }: StepState): number | null =>
  finishedAt === null ? null : (elapsedMs(startedAt, finishedAt, 0) ?? null);
