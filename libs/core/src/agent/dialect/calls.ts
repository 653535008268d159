import type { ModelCall } from '@pilothouse/contract';
import type { PlannedAction, ParsedAnswer } from '../move.ts';
import { parseToolCall, parseSubGoals, type PlannedActionOrProblem } from '../vocabulary.ts';
import { parseGeminiCall } from './gemini.ts';
import type { AnswerContext } from './place.ts';

/** Reads function calls: our own, and those of the computer-use tool of Gemini, which have places where ours have elements. */
export function parseFunctionCalls(thought: string, calls: readonly ModelCall[], sight: AnswerContext): ParsedAnswer {
  const read = calls.flatMap(({ name, args }): PlannedActionOrProblem[] => {
    const own = isOfGemini(name, args) ? null : parseToolCall(name, args);
    return own
      ? [own]
      : (parseGeminiCall(name, args, sight) ?? [
          { kind: 'problem', problem: `There is no function ${name.slice(0, 60)}` },
        ]);
  });
  return { ...toParsedAnswer(thought, read), ...latestSubGoals(calls.map(({ args }) => args)) };
}

/** The sub-goals that the arguments of calls name last. */
export function latestSubGoals(given: readonly unknown[]): Pick<ParsedAnswer, 'subGoals'> {
  const subGoals = given.map(parseSubGoals).findLast((one) => one !== undefined);
  return subGoals === undefined ? {} : { subGoals };
}

/** What only the tool of Gemini has, under names that we have too; what is done is an argument of ours. */
const isOfGemini = (name: string, args: object) =>
  !('action' in args) &&
  (['x', 'direction', 'safety_decision', 'press_enter'].some((field) => field in args) ||
    (name === 'type' && !('element' in args)));

/** What was understood, and what was not. */
export function toParsedAnswer(thought: string, read: readonly PlannedActionOrProblem[]): ParsedAnswer {
  const moves: PlannedAction[] = [];
  const problems: string[] = [];
  for (const one of read) {
    if (one.kind === 'problem') {
      problems.push(one.problem);
      // What follows was meant for the page that this would have led to.
      break;
    }
    moves.push(one);
  }
  return { thought: thought.trim(), moves, problems };
}

export const unparsableAnswer = (thought: string, problem: string): ParsedAnswer => ({
  thought: thought.trim(),
  moves: [],
  problems: [problem],
});
