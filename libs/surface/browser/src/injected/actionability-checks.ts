/// <reference lib="dom" />
import { plain } from '@pilothouse/surface-page-elements/page';
import type { ActionabilityState } from './actionability-result.ts';
import { describe } from './describe-element.ts';
import { isRichText } from './element-kind.ts';
import { boxKeyOf, isAnimated, nextFrame } from './element-motion.ts';
import { hitAt, type HitPoints, type PagePoint } from './hit-points.ts';

/** Element that has to reach a state. */
export interface CheckedTarget {
  readonly element: Element;
  readonly state: ActionabilityState;
  readonly points: HitPoints;
  /** Best point that was found last. */
  point: PagePoint | null;
}

/** Condition of some states. */
interface ActionabilityCheck {
  readonly name: string;
  readonly states: readonly ActionabilityState[];
  /** Returns why the target cannot be used, possibly only for now; null if the condition holds. */
  problemOf(target: CheckedTarget): string | null | Promise<string | null>;
}

const NOT_IN_VIEW = 'it cannot be scrolled into view';

/** Input on a child of a button goes to the button; on a label, to its control. */
function controlOf({ element, state }: CheckedTarget): Element | null {
  const native = plain(element);
  if (state !== 'input' || native.matches('input, textarea, select') || isRichText(element)) return null;
  return native.closest('button, [role=button], a, [role=link]') ?? native.closest('label')?.control ?? null;
}

const isReadOnly = (element: Element): boolean =>
  (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) && element.readOnly;

const coverProblem = (point: PagePoint): string => {
  const hit = hitAt(point);
  return `it is covered by ${hit ? describe(hit) : 'nothing that takes input'}`;
};

/** True if keys reach the element although it is covered: code editors hide their input field. */
function takesKeysIfCovered(element: Element, point: PagePoint): boolean {
  const native = plain(element);
  const root = native.getRootNode();
  if ((root instanceof Document || root instanceof ShadowRoot) && root.activeElement === element) return true;
  const editor = native.closest('.monaco-editor, .CodeMirror, .ace_editor');
  return editor !== null && editor.contains(hitAt(point));
}

/** One frame is enough for script-driven movement: the script requested its frame earlier, so its callback runs first. */
async function motionProblem({ element }: CheckedTarget): Promise<string | null> {
  const previousBox = boxKeyOf(element);
  await nextFrame();
  if (!plain(element).isConnected) return 'it was removed from the page';
  return boxKeyOf(element) === previousBox ? null : 'it is moving';
}

/** Conditions that do not depend on the position, in order. */
export const elementChecks: readonly ActionabilityCheck[] = [
  {
    name: 'enabled',
    states: ['enabled', 'input', 'editable'],
    problemOf: (target) => {
      const parts = [target.element, controlOf(target)];
      return parts.some((part) => part && plain(part).matches(':disabled')) ? 'it is disabled' : null;
    },
  },
  {
    name: 'aria-enabled',
    states: ['enabled', 'input', 'editable'],
    problemOf: ({ element }) =>
      plain(element).closest('[aria-disabled="true"]') ? 'it is disabled (aria-disabled)' : null,
  },
  {
    name: 'writable',
    states: ['editable'],
    problemOf: ({ element }) => (isReadOnly(element) ? 'it is read-only' : null),
  },
  {
    name: 'aria-writable',
    states: ['editable'],
    problemOf: ({ element }) =>
      plain(element).getAttribute('aria-readonly') === 'true' ? 'it is read-only (aria-readonly)' : null,
  },
];

/** Conditions after the element was scrolled into view, in order. */
export const positionChecks: readonly ActionabilityCheck[] = [
  {
    name: 'not animated',
    states: ['hover', 'input', 'editable'],
    problemOf: ({ element }) => (isAnimated(element) ? 'it is moving (an animation)' : null),
  },
  { name: 'stable', states: ['hover', 'input', 'editable'], problemOf: motionProblem },
  {
    name: 'in view',
    states: ['point', 'drop', 'hover', 'input', 'editable'],
    problemOf: (target) => {
      // It may have moved since it was scrolled.
      if (target.state !== 'point' && target.state !== 'drop') target.point = target.points.bestPoint();
      return target.point ? null : NOT_IN_VIEW;
    },
  },
  {
    name: 'uncovered',
    states: ['drop', 'hover', 'input', 'editable'],
    problemOf: ({ element, state, points, point }) => {
      if (!point) return NOT_IN_VIEW;
      if (points.acceptsInputAt(point) || (state === 'editable' && takesKeysIfCovered(element, point))) return null;
      return coverProblem(point);
    },
  },
];

/** Returns the problem of the first check that fails; null if all conditions of the state hold. */
export async function firstProblem(
  checks: readonly ActionabilityCheck[],
  target: CheckedTarget,
): Promise<string | null> {
  for (const { states, problemOf } of checks) {
    if (!states.includes(target.state)) continue;
    const answer = problemOf(target);
    // The page must not run between two checks, unless one waits for it.
    const problem = answer === null || typeof answer === 'string' ? answer : await answer;
    if (problem !== null) return problem;
  }
  return null;
}
