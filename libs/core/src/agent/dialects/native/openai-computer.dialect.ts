import type { PlannedAction } from '../../planned-action.ts';
import { toNumber, type AnswerContext } from '../../tools/action-arguments.ts';
import { planAction } from '../../tools/tool-calls.ts';
import { surfaceTraits } from '../../../surface/surface-traits.ts';
import { dragAction } from './anthropic-computer.dialect.ts';
import {
  TurnRefused,
  accepted,
  clickAction,
  keyAction,
  modifiersOf,
  pointOf,
  typingActions,
  type CallParser,
  type ScreenPoint,
} from './native-call.ts';

/* OpenAI's tool `computer` of the Responses API. One call has a list of actions. Coordinates are pixels of the screenshot. */

type Arguments = Readonly<Record<string, unknown>>;

interface StepPlan {
  readonly actions: readonly PlannedAction[];
  /** Pointer after the step; undefined: unchanged. */
  readonly point?: ScreenPoint;
}

/** Wait of an action that names no time. */
const WAIT_SECONDS = 2;

export const parseComputerCall: CallParser = ({ name, args }, pointer, context) => {
  if (name !== 'computer') return null;
  const steps = Array.isArray(args['actions']) ? args['actions'] : [];
  if (steps.length === 0) throw new TurnRefused('computer: the call has no actions');
  const plans = steps.map((step) => planStep(step, context));
  const lastPoint = plans.findLast(({ point }) => point !== undefined)?.point ?? pointer.position;
  const actions = plans.flatMap((plan) => plan.actions);
  return {
    actions,
    answer: actions.length === 0 ? 'screenshot' : 'steps',
    pointer: { ...pointer, position: lastPoint },
  };
};

function planStep(step: unknown, context: AnswerContext): StepPlan {
  if (typeof step !== 'object' || step === null || Array.isArray(step))
    throw new TurnRefused('computer: an action is not an object');
  const args = step as Arguments;
  const type = String(args['type']).slice(0, 60);
  const keys = Array.isArray(args['keys']) ? args['keys'].map(String) : [];
  const point = () => pointOf(type, args['x'], args['y'], context);
  switch (type) {
    case 'click':
      return planClick(args, keys, context);
    case 'double_click':
      return clickStep(point(), { count: 2 }, modifiersOf(type, keys));
    case 'move':
      return hoverStep(withoutKeys(type, keys, point()));
    case 'drag':
      return planDrag(args, keys, context);
    case 'keypress':
      return { actions: [keyAction(type, keys, undefined)] };
    case 'type':
      return { actions: typingActions(type, args['text']) };
    case 'scroll':
      return planScroll(args, withoutKeys(type, keys, point()));
    case 'wait':
      return { actions: [accepted(planAction({ action: 'wait', seconds: WAIT_SECONDS }))] };
    // Every call is answered with a screenshot.
    case 'screenshot':
      return { actions: [] };
    default:
      throw new TurnRefused(`computer: unknown action ${type}`);
  }
}

function withoutKeys<Value>(type: string, keys: readonly string[], value: Value): Value {
  if (keys.length > 0) throw new TurnRefused(`${type}: no key can be held during it`);
  return value;
}

const clickStep = (point: ScreenPoint, fields: object, modifiers: readonly string[]): StepPlan => ({
  actions: [clickAction(point, { ...fields, ...(modifiers.length > 0 && { modifiers }) })],
  point,
});

const hoverStep = (point: ScreenPoint): StepPlan => ({
  actions: [accepted(planAction({ action: 'hover', target: { point } }))],
  point,
});

const BUTTONS: Readonly<Record<string, object>> = {
  left: {},
  right: { button: 'right' },
  wheel: { button: 'middle' },
};

function planClick(args: Arguments, keys: readonly string[], context: AnswerContext): StepPlan {
  const button = args['button'] ?? 'left';
  if ((button === 'back' || button === 'forward') && surfaceTraits[context.surface].isPaged)
    return { actions: [accepted(planAction({ action: button === 'back' ? 'goBack' : 'goForward' }))] };
  if (typeof button !== 'string' || !Object.hasOwn(BUTTONS, button))
    throw new TurnRefused(`click: the button ${JSON.stringify(button).slice(0, 20)} is not available here`);
  const point = pointOf('click', args['x'], args['y'], context);
  return clickStep(point, BUTTONS[button] ?? {}, modifiersOf('click', keys));
}

/** A drag ends at the last point of its path. Points between are not visited. */
function planDrag(args: Arguments, keys: readonly string[], context: AnswerContext): StepPlan {
  const path = Array.isArray(args['path']) ? (args['path'] as unknown[]) : [];
  const points = path.map((entry) => {
    const { x, y } = (typeof entry === 'object' && entry !== null ? entry : {}) as Arguments;
    return pointOf('drag', x, y, context);
  });
  const [start, end] = [points[0], points.at(-1)];
  if (!start || !end || points.length < 2) throw new TurnRefused('drag: a path has at least two points');
  return { actions: [withoutKeys('drag', keys, dragAction(start, end))], point: end };
}

function planScroll(args: Arguments, point: ScreenPoint): StepPlan {
  const [x, y] = [toNumber(args['scroll_x'] ?? 0), toNumber(args['scroll_y'] ?? 0)];
  if (x === null || y === null || (x === 0 && y === 0))
    throw new TurnRefused('scroll: name a distance, scroll_x or scroll_y');
  const distance = { ...(x !== 0 && { x: Math.round(x) }), ...(y !== 0 && { y: Math.round(y) }) };
  return { actions: [accepted(planAction({ action: 'scroll', by: distance, target: { point } }))], point };
}
