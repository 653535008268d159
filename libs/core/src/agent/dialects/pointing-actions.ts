import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Target } from '@pilothouse/contract/actions/locator.schema';
import { surfaceTraits } from '../../surface/surface-traits.ts';
import type { PlannedAction } from '../planned-action.ts';
import {
  allowFields,
  elementIndexOf,
  focusedIndex,
  pointOfTarget,
  unwritable,
  type AnswerToWrite,
  type Thousandths,
  type WriteContext,
} from '../tools/written-answer.ts';
import { reachesFocus } from './write-deskpilot.ts';

/* Actions of dialects that point: a field is clicked before a text is typed into it. */

/** Center of the target. @throws UnwritableAction if the target is neither a listed element nor a point */
export const requirePoint = (
  dialect: string,
  action: Action,
  target: Target | undefined,
  context: WriteContext,
): Thousandths => pointOfTarget(target, context) ?? unwritable(dialect, `such target of \`${action.action}\``);

/** Direction of a scroll along one axis. The dialects have a fixed distance. */
export function directionOf(dialect: string, action: Extract<Action, { action: 'scroll' }>): string {
  allowFields(dialect, action, ['target', 'by']);
  const { x = 0, y = 0 } = action.by ?? {};
  if (y !== 0 && x === 0) return y > 0 ? 'down' : 'up';
  if (x !== 0 && y === 0) return x > 0 ? 'right' : 'left';
  return unwritable(dialect, 'such scroll');
}

/**
 * Replaces actions on elements with the clicks and keys of a pointing dialect. A question becomes the thought, from which the dialects
 * read it.
 */
export function pointingPlan(
  dialect: string,
  { thought, actions }: AnswerToWrite,
  context: WriteContext,
): { readonly thought: string; readonly actions: readonly PlannedAction[] } {
  const question = actions.find((planned) => planned.kind === 'ask');
  let previous: Action | undefined;
  const replaced = actions.flatMap((planned): PlannedAction[] => {
    if (planned.kind !== 'act') return [planned];
    const replacement = toPointing(dialect, planned.action, previous, context);
    previous = planned.action;
    return replacement.map((action) => ({ kind: 'act', action }));
  });
  return { thought: question ? question.question : thought, actions: replaced };
}

const SELECT_ALL: readonly Action[] = [
  { action: 'press', key: 'Control+a' },
  { action: 'press', key: 'Delete' },
];

function toPointing(dialect: string, action: Action, previous: Action | undefined, context: WriteContext): Action[] {
  const element = (target: Target) => context.elements.find(({ index }) => index === elementIndexOf(target));
  switch (action.action) {
    case 'fill': {
      const field = element(action.target);
      const isFocused = field !== undefined && field.index === focusedIndex(context) && !previous;
      const isEmpty = field !== undefined && (field.value ?? '') === '';
      const click: Action = { action: 'click', target: action.target };
      return [
        ...(isFocused ? [] : [click]),
        ...(action.append === true || isEmpty ? [] : SELECT_ALL),
        { action: 'type', text: action.text },
      ];
    }
    case 'type':
      if (!surfaceTraits[context.surface].typesAtFocus && focusedIndex(context) === null)
        return unwritable(dialect, 'typing without the focus');
      return [action];
    case 'clear':
      return [{ action: 'click', target: action.target }, ...SELECT_ALL];
    case 'check':
    case 'uncheck': {
      const isChecked = element(action.target)?.state.checked ?? !(action.action === 'check');
      return isChecked === (action.action === 'check')
        ? unwritable(dialect, 'click that keeps a state')
        : [{ action: 'click', target: action.target }];
    }
    case 'press': {
      if (!reachesFocus(action, previous, context)) return unwritable(dialect, 'key for an element without the focus');
      allowFields(dialect, action, ['key', 'target', 'times']);
      return Array.from({ length: action.times ?? 1 }, () => ({ action: 'press', key: action.key }) as const);
    }
    default:
      return [action];
  }
}
