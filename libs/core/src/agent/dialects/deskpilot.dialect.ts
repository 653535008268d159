import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import type { PlannedAction, ParsedAnswer } from '../planned-action.ts';
import { planAction, parseExpectation, parseToolCall, type PlannedActionOrProblem } from '../tools/tool-calls.ts';
import { latestSubGoals, toParsedAnswer, unparsableAnswer } from './answer-parts.ts';
import { focusApp, openApp, typeIntoFocus } from './apps-and-focus.ts';
import { namedArguments, parseCalls, type TextCall } from './call-syntax.ts';
import { toKeyChord, toNumber, toPointLocator, type AnswerContext } from '../tools/action-arguments.ts';

/*
 * DeskPilot: `BROWSER_NAVIGATE(url);BROWSER_TYPE(3, "text")`. Numbers are element indexes. `CLICK(x, y)` is in thousandths.
 * `EXPECT`, `SUB_GOALS`, `OPEN_APP`, `FOCUS_APP`, `SELECT_MENU` and `FILE_DIALOG` are additions to the original.
 */

const ARGUMENTS_BY_ACTION: Readonly<Record<string, readonly string[]>> = {
  BROWSER_NAVIGATE: ['url'],
  BROWSER_CLICK: ['element_index'],
  BROWSER_TYPE: ['element_index', 'text'],
  CLICK: ['x', 'y'],
  TYPE: ['text'],
  SCROLL: ['amount'],
  PRESS_KEY: ['key'],
  WAIT: ['seconds'],
  OPEN_APP: ['app'],
  FOCUS_APP: ['app'],
  SELECT_MENU: ['items'],
  FILE_DIALOG: ['path'],
  DONE: ['final_answer'],
  FAIL: ['error'],
};

/** Calls that describe the turn and are not actions. */
const TURN_CALLS: Readonly<Record<string, readonly string[]>> = {
  EXPECT: ['title_or_url', 'first', 'second', 'third'],
  SUB_GOALS: ['sub_goals'],
};

const CALL_NAMES = Object.keys({ ...ARGUMENTS_BY_ACTION, ...TURN_CALLS }).join('|');
const CALL_START = new RegExp(`^\\s*(?:${CALL_NAMES})\\s*\\(`);

/** True if a text has the form of this dialect: one of its names before a bracket. */
export const isDeskPilot = (text: string): boolean => CALL_START.test(text.slice(0, 2000));

/** Parses an answer. Never throws. */
export function parseDeskPilot(text: string, context: AnswerContext): ParsedAnswer {
  const calls = parseCalls(text);
  if (!calls) return unparsableAnswer('', 'Invalid actions. Example: `BROWSER_CLICK(3);BROWSER_TYPE(4, "rope")`');
  const turnArguments = calls.filter(isTurnCall).flatMap((call) => {
    const args = namedArguments(call, TURN_CALLS[call.name] ?? []);
    return args ? [args] : [];
  });
  const actionCalls = calls.filter((call) => !isTurnCall(call));
  const parsed = toParsedAnswer(
    '',
    actionCalls.map((call) => planCall(call, context)),
  );
  // The result of a partly parsed turn is unknown.
  const actions = parsed.problems.length > 0 ? parsed.actions : withExpectation(turnArguments, parsed.actions);
  return { ...parsed, actions, ...latestSubGoals(turnArguments) };
}

const isTurnCall = ({ name }: TextCall) => Object.hasOwn(TURN_CALLS, name);

/** Adds the expected result to the last action. */
function withExpectation(
  turnArguments: readonly Readonly<Record<string, string>>[],
  actions: readonly PlannedAction[],
): PlannedAction[] {
  const expects = turnArguments
    .map(({ title_or_url, first, second, third }) =>
      parseExpectation({ title_or_url, indicators: [first, second, third] }),
    )
    .findLast((expectation) => expectation !== undefined);
  return actions.map((planned, index) =>
    planned.kind === 'act' && expects && index === actions.length - 1 ? { ...planned, expects } : planned,
  );
}

const problem = (sentence: string): PlannedActionOrProblem => ({ kind: 'problem', problem: sentence });

/** Names of `SELECT_MENU("File", "Save As")`; null for one path, and for another call. */
const menuItemsOf = ({ name, args }: TextCall): readonly string[] | null =>
  name === 'SELECT_MENU' && args.length > 1 && args.every(({ key }) => key === null)
    ? args.map(({ value }) => value)
    : null;

