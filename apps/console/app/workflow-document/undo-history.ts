/** History of a text with undo and redo. */
export interface History {
  past: readonly string[];
  text: string;
  future: readonly string[];
  /** Field and time (ms) of the last change. Fast changes of one field are grouped. */
  last: { field: string; changedAt: number } | null;
}

const MAX_UNDO_STEPS = 200;

/** Milliseconds in which changes of one field are grouped. */
const GROUP_MS = 1000;

export const createHistory = (text: string): History => ({ past: [], text, future: [], last: null });

/** @param field field whose fast changes are grouped; omitted: the change is not grouped */
export function change(history: History, text: string, now: number, field?: string): History {
  if (text === history.text) return history;
  const { past, last } = history;
  const isSame = field !== undefined && last?.field === field && now - last.changedAt < GROUP_MS;
  return {
    past: isSame ? past : [...past, history.text].slice(-MAX_UNDO_STEPS),
    text,
    future: [],
    last: field === undefined ? null : { field, changedAt: now },
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
