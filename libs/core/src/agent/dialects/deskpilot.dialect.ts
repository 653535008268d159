import type { PlannedAction, ParsedAnswer } from '../planned-action.ts';
import { planAction, parseExpectation, parseToolCall, type PlannedActionOrProblem } from '../tools/tool-schemas.ts';
import { latestSubGoals, toParsedAnswer, unparsableAnswer } from './answer-parts.ts';
import { namedArguments, parseCalls, type TextCall } from './call-syntax.ts';
import { toKeyChord, toNumber, toPointLocator } from '../tools/action-arguments.ts';

/*
 * DeskPilot: `BROWSER_NAVIGATE(url);BROWSER_TYPE(3, "text")`. Numbers are element indexes. `CLICK(x, y)` is in thousandths.
 * `EXPECT` and `SUB_GOALS` are additions: the original dialect has no expected results.
 */

const forms: Readonly<Record<string, readonly string[]>> = {
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
const beside: Readonly<Record<string, readonly string[]>> = {
  EXPECT: ['title_or_url', 'first', 'second', 'third'],
  SUB_GOALS: ['sub_goals'],
};

const NAMES = Object.keys({ ...forms, ...beside }).join('|');
const begins = new RegExp(`^\\s*(?:${NAMES})\\s*\\(`);

/** True if a text has the form of this dialect: one of its names before a bracket. */
export const isDeskPilot = (text: string): boolean => begins.test(text.slice(0, 2000));

/** Parses an answer. Never throws. */
export function parseDeskPilot(text: string): ParsedAnswer {
  const calls = parseCalls(text);
  if (!calls)
    return unparsableAnswer('', 'The actions cannot be read; write e.g. `BROWSER_CLICK(3);BROWSER_TYPE(4, "rope")`');
  const said = calls.filter(isBeside).flatMap((call) => {
    const args = namedArguments(call, beside[call.name] ?? []);
    return args ? [args] : [];
  });
  const actions = calls.filter((call) => !isBeside(call));
  const read = toParsedAnswer('', actions.map(moveOf));
  // The result of a partly parsed turn is unknown.
  const moves = read.problems.length > 0 ? read.moves : leadingTo(said, read.moves);
  return { ...read, moves, ...latestSubGoals(said) };
}

const isBeside = ({ name }: TextCall) => Object.hasOwn(beside, name);

/** Adds the expected result to the last action. */
function leadingTo(
  said: readonly Readonly<Record<string, string>>[],
  moves: readonly PlannedAction[],
): PlannedAction[] {
  const expects = said
    .map(({ title_or_url, first, second, third }) =>
      parseExpectation({ title_or_url, indicators: [first, second, third] }),
    )
    .findLast((one) => one !== undefined);
  return moves.map((move, at) =>
    move.kind === 'act' && expects && at === moves.length - 1 ? { ...move, expects } : move,
  );
}

const problem = (sentence: string): PlannedActionOrProblem => ({ kind: 'problem', problem: sentence });

function moveOf(call: TextCall): PlannedActionOrProblem {
  const form = Object.hasOwn(forms, call.name) ? forms[call.name] : undefined;
  const args = form && namedArguments(call, form);
  if (!args) return problem(`${call.name.slice(0, 60)} is not an action, or has other arguments`);
  switch (call.name) {
    case 'BROWSER_NAVIGATE':
      return planAction({ action: 'navigate', url: args['url'] });
    case 'BROWSER_CLICK':
      return own('click', { element: args['element_index'] });
    case 'BROWSER_TYPE':
      return own('type', { element: args['element_index'], text: args['text'] });
    case 'CLICK': {
      const place = toPointLocator(args['x'], args['y']);
      return place
        ? planAction({ action: 'click', target: place })
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

const own = (name: string, args: object): PlannedActionOrProblem =>
  parseToolCall(name, args) ?? problem(`${name} is not offered`);

/* Instructions to write actions in the DeskPilot dialect. */

/**
 * Instructions after the rules of a prompt that mentions functions.
 * @param form JSON Schema of the answer; null: a text
 * @param foretells asks for the expected result of the turn
 */
export const deskPilotInstructions = (
  form: string | null,
  foretells: boolean,
) => `You cannot call functions here. Write actions instead, with semicolons between them, and nothing else:

BROWSER_NAVIGATE("url")
BROWSER_CLICK(element_index)
BROWSER_TYPE(element_index, "text")
CLICK(x, y)  a place of the picture, from 0 to 1000
SCROLL(amount)  negative: down; 5 is half a page
PRESS_KEY("key")  e.g. enter, ctrl+a
WAIT(seconds)
${form === null ? 'DONE("what the goal asks for, or empty")  the goal is met' : `DONE('JSON')  the goal is met; the answer, of this form: ${form}`}
FAIL("why")  it cannot be met
${foretells ? EXPECT : ''}
For example: BROWSER_TYPE(3, "mooring rope");PRESS_KEY("enter")${foretells ? ';EXPECT("Results", "mooring rope")' : ''}`;

/** Syntax of the expected result, which is part of the last call if a model calls functions. */
const EXPECT = `EXPECT("title_or_url", "text")  behind the last action: what they lead to, where you know; either may be empty
SUB_GOALS("done: ...; next: ...")
`;
