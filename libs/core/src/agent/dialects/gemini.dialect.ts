import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { surfaceTraits } from '../../surface/surface-traits.ts';
import { focusTarget, typeIntoFocus } from './apps-and-focus.ts';
import { planAction, type PlannedActionOrProblem } from '../tools/tool-calls.ts';
import { type AnswerContext, scrollDistance, toKeyChord, toNumber, toPointLocator } from '../tools/action-arguments.ts';

/*
 * The computer-use tool of Gemini, in its current and its earlier version (`click_at`, ...). Points are thousandths of the image.
 */

type Arguments = Readonly<Record<string, unknown>>;

const problem = (sentence: string): PlannedActionOrProblem => ({ kind: 'problem', problem: sentence });

const CLICK_ACTIONS: Readonly<Record<string, object>> = {
  click: {},
  click_at: {},
  double_click: { count: 2 },
  triple_click: { count: 3 },
  right_click: { button: 'right' },
  middle_click: { button: 'middle' },
};

/**
 * Parses a call. Never throws.
 * @returns null for a function that the tool does not have
 */
export function parseGeminiCall(
  name: string,
  args: Arguments,
  context: AnswerContext,
): PlannedActionOrProblem[] | null {
  const safety = args['safety_decision'];
  if (typeof safety === 'object' && safety !== null && 'decision' in safety && safety.decision !== 'allowed') {
    const reason =
      'explanation' in safety && typeof safety.explanation === 'string'
        ? safety.explanation
        : 'The provider considers it risky.';
    return [{ kind: 'ask', question: `Allow this action (${name})? ${reason}` }];
  }
  const point = toPointLocator(args['x'], args['y']);
  if (Object.hasOwn(CLICK_ACTIONS, name))
    return [point ? planAction({ action: 'click', target: point, ...CLICK_ACTIONS[name] }) : invalidPoint(name)];
  switch (name) {
    case 'move':
    case 'hover_at':
      return [point ? planAction({ action: 'hover', target: point }) : invalidPoint(name)];
    case 'type':
    case 'type_text_at':
      return planTyping(name, args, context);
    case 'scroll':
    case 'scroll_at':
    case 'scroll_document':
      return 'direction' in args ? [planScroll(name, args)] : null;
    case 'wait_5_seconds':
      return [planAction({ action: 'wait', seconds: 5 })];
    case 'wait':
      return [planAction({ action: 'wait', seconds: toNumber(args['seconds']) })];
    case 'press_key':
      return [planKeyPress([args['key']])];
    case 'hotkey':
      return [planKeyPress(Array.isArray(args['keys']) ? args['keys'] : [null])];
    case 'key_combination':
      return [planKeyPress(typeof args['keys'] === 'string' ? args['keys'].split('+') : [null])];
    case 'navigate':
      return [planAction({ action: 'navigate', url: args['url'] })];
    case 'go_back':
      return [planAction({ action: 'goBack' })];
    case 'go_forward':
      return [planAction({ action: 'goForward' })];
    case 'drag_and_drop': {
      const start = point ?? toPointLocator(args['start_x'], args['start_y']);
      const end =
        toPointLocator(args['destination_x'], args['destination_y']) ?? toPointLocator(args['end_x'], args['end_y']);
      return [start && end ? planAction({ action: 'drag', target: start, to: end }) : invalidPoint(name)];
    }
    case 'take_screenshot':
      return [{ kind: 'see' }];
    default:
      return null;
  }
}

const invalidPoint = (name: string) => problem(`${name}: x and y must be between 0 and 1000`);

function planKeyPress(keys: readonly unknown[]): PlannedActionOrProblem {
  const chord = keys.every((key): key is string => typeof key === 'string') ? toKeyChord(keys) : null;
  return chord === null ? problem('Unknown key') : planAction({ action: 'press', key: chord });
}

function planTyping(name: string, args: Arguments, context: AnswerContext): PlannedActionOrProblem[] {
  const point = toPointLocator(args['x'], args['y']);
  const target = point ?? focusTarget(context);
  if (!target && name !== 'type') return [invalidPoint(name)];
  if (!target) {
    const typing = withEnter(typeIntoFocus(name, args['text'], context), args, null);
    const clears = args['clear_before_typing'] === true && !surfaceTraits[context.surface].typesAtFocus;
    return clears ? [planAction({ action: 'press', key: 'Control+a' }), ...typing] : typing;
  }
  const append = args['clear_before_typing'] === false || (point === null && args['clear_before_typing'] === undefined);
  const typeAction = planAction({ action: 'fill', target, text: args['text'], ...(append && { append }) });
  return withEnter(typeAction, args, surfaceTraits[context.surface].typesAtFocus ? null : target);
}

/** @param target element that receives Enter; null: the focus */
function withEnter(
  typeAction: PlannedActionOrProblem,
  args: Arguments,
  target: Locator | null,
): PlannedActionOrProblem[] {
  if (typeAction.kind === 'problem' || args['press_enter'] !== true) return [typeAction];
  return [typeAction, planAction({ action: 'press', key: 'Enter', ...(target && { target }) })];
}

function planScroll(name: string, args: Arguments): PlannedActionOrProblem {
  const distance = scrollDistance(args['direction']);
  if (!distance) return problem(`${name}: direction must be up, down, left or right`);
  const point = name === 'scroll_document' ? null : toPointLocator(args['x'], args['y']);
  return planAction({ action: 'scroll', by: distance, ...(point && { target: point }) });
}
