/* Reasoning that servers return as a part of the text. */

const REASONING_TAGS = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['[THINK]', '[/THINK]'],
] as const;

/**
 * Removes reasoning. A block without an end is the whole answer. A block without a start begins with the answer: chat templates write the
 * start into the prompt.
 */
export function withoutReasoning(text: string): string {
  return REASONING_TAGS.reduce((rest, [open, close]) => withoutBlocks(rest, open, close), text);
}

/** Removes only the block at the start of an answer. A tag in the rest may be text that the model quotes. */
export function withoutFirstReasoning(answer: string): string {
  const text = answer.trimStart();
  const tags = REASONING_TAGS.find(([open]) => text.startsWith(open));
  const end = tags ? text.indexOf(tags[1]) : -1;
  return tags && end >= 0 ? text.slice(end + tags[1].length) : text;
}

function withoutBlocks(text: string, open: string, close: string): string {
  const firstEnd = text.indexOf(close);
  const firstStart = text.indexOf(open);
  const hasHiddenStart = firstEnd >= 0 && (firstStart < 0 || firstEnd < firstStart);
  let result = '';
  let position = hasHiddenStart ? firstEnd + close.length : 0;
  for (;;) {
    const start = text.indexOf(open, position);
    if (start < 0) return result + text.slice(position);
    result += text.slice(position, start);
    const end = text.indexOf(close, start);
    if (end < 0) return result;
    position = end + close.length;
  }
}
