import type { Modifier } from '@pilothouse/contract/actions/shared-actions.schema';
import { modifierSchema } from '@pilothouse/contract/actions/shared-actions.schema';
import type { NativeAnswerKind, NativeCall, ScreenRegion } from '@pilothouse/contract/model/native-turn.schema';
import type { PlannedAction } from '../../planned-action.ts';
import { pixelsToPointLocator, toKeyChord, toNumber, type AnswerContext } from '../../tools/action-arguments.ts';
import { planAction, type PlannedActionOrProblem } from '../../tools/tool-calls.ts';

/* Interpretation of one call of a computer tool, and arguments that several tools share. */

/** Point in thousandths of the screen. */
export interface ScreenPoint {
  readonly x: number;
  readonly y: number;
}

/** Pointer of the provider's tool. Ours jumps to the point of each action. */
export interface Pointer {
  /** Null: unknown. */
  readonly position: ScreenPoint | null;
  /** Point where the left button was pressed, until it is released; null: it is up. */
  readonly pressedAt: ScreenPoint | null;
}

/** Interpretation of one call. */
export interface CallPlan {
  readonly actions: readonly PlannedAction[];
  readonly answer: NativeAnswerKind;
  readonly pointer: Pointer;
  /** Set for `zoom`. */
  readonly region?: ScreenRegion;
}

/** Thrown by a parser: the whole turn is refused. The message is for the model. */
export class TurnRefused extends Error {}

/**
 * Parses one call of a tool.
 * @returns null for a name that the tool does not have
 * @throws TurnRefused
 */
export type CallParser = (call: NativeCall, pointer: Pointer, context: AnswerContext) => CallPlan | null;

/** Result of a call that only describes the screen. */
export const describingPlan = (answer: NativeAnswerKind, pointer: Pointer): CallPlan => ({
  actions: [],
  answer,
  pointer,
});

/** Result of a call with actions. @throws TurnRefused for a problem */
export const actingPlan = (actions: readonly PlannedActionOrProblem[], pointer: Pointer): CallPlan => ({
  actions: actions.map(accepted),
  answer: 'steps',
  pointer,
});

/** @throws TurnRefused for a problem */
export function accepted(planned: PlannedActionOrProblem): PlannedAction {
  if (planned.kind === 'problem') throw new TurnRefused(planned.problem);
  return planned;
}

/** Point of pixels in the last screenshot. @throws TurnRefused outside the screen */
export function pointOf(name: string, x: unknown, y: unknown, context: AnswerContext): ScreenPoint {
  const { image } = context;
  if (!image) throw new TurnRefused(`${name}: no screenshot was shown yet; take one first`);
  const locator = pixelsToPointLocator(x, y, context);
  if (!locator?.point)
    throw new TurnRefused(
      `${name}: the point (${shown(x)}, ${shown(y)}) is outside the screen of ${image.width} × ${image.height} pixels`,
    );
  return locator.point;
}

/** Point of `[x, y]`. @throws TurnRefused */
export function pointOfPair(name: string, pair: unknown, context: AnswerContext): ScreenPoint {
  if (!Array.isArray(pair) || pair.length !== 2) throw new TurnRefused(`${name}: a coordinate is a list [x, y]`);
  return pointOf(name, pair[0], pair[1], context);
}

const shown = (value: unknown) => (JSON.stringify(value) ?? 'missing').slice(0, 20);

/** @throws TurnRefused if the pointer is unknown */
export function knownPoint(name: string, { position }: Pointer): ScreenPoint {
  if (!position) throw new TurnRefused(`${name}: the position of the pointer is unknown; name a coordinate`);
  return position;
}

/** Keys that are held during an action, e.g. `ctrl+shift`. @throws TurnRefused */
export function modifiersOf(name: string, keys: readonly string[]): Modifier[] {
  return keys.map((key) => {
    const parsed = modifierSchema.safeParse(toKeyChord([key]));
    if (!parsed.success) throw new TurnRefused(`${name}: ${shown(key)} cannot be held; use alt, ctrl, shift or meta`);
    return parsed.data;
  });
}

