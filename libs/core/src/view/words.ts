import type { Json } from '@pilothouse/contract';

/** Longest result that is shown, in characters; the whole output is in the view of the run. */
const MAX_RESULT = 4_000;

/** A text on one line, of so many characters at most. */
export function oneLine(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}

/** Milliseconds for people: `812 ms`, `3.4 s`, `2 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** An output as a text: words, everything else as JSON in a block of code. */
export function resultText(output: Json): string {
  if (output === null) return '';
  if (typeof output === 'string') return escapeMarkdown(output.slice(0, MAX_RESULT));
  const json = JSON.stringify(output, null, 2);
  const shown = json.length <= MAX_RESULT ? json : `${json.slice(0, MAX_RESULT)}\n…`;
  return `~~~~json\n${shown.replaceAll('~~~~', '~~~\u200b~')}\n~~~~`;
}

/**
 * A text that came from a page or a model, for a component that reads Markdown: no picture is loaded and no link is made by it. What would
 * begin one, or HTML, is broken up by a character of no width.
 */
export const escapeMarkdown = (text: string): string =>
  text
    .replace(/\](?=[([:])/g, ']\u200b')
    .replace(/<(?=[\w/!?])/g, '<\u200b')
    .replace(/(https?|ftp):\/\//gi, '$1:\u200b//')
    .replace(/www\./gi, 'www\u200b.');
