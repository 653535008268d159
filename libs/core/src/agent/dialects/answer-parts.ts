import type { ModelCall } from '@pilothouse/contract/model/model.schema';
import type { PlannedAction, ParsedAnswer } from '../planned-action.ts';
import { type PlannedActionOrProblem, parseSubGoals, parseToolCall } from '../tools/tool-calls.ts';
import { parseGeminiCall } from './gemini.dialect.ts';
import type { AnswerContext } from '../tools/action-arguments.ts';

const UNKNOWN_FUNCTION = 'Unknown function';

/**
 * Parses function calls of this agent and of the computer-use tool of Gemini. The latter name points instead of
 * elements.
 */
export function parseFunctionCalls(thought: string, calls: readonly ModelCall[], context: AnswerContext): ParsedAnswer {
  const results = calls.flatMap(({ name, args }): PlannedActionOrProblem[] => {
    const parsedCall = isGeminiCall(name, args) ? null : parseToolCall(name, args);
    return parsedCall
      ? [parsedCall]
      : (parseGeminiCall(name, args, context) ?? [
          { kind: 'problem', problem: `${UNKNOWN_FUNCTION} ${name.slice(0, 60)}. Call \`act\` or \`done\`` },
        ]);
  });
  const isUnknown = results.every((result) => result.kind === 'problem' && result.problem.startsWith(UNKNOWN_FUNCTION));
  return {
    ...toParsedAnswer(thought, results),
    ...latestSubGoals(calls.map(({ args }) => args)),
    ...(isUnknown && { unreadable: 'same-dialect' as const }),
  };
}

/** Last sub-goals in the arguments of the calls. */
export function latestSubGoals(callArguments: readonly unknown[]): Pick<ParsedAnswer, 'subGoals'> {
  const subGoals = callArguments.map(parseSubGoals).findLast((subGoal) => subGoal !== undefined);
  return subGoals === undefined ? {} : { subGoals };
}

/** True for a Gemini call whose name this agent uses as well. Calls of this agent name the action in an argument. */
const isGeminiCall = (name: string, args: object) =>
  !('action' in args) &&
  (['x', 'direction', 'safety_decision', 'press_enter'].some((field) => field in args) ||
    (name === 'type' && !('element' in args)));

/** Collects parsed actions and problems. */
export function toParsedAnswer(thought: string, results: readonly PlannedActionOrProblem[]): ParsedAnswer {
  const actions: PlannedAction[] = [];
  const problems: string[] = [];
  for (const result of results) {
    if (result.kind === 'problem') {
      problems.push(result.problem);
      // Later actions depend on the page that this one should have opened.
      break;
    }
    actions.push(result);
  }
  return { thought: thought.trim(), actions, problems };
}

export const unparsableAnswer = (thought: string, problem: string): ParsedAnswer => ({
  thought: thought.trim(),
  actions: [],
  problems: [problem],
  unreadable: 'same-dialect',
});

/** Both parts of `Thought: ... Action: ...`. */
export interface ThoughtAndAction {
  readonly thought: string;
  readonly action: string;
}

/** @returns null for a text without an action */
export function splitThoughtAndAction(text: string): ThoughtAndAction | null {
  const actionStart = text.lastIndexOf('Action:');
  if (actionStart < 0 || (actionStart > 0 && !/[\s.]/.test(text[actionStart - 1] ?? ''))) return null;
  const thoughtPart = text.slice(0, actionStart);
  const thoughtStart = thoughtPart.indexOf('Thought:');
  return {
    thought: (thoughtStart < 0 ? thoughtPart : thoughtPart.slice(thoughtStart + 'Thought:'.length)).trim(),
    action: text.slice(actionStart + 7).trim(),
  };
}

/** Thought of an incomplete answer. Empty if the text is an action, or begins with one. */
export function partialThought(text: string): string {
  const thought = splitThoughtAndAction(text)?.thought ?? text.replace(/^\s*Thought:/, '');
  return /^\s*[[{`<]/.test(thought) ? '' : thought.trim();
}

/** Reason (`why`) in incomplete JSON of a plan or a verdict. Empty if it has not begun. */
export function partialReason(text: string): string {
  const [, reason = ''] = /"why"\s*:\s*"((?:[^"\\]|\\(?:u[\da-fA-F]{4}|[^u]))*)/.exec(text) ?? [];
  try {
    return (JSON.parse(`"${reason}"`) as string).trim();
  } catch {
    return '';
  }
}
