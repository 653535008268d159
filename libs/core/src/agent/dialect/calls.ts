import type { ModelCall } from '@pilothouse/contract';
import type { Move, Reading } from '../move.ts';
import { moveOfCall, subGoalsOf, type MoveOrProblem } from '../vocabulary.ts';
import { movesOfGeminiCall } from './gemini.ts';
import type { Sight } from './place.ts';

/** Reads function calls: our own, and those of the computer-use tool of Gemini, which have places where ours have elements. */
export function readCalls(thought: string, calls: readonly ModelCall[], sight: Sight): Reading {
  const read = calls.flatMap(({ name, args }): MoveOrProblem[] => {
    const own = isOfGemini(name, args) ? null : moveOfCall(name, args);
    return own
      ? [own]
      : (movesOfGeminiCall(name, args, sight) ?? [
          { kind: 'problem', problem: `There is no function ${name.slice(0, 60)}` },
        ]);
  });
  return { ...readingOf(thought, read), ...lastSubGoals(calls.map(({ args }) => args)) };
}

/** The sub-goals that the arguments of calls name last. */
export function lastSubGoals(given: readonly unknown[]): Pick<Reading, 'subGoals'> {
  const subGoals = given.map(subGoalsOf).findLast((one) => one !== undefined);
  return subGoals === undefined ? {} : { subGoals };
}

/** What only the tool of Gemini has, under names that we have too; what is done is an argument of ours. */
const isOfGemini = (name: string, args: object) =>
  !('action' in args) &&
  (['x', 'direction', 'safety_decision', 'press_enter'].some((field) => field in args) ||
    (name === 'type' && !('element' in args)));

/** What was understood, and what was not. */
export function readingOf(thought: string, read: readonly MoveOrProblem[]): Reading {
  const moves: Move[] = [];
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

export const unreadable = (thought: string, problem: string): Reading => ({
  thought: thought.trim(),
  moves: [],
  problems: [problem],
});