/** Splits a chord: `ctrl+shift` → `ctrl`, `shift`. A `+` at the end is a key: `ctrl++` → `ctrl`, `+`. */
export function chordKeys(chord: unknown): string[] {
  if (typeof chord !== 'string') return [];
  const keys = chord.split('+').filter((key) => key !== '');
  return chord.endsWith('+') ? [...keys, '+'] : keys;
}

/** @throws TurnRefused for an unknown key */
export function keyAction(name: string, keys: readonly unknown[], times: unknown): PlannedAction {
  const chord = keys.every((key): key is string => typeof key === 'string') ? toKeyChord(keys) : null;
  if (chord === null) throw new TurnRefused(`${name}: unknown key ${shown(keys.join('+'))}`);
  return accepted(planAction({ action: 'press', key: chord, ...(times !== undefined && times !== null && { times }) }));
}

/** Maximum seconds that a key is held. */
const MAX_HOLD_SECONDS = 30;

/** Holds a key or a chord. @throws TurnRefused */
export function holdAction(name: string, chord: unknown, duration: unknown): PlannedAction {
  const keys = toKeyChord(chordKeys(chord));
  if (keys === null) throw new TurnRefused(`${name}: unknown key ${shown(chord)}`);
  const seconds = toNumber(duration);
  if (seconds === null || seconds < 0.1 || seconds > MAX_HOLD_SECONDS)
    throw new TurnRefused(`${name}: \`duration\` is from 0.1 to ${MAX_HOLD_SECONDS} seconds`);
  return accepted(planAction({ action: 'press', key: keys, holdSeconds: seconds }));
}

/** Enlarges a region `[x0, y0, x1, y1]` in pixels of the last screenshot. @throws TurnRefused */
export function zoomPlan(name: string, corners: unknown, pointer: Pointer, context: AnswerContext): CallPlan {
  if (!Array.isArray(corners) || corners.length !== 4)
    throw new TurnRefused(`${name}: a region is a list [x0, y0, x1, y1]`);
  const start = pointOf(name, corners[0], corners[1], context);
  const end = pointOf(name, corners[2], corners[3], context);
  const [width, height] = [end.x - start.x, end.y - start.y];
  if (width <= 0 || height <= 0)
    throw new TurnRefused(`${name}: the region is empty; name its upper left corner first`);
  return { ...describingPlan('zoom', pointer), region: { ...start, width, height } };
}

/** Click at a point. */
export const clickAction = (point: ScreenPoint, fields: object = {}): PlannedAction =>
  accepted(planAction({ action: 'click', target: { point }, ...fields }));

/** Maximum lines of one text. */
const MAX_LINES = 20;

/** Types a text. A line break is a press of Enter, which is judged by itself. @throws TurnRefused */
export function typingActions(name: string, text: unknown): PlannedAction[] {
  if (typeof text !== 'string' || text === '') throw new TurnRefused(`${name}: missing \`text\``);
  const lines = text.split(/\r?\n/);
  if (lines.length > MAX_LINES) throw new TurnRefused(`${name}: at most ${MAX_LINES} lines in one call`);
  return lines.flatMap((line, index) => [
    ...(index > 0 ? [keyAction(name, ['Enter'], undefined)] : []),
    ...(line === '' ? [] : [accepted(planAction({ action: 'type', text: line }))]),
  ]);
}

/** Pixels of one notch of a mouse wheel. */
const NOTCH_PX = 100;
const DIRECTIONS: Readonly<Record<string, readonly [axis: 'x' | 'y', sign: number]>> = {
  up: ['y', -1],
  down: ['y', 1],
  left: ['x', -1],
  right: ['x', 1],
};

/** Scrolls by notches at a point. @param point null: the page @throws TurnRefused */
export function notchScroll(
  name: string,
  direction: unknown,
  notches: unknown,
  point: ScreenPoint | null,
): PlannedAction {
  const vector =
    typeof direction === 'string' && Object.hasOwn(DIRECTIONS, direction) ? DIRECTIONS[direction] : undefined;
  const amount = toNumber(notches ?? 3);
  if (!vector || amount === null || amount < 1 || amount > 100)
    throw new TurnRefused(`${name}: name a direction (up, down, left, right) and 1 to 100 notches`);
  const distance = { [vector[0]]: Math.round(amount * NOTCH_PX) * vector[1] };
  return accepted(planAction({ action: 'scroll', by: distance, ...(point && { target: { point } }) }));
}