function planCall(call: TextCall, context: AnswerContext): PlannedActionOrProblem {
  const menuItems = menuItemsOf(call);
  if (menuItems) return planToolCall('selectMenuItem', { items: menuItems });
  const argumentNames = Object.hasOwn(ARGUMENTS_BY_ACTION, call.name) ? ARGUMENTS_BY_ACTION[call.name] : undefined;
  const args = argumentNames && namedArguments(call, argumentNames);
  if (!args) return problem(`Unknown action ${call.name.slice(0, 60)}, or wrong arguments`);
  switch (call.name) {
    case 'BROWSER_NAVIGATE':
      return planAction({ action: 'navigate', url: args['url'] });
    case 'BROWSER_CLICK':
      return planToolCall('click', { element: args['element_index'] });
    case 'BROWSER_TYPE':
      return planToolCall('type', { element: args['element_index'], text: args['text'] });
    case 'CLICK': {
      const point = toPointLocator(args['x'], args['y']);
      return point
        ? planAction({ action: 'click', target: point })
        : problem('CLICK: x and y must be between 0 and 1000');
    }
    case 'TYPE':
      return typeIntoFocus(call.name, args['text'], context);
    case 'OPEN_APP':
      return openApp(call.name, args['app'], context);
    case 'FOCUS_APP':
      return focusApp(call.name, args['app'], context);
    case 'SELECT_MENU':
      return planToolCall('selectMenuItem', { items: args['items'] });
    case 'FILE_DIALOG':
      return planToolCall('fillFileDialog', { path: args['path'] });
    case 'SCROLL': {
      const amount = toNumber(args['amount']);
      // As for a mouse wheel, positive is up.
      return amount === null
        ? problem('SCROLL: missing the amount')
        : planAction({ action: 'scroll', by: { y: Math.round(-amount * 100) } });
    }
    case 'PRESS_KEY': {
      const chord = toKeyChord((args['key'] ?? '').split('+'));
      return chord === null ? problem('PRESS_KEY: unknown key') : planAction({ action: 'press', key: chord });
    }
    case 'WAIT':
      return planAction({ action: 'wait', seconds: toNumber(args['seconds']) });
    case 'DONE':
      return { kind: 'done', claim: { answer: args['final_answer'] ?? null, anchor: null, indicators: [] } };
    default:
      return { kind: 'fail', reason: args['error'] ?? 'The model gave no reason' };
  }
}

const planToolCall = (name: string, args: object): PlannedActionOrProblem =>
  parseToolCall(name, args) ?? problem(`${name} is not available`);

/* Instructions to write actions in the DeskPilot dialect. */

/**
 * Instructions after the rules of a prompt that mentions functions.
 * @param answerSchema JSON Schema of the answer; null: a text
 * @param hasExpectation asks for the expected result of the turn
 */
export const deskPilotInstructions = (
  answerSchema: string | null,
  hasExpectation: boolean,
  surface: SurfaceKind,
) => `You cannot call functions. Instead of function calls, reply with actions separated by semicolons, and nothing else:

${ACTIONS[surface]}
WAIT(seconds)
${answerSchema === null ? 'DONE("answer, or empty")  the goal is met' : `DONE('JSON')  the goal is met; JSON Schema of the answer: ${answerSchema}`}
FAIL("reason")  the goal cannot be reached
${hasExpectation ? EXPECT : ''}
Example: BROWSER_TYPE(3, "mooring rope");PRESS_KEY("enter")${hasExpectation ? ';EXPECT("Results", "mooring rope")' : ''}`;

const ACTIONS = {
  browser: `BROWSER_NAVIGATE("url")
BROWSER_CLICK(element_index)
BROWSER_TYPE(element_index, "text")
CLICK(x, y)  position in the screenshot, 0 to 1000
SCROLL(amount)  negative: down; 5 is half a page
PRESS_KEY("key")  e.g. enter, ctrl+a`,
  desktop: `OPEN_APP("app")  start an application by id or name
FOCUS_APP("app")  bring its window to the front
SELECT_MENU("File > Save As")  choose a menu entry of the active window; with > in a name: SELECT_MENU("Data", "A > Z")
FILE_DIALOG("path")  answer an open or save dialog
CLICK(x, y)  position in the screenshot, 0 to 1000
TYPE("text")  into the focused element
SCROLL(amount)  negative: down; 5 is half a window
PRESS_KEY("key")  e.g. enter, ctrl+s, alt+f4
BROWSER_CLICK(element_index)  a listed element of any application
BROWSER_TYPE(element_index, "text")  into a listed field`,
} satisfies Readonly<Record<SurfaceKind, string>>;

/** Syntax of the expected result, which is part of the last call if a model calls functions. */
const EXPECT = `EXPECT("title_or_url", "text")  after the last action: the expected result if you know it; either may be empty
SUB_GOALS("done: ...; next: ...")
`;
