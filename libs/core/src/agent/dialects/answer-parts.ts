import type { ModelCall } from '@pilothouse/contract';
import type { PlannedAction, ParsedAnswer } from '../agent-protocol.ts';
import { type PlannedActionOrProblem, parseSubGoals, parseToolCall, planAction } from '../tools/tool-schemas.ts';
import { parseGeminiCall } from './gemini.dialect.ts';
import type { AnswerContext } from '../tools/action-arguments.ts';

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

/** The two halves of `Thought: ... Action: ...`, kept apart. */
export interface ThoughtAndAction {
  readonly thought: string;
  readonly action: string;
}

/** @returns null for a text that has no action */
export function splitThoughtAndAction(text: string): ThoughtAndAction | null {
  const at = text.lastIndexOf('Action:');
  if (at < 0 || (at > 0 && !/[\s.]/.test(text[at - 1] ?? ''))) return null;
  const before = text.slice(0, at);
  const from = before.indexOf('Thought:');
  return {
    thought: (from < 0 ? before : before.slice(from + 'Thought:'.length)).trim(),
    action: text.slice(at + 7).trim(),
  };
}

/** The thought of an answer that is not whole yet, as far as it can be told: '' where the text is an action, or begins with one. */
export function partialThought(text: string): string {
  const thought = splitThoughtAndAction(text)?.thought ?? text.replace(/^\s*Thought:/, '');
  return /^\s*[[{`<]/.test(thought) ? '' : thought.trim();
}

/** The reason (`why`) in an answer of a form that is not whole yet: of a plan, of a verdict. '' where there is none so far. */
export function partialReason(text: string): string {
  const [, said = ''] = /"why"\s*:\s*"((?:[^"\\]|\\(?:u[\da-fA-F]{4}|[^u]))*)/.exec(text) ?? [];
  try {
    return (JSON.parse(`"${said}"`) as string).trim();
  } catch {
    return '';
  }
}

/** What a browser is called. */
const browsers =
  /^(?:the )?(?:(?:web|internet) ?)?(?:browser|(?:google ?)?chrome|chromium|(?:mozilla ?)?firefox|safari|(?:microsoft ?)?edge)(?: ?browser)?$/i;

/** What is an address, or the beginning of one. */
const address = /^(?:https?:\/\/\S+|[\w-]+(?:\.[\w-]+)+(?:[/:]\S*)?)$/i;

/**
 * To open an app, or to bring it to front, where all there is are the tabs of a browser: the tab that has this title or address. The browser
 * itself is in front already.
 */
export function openApp(action: string, name: string | undefined): PlannedActionOrProblem {
  const app = name?.trim() ?? '';
  if (app === '') return { kind: 'problem', problem: `${action}: say which` };
  if (browsers.test(app)) return planAction({ action: 'wait', seconds: 0 });
  return planAction({ action: 'switchTab', ...(address.test(app) ? { url: app } : { title: app }) });
}
