import type { NativeCall } from '@pilothouse/contract/model/native-turn.schema';
import { planAction } from '../../tools/tool-calls.ts';
import type { AnswerContext } from '../../tools/action-arguments.ts';
import {
  TurnRefused,
  accepted,
  actingPlan,
  chordKeys,
  clickAction,
  describingPlan,
  holdAction,
  keyAction,
  knownPoint,
  modifiersOf,
  notchScroll,
  pointOfPair,
  typingActions,
  zoomPlan,
  type CallParser,
  type CallPlan,
  type Pointer,
  type ScreenPoint,
} from './native-call.ts';

/*
 * Anthropic's computer tools: `computer_toolset_20260801`, whose members are calls of their own, and `computer_20251124`, whose only call
 * names the member in `action`. Coordinates are pixels of the screenshot.
 */

/** Fields of the click of each member. */
export const CLICKS: Readonly<Record<string, object>> = {
  left_click: {},
  right_click: { button: 'right' },
  middle_click: { button: 'middle' },
  double_click: { count: 2 },
  triple_click: { count: 3 },
};

export const parseComputerMember: CallParser = (call, pointer, context) =>
  parseMember(call.name, call.args, pointer, context);

/** A call of `computer_20251124`. */
export const parseComputerAction: CallParser = ({ name, args }, pointer, context) => {
  if (name !== 'computer') return null;
  const { action, ...rest } = args;
  const plan = typeof action === 'string' ? parseMember(action, rest, pointer, context) : null;
  if (!plan) throw new TurnRefused(`computer: unknown action ${JSON.stringify(action ?? null).slice(0, 60)}`);
  return plan;
};

function parseMember(
  name: string,
  args: NativeCall['args'],
  pointer: Pointer,
  context: AnswerContext,
): CallPlan | null {
  const toPoint = (pair: unknown): ScreenPoint =>
    pair === undefined || pair === null ? knownPoint(name, pointer) : pointOfPair(name, pair, context);
  const movedTo = (point: ScreenPoint): Pointer => ({ ...pointer, position: point });
  if (Object.hasOwn(CLICKS, name)) {
    const point = toPoint(args['coordinate']);
    const modifiers = modifiersOf(name, chordKeys(args['text']));
    const click = clickAction(point, { ...CLICKS[name], ...(modifiers.length > 0 && { modifiers }) });
    return actingPlan([click], movedTo(point));
  }
  switch (name) {
    case 'screenshot':
      return describingPlan('screenshot', pointer);
    case 'cursor_position':
      return describingPlan('pointer', pointer);
    case 'mouse_move': {
      const point = toPoint(args['coordinate']);
      if (pointer.pressedAt) return actingPlan([], movedTo(point));
      return actingPlan([planAction({ action: 'hover', target: { point } })], movedTo(point));
    }
    case 'left_mouse_down':
      return actingPlan([], { ...pointer, pressedAt: knownPoint(name, pointer) });
    case 'left_mouse_up':
      return releasePlan(name, pointer);
    case 'left_click_drag': {
      if (chordKeys(args['text']).length > 0) throw new TurnRefused(`${name}: no key can be held during a drag`);
      const [start, end] = [toPoint(args['start_coordinate']), toPoint(args['coordinate'])];
      return actingPlan([dragAction(start, end)], movedTo(end));
    }
    case 'type':
      return actingPlan(typingActions(name, args['text']), pointer);
    case 'key':
      return actingPlan([keyAction(name, chordKeys(args['text']), args['repeat'])], pointer);
    case 'hold_key':
      return actingPlan([holdAction(name, args['text'], args['duration'])], pointer);
    case 'zoom':
      return zoomPlan(name, args['region'], pointer, context);
    case 'scroll': {
      if (chordKeys(args['text']).length > 0) throw new TurnRefused(`${name}: no key can be held while scrolling`);
      const point = toPoint(args['coordinate'] ?? (pointer.position ? undefined : screenCenter(context)));
      return actingPlan([notchScroll(name, args['scroll_direction'], args['scroll_amount'], point)], movedTo(point));
    }
    case 'wait':
      return actingPlan([planAction({ action: 'wait', seconds: args['duration'] })], pointer);
    default:
      return null;
  }
}

const screenCenter = ({ image }: AnswerContext) => (image ? [image.width / 2, image.height / 2] : undefined);

export const dragAction = (start: ScreenPoint, end: ScreenPoint) =>
  accepted(planAction({ action: 'drag', target: { point: start }, to: { point: end } }));

/** Releases the left button: a click where it was pressed, or a drag from there. @throws TurnRefused */
export function releasePlan(name: string, pointer: Pointer): CallPlan {
  const { pressedAt } = pointer;
  if (!pressedAt) throw new TurnRefused(`${name}: call left_mouse_down before it, in the same turn`);
  const end = knownPoint(name, pointer);
  const isClick = pressedAt.x === end.x && pressedAt.y === end.y;
  return actingPlan([isClick ? clickAction(end) : dragAction(pressedAt, end)], { position: end, pressedAt: null });
}
