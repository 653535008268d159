import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { NativeCall } from '@pilothouse/contract/model/native-turn.schema';
import type { PlannedAction } from '../../planned-action.ts';
import { toNumber, type AnswerContext } from '../../tools/action-arguments.ts';
import { planAction } from '../../tools/tool-calls.ts';
import { CLICKS, dragAction, releasePlan } from './anthropic-computer.dialect.ts';
import {
  TurnRefused,
  accepted,
  actingPlan,
  chordKeys,
  describingPlan,
  keyAction,
  modifiersOf,
  notchScroll,
  pointOf,
  typingActions,
  type CallParser,
  type Pointer,
  type ScreenPoint,
} from './native-call.ts';

/*
 * Anthropic's `browser_toolset_20260801`. Elements are named by `ref`, the number of the element list, or by a point in pixels of the
 * screenshot.
 */

/**
 * Members that are disabled: scripts and what a page sends or logs are out of bounds, the agent works in one tab, a key cannot be held for a
 * time, and a part of the screen is not enlarged.
 */
export const DISABLED_BROWSER_MEMBERS = [
  'javascript_exec',
  'read_console',
  'read_network',
  'new_tab',
  'list_tabs',
  'switch_tab',
  'close_tab',
  'hold_key',
  'zoom',
] as const;

/** Id of the tab that the agent works in. */
export const BROWSER_TAB_ID = '1';

type Arguments = NativeCall['args'];

interface BrowserTarget {
  readonly locator: Locator;
  /** Null: the target is an element. */
  readonly point: ScreenPoint | null;
}

export const parseBrowserMember: CallParser = ({ name, args }, pointer, context) => {
  const tab = args['tab_id'];
  if (tab !== undefined && tab !== null && tab !== BROWSER_TAB_ID)
    throw new TurnRefused(`${name}: the only tab is ${BROWSER_TAB_ID}`);
  const target = () => targetOf(name, args['target'], context);
  if (Object.hasOwn(CLICKS, name)) {
    const { locator, point } = target();
    const modifiers = modifiersOf(name, chordKeys(args['modifiers']));
    const fields = { ...CLICKS[name], ...(modifiers.length > 0 && { modifiers }) };
    return actingPlan([planAction({ action: 'click', target: locator, ...fields })], movedTo(pointer, point));
  }
  switch (name) {
    case 'navigate':
      return actingPlan([navigation(args['url'])], pointer);
    case 'screenshot':
      return describingPlan('screenshot', pointer);
    case 'read_page':
      return describingPlan('page', pointer);
    case 'find':
      return describingPlan('find', pointer);
    case 'get_page_text':
      return describingPlan('text', pointer);
    case 'hover': {
      const { locator, point } = target();
      return actingPlan([planAction({ action: 'hover', target: locator })], movedTo(pointer, point));
    }
    case 'mouse_move': {
      const point = pointTarget(name, args['target'], context);
      if (pointer.pressedAt) return actingPlan([], movedTo(pointer, point));
      return actingPlan([planAction({ action: 'hover', target: { point } })], movedTo(pointer, point));
    }
    case 'left_mouse_down': {
      const point = pointTarget(name, args['target'], context);
      return actingPlan([], { position: point, pressedAt: point });
    }
    case 'left_mouse_up':
      return releasePlan(name, movedTo(pointer, pointTarget(name, args['target'], context)));
    case 'left_click_drag': {
      const [start, end] = [pointTarget(name, args['from'], context), pointTarget(name, args['target'], context)];
      return actingPlan([dragAction(start, end)], movedTo(pointer, end));
    }
    case 'scroll': {
      const point = pointTarget(name, args['target'], context);
      return actingPlan([notchScroll(name, args['scroll_direction'], args['scroll_amount'], point)], {
        ...pointer,
        position: point,
      });
    }
    case 'scroll_to':
      return actingPlan([planAction({ action: 'scroll', target: elementTarget(name, args['target']) })], pointer);
    case 'type':
      return actingPlan(typingActions(name, args['text']), pointer);
    case 'key':
      return actingPlan(keySequence(name, args), pointer);
    case 'form_input':
      return actingPlan([formInput(name, args, context)], pointer);
    case 'file_upload':
      return actingPlan([upload(name, args)], pointer);
    case 'wait':
      return actingPlan([planAction({ action: 'wait', seconds: args['duration'] })], pointer);
    default:
      return null;
  }
};

