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
  holdAction,
  keyAction,
  modifiersOf,
  notchScroll,
  pointOf,
  typingActions,
  zoomPlan,
  type CallParser,
  type CallPlan,
  type Pointer,
  type ScreenPoint,
} from './native-call.ts';

/*
 * Anthropic's `browser_toolset_20260801`. Elements are named by `ref`, the number of the element list, or by a point in pixels of the
 * screenshot.
 */

/** Members that are disabled: scripts and what a page sends or logs are out of bounds, and only pages open tabs. */
export const DISABLED_BROWSER_MEMBERS = ['javascript_exec', 'read_console', 'read_network', 'new_tab'] as const;

/** Id of a tab: its position in the order of opening, from 1. @param index from 0 */
export const browserTabId = (index: number): string => `${index + 1}`;

type Arguments = NativeCall['args'];

interface BrowserTarget {
  readonly locator: Locator;
  /** Null: the target is an element. */
  readonly point: ScreenPoint | null;
}

export const parseBrowserMember: CallParser = ({ name, args }, pointer, context) => {
  const tabPlan = parseTabMember(name, args, pointer, context);
  if (tabPlan) return tabPlan;
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
    case 'hold_key':
      return actingPlan([holdAction(name, args['text'], args['duration'])], pointer);
    case 'zoom':
      return zoomPlan(name, args['region'], pointer, context);
    case 'file_upload':
      return actingPlan([upload(name, args)], pointer);
    case 'wait':
      return actingPlan([planAction({ action: 'wait', seconds: args['duration'] })], pointer);
    default:
      return null;
  }
};

/**
 * Parses a member for tabs, and checks that any other member names the current tab.
 * @returns null for another member
 * @throws TurnRefused
 */
function parseTabMember(name: string, args: Arguments, pointer: Pointer, context: AnswerContext): CallPlan | null {
  const { tabCount = 1 } = context;
  // A list of many tabs may lack the current one.
  const { currentTab = tabCount === 1 ? 0 : null } = context;
  const tab = args['tab_id'];
  if (name === 'list_tabs') return describingPlan('tabs', pointer);
  if (name === 'switch_tab' || name === 'close_tab') {
    const index = Array.from({ length: tabCount }, (_, position) => browserTabId(position)).indexOf(String(tab));
    if (index < 0) throw new TurnRefused(`${name}: no tab has the id ${JSON.stringify(tab ?? null).slice(0, 20)}`);
    const action = planAction({ action: name === 'switch_tab' ? 'switchTab' : 'closeTab', index });
    // Later calls depend on the tab, which the model has not seen.
    return { ...actingPlan([action], { position: null, pressedAt: null }), answer: 'tabs' };
  }
  if (tab !== undefined && tab !== null && currentTab !== null && String(tab) !== browserTabId(currentTab))
    throw new TurnRefused(`${name}: the current tab is ${browserTabId(currentTab)}; call switch_tab first`);
  return null;
}

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
