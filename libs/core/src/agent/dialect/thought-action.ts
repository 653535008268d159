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
