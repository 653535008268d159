import type { PlannedAction, ParsedAnswer } from '../planned-action.ts';
import { planAction, parseExpectation, parseToolCall, type PlannedActionOrProblem } from '../tools/tool-calls.ts';
import { latestSubGoals, toParsedAnswer, unparsableAnswer } from './answer-parts.ts';
import { namedArguments, parseCalls, type TextCall } from './call-syntax.ts';
import { toKeyChord, toNumber, toPointLocator } from '../tools/action-arguments.ts';

/*
 * DeskPilot: `BROWSER_NAVIGATE(url);BROWSER_TYPE(3, "text")`. Numbers are element indexes. `CLICK(x, y)` is in thousandths.
 * `EXPECT` and `SUB_GOALS` are additions: the original dialect has no expected results.
 */

const ARGUMENTS_BY_ACTION: Readonly<Record<string, readonly string[]>> = {
  BROWSER_NAVIGATE: ['url'],
  BROWSER_CLICK: ['element_index'],
  BROWSER_TYPE: ['element_index', 'text'],
  CLICK: ['x', 'y'],
  SCROLL: ['amount'],
  PRESS_KEY: ['key'],
  WAIT: ['seconds'],
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
export function parseDeskPilot(text: string): ParsedAnswer {
  const calls = parseCalls(text);
  if (!calls)
    return unparsableAnswer('', 'The actions cannot be read; write e.g. `BROWSER_CLICK(3);BROWSER_TYPE(4, "rope")`');
  const turnArguments = calls.filter(isTurnCall).flatMap((call) => {
    const args = namedArguments(call, TURN_CALLS[call.name] ?? []);
    return args ? [args] : [];
  });
  const actionCalls = calls.filter((call) => !isTurnCall(call));
  const parsed = toParsedAnswer('', actionCalls.map(planCall));
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

function planCall(call: TextCall): PlannedActionOrProblem {
  const argumentNames = Object.hasOwn(ARGUMENTS_BY_ACTION, call.name) ? ARGUMENTS_BY_ACTION[call.name] : undefined;
  const args = argumentNames && namedArguments(call, argumentNames);
  if (!args) return problem(`${call.name.slice(0, 60)} is not an action, or has other arguments`);
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
        : problem('CLICK: a place has x and y from 0 to 1000');
    }
    case 'SCROLL': {
      const amount = toNumber(args['amount']);
      // As for a mouse wheel, positive is up.
      return amount === null
        ? problem('SCROLL: how much?')
        : planAction({ action: 'scroll', by: { y: Math.round(-amount * 100) } });
    }
    case 'PRESS_KEY': {
      const chord = toKeyChord((args['key'] ?? '').split('+'));
      return chord === null ? problem('PRESS_KEY: the key is not known') : planAction({ action: 'press', key: chord });
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
  parseToolCall(name, args) ?? problem(`${name} is not offered`);

/* Instructions to write actions in the DeskPilot dialect. */

/**
 * Instructions after the rules of a prompt that mentions functions.
 * @param argumentNames JSON Schema of the answer; null: a text
 * @param foretells asks for the expected result of the turn
 */
export const deskPilotInstructions = (
  argumentNames: string | null,
  foretells: boolean,
) => `You cannot call functions here. Write actions instead, with semicolons between them, and nothing else:

BROWSER_NAVIGATE("url")
BROWSER_CLICK(element_index)
BROWSER_TYPE(element_index, "text")
CLICK(x, y)  a place of the picture, from 0 to 1000
SCROLL(amount)  negative: down; 5 is half a page
PRESS_KEY("key")  e.g. enter, ctrl+a
WAIT(seconds)
${argumentNames === null ? 'DONE("what the goal asks for, or empty")  the goal is met' : `DONE('JSON')  the goal is met; the answer, of this form: ${argumentNames}`}
FAIL("why")  it cannot be met
${foretells ? EXPECT : ''}
For example: BROWSER_TYPE(3, "mooring rope");PRESS_KEY("enter")${foretells ? ';EXPECT("Results", "mooring rope")' : ''}`;

/** Syntax of the expected result, which is part of the last call if a model calls functions. */
const EXPECT = `EXPECT("title_or_url", "text")  behind the last action: what they lead to, where you know; either may be empty
SUB_GOALS("done: ...; next: ...")
`;