const movedTo = (pointer: Pointer, point: ScreenPoint | null): Pointer => ({
  ...pointer,
  position: point ?? pointer.position,
});

function fieldsOf(name: string, target: unknown): Readonly<Record<string, unknown>> {
  if (typeof target !== 'object' || target === null || Array.isArray(target))
    throw new TurnRefused(`${name}: missing \`target\``);
  return target as Record<string, unknown>;
}

/** @throws TurnRefused unless it is `{ type: 'coordinate', x, y }` on the screen */
function pointTarget(name: string, target: unknown, context: AnswerContext): ScreenPoint {
  const { type, x, y } = fieldsOf(name, target);
  if (type === 'ref') throw new TurnRefused(`\`${name}\` needs a coordinate, not a ref`);
  return pointOf(name, x, y, context);
}

/** Locator of `{ type: 'ref', ref }`, the number of an element. @throws TurnRefused */
function elementTarget(name: string, target: unknown): Locator {
  const { ref } = fieldsOf(name, target);
  const [, index] = /^(?:ref_)?\[?(\d{1,6})\]?$/.exec(String(ref)) ?? [];
  if (index === undefined)
    throw new TurnRefused(`${name}: ${JSON.stringify(ref ?? null).slice(0, 40)} is not an element of the list`);
  return { elementIndex: Number(index) };
}

function targetOf(name: string, target: unknown, context: AnswerContext): BrowserTarget {
  if (fieldsOf(name, target)['type'] === 'ref') return { locator: elementTarget(name, target), point: null };
  const point = pointTarget(name, target, context);
  return { locator: { point }, point };
}

const HISTORY: Readonly<Record<string, string>> = { back: 'goBack', forward: 'goForward', reload: 'reload' };

const navigation = (url: unknown) =>
  typeof url === 'string' && Object.hasOwn(HISTORY, url)
    ? planAction({ action: HISTORY[url] })
    : planAction({ action: 'navigate', url });

/** Maximum repetitions of a sequence of keys. */
const MAX_REPEATS = 10;

/** Keys of a sequence that is separated by blanks: `ctrl+a Delete`. */
function keySequence(name: string, { text, repeat }: Arguments): PlannedAction[] {
  const chords = typeof text === 'string' ? text.split(' ').filter((chord) => chord !== '') : [];
  if (chords.length === 0) throw new TurnRefused(`${name}: missing \`text\``);
  if (chords.length === 1) return [keyAction(name, chordKeys(chords[0]), repeat)];
  const times = toNumber(repeat ?? 1);
  if (times === null || !Number.isInteger(times) || times < 1 || times > MAX_REPEATS)
    throw new TurnRefused(`${name}: \`repeat\` is an integer from 1 to ${MAX_REPEATS} for several keys`);
  return Array.from({ length: times }, () =>
    chords.map((chord) => keyAction(name, chordKeys(chord), undefined)),
  ).flat();
}

/** Roles of elements whose value is one of a list. */
const CHOICE_ROLES: ReadonlySet<string> = new Set(['combobox', 'listbox']);

/** Sets the value of an element: a state, a choice or a text. */
function formInput(name: string, { target, value }: Arguments, { roleOf }: AnswerContext): PlannedAction {
  const locator = elementTarget(name, target);
  if (typeof value === 'boolean') return accepted(planAction({ action: value ? 'check' : 'uncheck', target: locator }));
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new TurnRefused(`${name}: \`value\` is a text, a number or a boolean`);
  const role = roleOf?.(locator.elementIndex ?? -1) ?? '';
  return accepted(
    CHOICE_ROLES.has(role)
      ? planAction({ action: 'selectOption', target: locator, option: String(value) })
      : planAction({ action: 'fill', target: locator, text: String(value) }),
  );
}

/** Only files of the run have an id. Paths would be those of the worker. */
function upload(name: string, { target, document_ids: ids, paths }: Arguments): PlannedAction {
  if (Array.isArray(paths) && paths.length > 0)
    throw new TurnRefused(`${name}: name a file of the goal in document_ids`);
  if (!Array.isArray(ids) || ids.length !== 1) throw new TurnRefused(`${name}: document_ids has exactly one file`);
  return accepted(planAction({ action: 'upload', target: elementTarget(name, target), file: ids[0] }));
}
