import { thoughtAndAction } from './thought-action.ts';

/** The thought of an answer that is not whole yet, as far as it can be told: '' where the text is an action, or begins with one. */
export function thoughtSoFar(text: string): string {
  const thought = thoughtAndAction(text)?.thought ?? text.replace(/^\s*Thought:/, '');
  return /^\s*[[{`<]/.test(thought) ? '' : thought.trim();
}
