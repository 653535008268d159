import { planAction, type PlannedActionOrProblem } from '../tools/tool-schemas.ts';
import { type AnswerContext, scrollDistance, toKeyChord, toNumber, toPointLocator } from '../tools/action-arguments.ts';

/*
 * The computer-use tool of Gemini, in its current and its earlier version (`click_at`, ...). Points are thousandths of the image.
 */

type Arguments = Readonly<Record<string, unknown>>;

const problem = (sentence: string): PlannedActionOrProblem => ({ kind: 'problem', problem: sentence });

const clicks: Readonly<Record<string, object>> = {
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
export function parseGeminiCall(name: string, args: Arguments, sight: AnswerContext): PlannedActionOrProblem[] | null {
  const safety = args['safety_decision'];
  if (typeof safety === 'object' && safety !== null && 'decision' in safety && safety.decision !== 'allowed') {
    const why = 'explanation' in safety && typeof safety.explanation === 'string' ? safety.explanation : 'It is risky';
    return [{ kind: 'ask', question: `May the agent do this (${name})? ${why}` }];
  }
  const place = toPointLocator(args['x'], args['y']);
  if (Object.hasOwn(clicks, name))
    return [place ? planAction({ action: 'click', target: place, ...clicks[name] }) : noPlace(name)];
  switch (name) {
    case 'move':
    case 'hover_at':
      return [place ? planAction({ action: 'hover', target: place }) : noPlace(name)];
    case 'type':
    case 'type_text_at':
      return typing(name, args, sight);
    case 'scroll':
    case 'scroll_at':
    case 'scroll_document':
      return 'direction' in args ? [scrolling(name, args)] : null;
    case 'wait_5_seconds':
      return [planAction({ action: 'wait', seconds: 5 })];
    case 'wait':
      return [planAction({ action: 'wait', seconds: toNumber(args['seconds']) })];
    case 'press_key':
      return [pressing([args['key']])];
    case 'hotkey':
      return [pressing(Array.isArray(args['keys']) ? args['keys'] : [null])];
    case 'key_combination':
      return [pressing(typeof args['keys'] === 'string' ? args['keys'].split('+') : [null])];
    case 'navigate':
      return [planAction({ action: 'navigate', url: args['url'] })];
    case 'go_back':
      return [planAction({ action: 'goBack' })];
    case 'go_forward':
      return [planAction({ action: 'goForward' })];
    case 'drag_and_drop': {
      const to = toPointLocator(args['destination_x'], args['destination_y']);
      return [place && to ? planAction({ action: 'drag', target: place, to }) : noPlace(name)];
    }
    case 'take_screenshot':
      return [{ kind: 'see' }];
    default:
      return null;
  }
}

const noPlace = (name: string) => problem(`${name}: a place has x and y from 0 to 1000`);

function pressing(keys: readonly unknown[]): PlannedActionOrProblem {
  const chord = keys.every((key): key is string => typeof key === 'string') ? toKeyChord(keys) : null;
  return chord === null ? problem('A key is not known') : planAction({ action: 'press', key: chord });
}

function typing(name: string, args: Arguments, { focused }: AnswerContext): PlannedActionOrProblem[] {
  const place = toPointLocator(args['x'], args['y']);
  const target = place ?? (focused === null ? null : { elementIndex: focused });
  if (!target) return [name === 'type' ? problem('type: nothing has the focus; click a field first') : noPlace(name)];
  const append = args['clear_before_typing'] === false || (place === null && args['clear_before_typing'] === undefined);
  const typed = planAction({ action: 'fill', target, text: args['text'], ...(append && { append }) });
  if (typed.kind === 'problem' || args['press_enter'] !== true) return [typed];
  return [typed, planAction({ action: 'press', key: 'Enter', target })];
}

function scrolling(name: string, args: Arguments): PlannedActionOrProblem {
  const by = scrollDistance(args['direction']);
  if (!by) return problem(`${name}: a direction is up, down, left or right`);
  const place = name === 'scroll_document' ? null : toPointLocator(args['x'], args['y']);
  return planAction({ action: 'scroll', by, ...(place && { target: place }) });
}
