/** Texts one after the other, with the way back and on again. */
export interface History {
  past: readonly string[];
  text: string;
  future: readonly string[];
  /** What the last change was about and when, in milliseconds: the next letter of the same word is no change of its own. */
  last: { field: string; at: number } | null;
}

/** Changes that can be taken back. */
const MAX_UNDO_STEPS = 200;

/** Milliseconds within which changes of the same thing are one. */
const GROUP_MS = 1000;

export const createHistory = (text: string): History => ({ past: [], text, future: [], last: null });

/** @param about what is changed, where letter follows letter; nothing for what is a change of its own */
export function change(history: History, text: string, now: number, field?: string): History {
  if (text === history.text) return history;
  const { past, last } = history;
  const isSame = field !== undefined && last?.field === field && now - last.at < GROUP_MS;
  return {
    past: isSame ? past : [...past, history.text].slice(-MAX_UNDO_STEPS),
    text,
    future: [],
    last: field === undefined ? null : { field, at: now },
  };
}

export function undo(history: History): History {
  const text = history.past.at(-1);
  if (text === undefined) return history;
  return { past: history.past.slice(0, -1), text, future: [history.text, ...history.future], last: null };
}

export function redo(history: History): History {
  const [text, ...future] = history.future;
  if (text === undefined) return history;
  return { past: [...history.past, history.text], text, future, last: null };
}
