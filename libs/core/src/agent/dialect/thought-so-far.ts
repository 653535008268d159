import { splitThoughtAndAction } from './thought-action.ts';

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
