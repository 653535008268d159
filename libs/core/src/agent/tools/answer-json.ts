import { parseLooseJson, readLooseValue } from '../../model/loose-json.ts';
import { withoutReasoning } from '../../model/reasoning-text.ts';
import { readTaggedCalls } from './tagged-calls.ts';

/*
 * JSON in the answers of models that cannot call functions: bare, in code fences, in the tags of chat templates, with doubled braces, after
 * reasoning. Each text is scanned once, so that its time is linear.
 */

/** Longest text that is parsed, in characters. */
const MAX_TEXT_CHARS = 100_000;

/** JSON of an answer, and the text around it. */
export interface AnswerJson {
  /** Parsed values, in order. */
  readonly values: readonly unknown[];
  /** Text before the first value. */
  readonly lead: string;
}

/** Reads the JSON of an answer. @returns null: it has none that is complete */
export function readAnswerJson(answer: string): AnswerJson | null {
  const bounded = answer.slice(0, MAX_TEXT_CHARS).trim();
  const plain = readPlainJson(bounded);
  if (plain) return plain;
  const text = withoutMarker(withoutReasoning(bounded).trim());
  const tagged = readTaggedCalls(text);
  if (tagged) return { values: tagged.calls, lead: tagged.lead };
  const blocks = blocksBetween(text, '<tool_call>', '</tool_call>') ?? blocksBetween(text, '```', '```');
  if (blocks) {
    const values = blocks.bodies.flatMap((body) => parseValues(withoutLanguage(body)) ?? []);
    if (values.length > 0) return { values, lead: blocks.lead };
  }
  const start = valueStart(text);
  const values = start === null ? null : parseValues(text.slice(start));
  return start === null || values === null || values.length === 0
    ? null
    : { values, lead: text.slice(0, start).trim() };
}

/** Reads an answer that ends with JSON. Tags inside of its strings are text, e.g. of a page. @returns null: another answer */
function readPlainJson(text: string): AnswerJson | null {
  const start = valueStart(text);
  if (start === null) return null;
  const [lead, rest] = [text.slice(0, start).trim(), text.slice(start)];
  const value = lead === withoutReasoning(lead) && !hasTags(lead) ? parseStrictJson(rest) : undefined;
  return value === undefined ? null : { values: [value], lead };
}

/** True if a text has calls in tags or code fences, which `readAnswerJson` reads. */
const hasTags = (text: string): boolean => text.includes('```') || text.includes('<') || text.includes('[');

/** Tokens before a call that some servers return as text. */
const MARKERS = ['[TOOL_CALLS]', '<|python_tag|>', '<|tool_call|>', 'functools'];

/** Removes the token before a list or an object of calls. */
function withoutMarker(text: string): string {
  const marker = MARKERS.find((each) => text.startsWith(each));
  const rest = marker === undefined ? text : text.slice(marker.length).trimStart();
  return rest.startsWith('{') || rest.startsWith('[') ? rest : text;
}

/** Texts between delimiters; the last one may have no end. null: there is no delimiter */
function blocksBetween(text: string, open: string, close: string): { bodies: string[]; lead: string } | null {
  const first = text.indexOf(open);
  if (first < 0) return null;
  const bodies: string[] = [];
  for (let start = first; start >= 0;) {
    const end = text.indexOf(close, start + open.length);
    bodies.push(text.slice(start + open.length, end < 0 ? undefined : end));
    start = end < 0 ? -1 : text.indexOf(open, end + close.length);
  }
  return { bodies, lead: text.slice(0, first).trim() };
}

/** Removes the language in the first line of a code fence. */
function withoutLanguage(body: string): string {
  const trimmed = body.trim();
  return trimmed.slice(0, 4).toLowerCase() === 'json' ? trimmed.slice(4) : trimmed;
}

/** Position of an object or a list at the start of a line; null: there is none. */
function valueStart(text: string): number | null {
  for (let lineStart = 0; lineStart >= 0 && lineStart < text.length;) {
    let position = lineStart;
    while (text[position] === ' ' || text[position] === '\t') position += 1;
    if (text[position] === '{' || text[position] === '[') return position;
    const lineEnd = text.indexOf('\n', position);
    lineStart = lineEnd < 0 ? -1 : lineEnd + 1;
  }
  return null;
}

/** Parses one or several JSON values. Text after them is ignored. @returns null: the first one is not complete */
function parseValues(givenText: string): unknown[] | null {
  const text = givenText.trim();
  const whole = parseJson(text) ?? (text.startsWith('{{') ? parseJson(withSingleBraces(text)) : undefined);
  if (whole !== undefined) return [whole];
  const values: unknown[] = [];
  for (let position = 0; text[position] === '{' || text[position] === '[';) {
    const read = readLooseValue(text, position);
    if (!read) break;
    values.push(read.value);
    position = read.end;
    while (position < text.length && ' \t\r\n,;'.includes(text[position] ?? '')) position += 1;
  }
  return values.length > 0 ? values : null;
}

const parseJson = (text: string): unknown => parseStrictJson(text) ?? parseLooseJson(text);

/** @returns undefined: the text is not an object or a list in JSON */
function parseStrictJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Calls back for each character outside of strings. @returns where the callback returned true */
function scanOutsideStrings(text: string, start: number, visit: (char: string, position: number) => boolean) {
  let isInString = false;
  for (let position = start; position < text.length; position += 1) {
    const char = text[position] ?? '';
    if (isInString) {
      if (char === '\\') position += 1;
      else if (char === '"') isInString = false;
    } else if (char === '"') isInString = true;
    else if (visit(char, position)) return position;
  }
  return null;
}

/** Replaces the doubled braces of prompt templates, which some models copy, by single ones. Strings stay as they are. */
function withSingleBraces(text: string): string {
  const widths: number[] = [];
  const skipped = new Set<number>();
  scanOutsideStrings(text, 0, (char, position) => {
    if (skipped.has(position)) return false;
    const isDoubled = text[position + 1] === char;
    if (char === '{') widths.push(isDoubled ? 2 : 1);
    const width = char === '{' ? (widths.at(-1) ?? 1) : char === '}' ? (widths.pop() ?? 1) : 1;
    if (width === 2 && isDoubled) skipped.add(position + 1);
    return false;
  });
  return Array.from({ length: text.length }, (_, position) =>
    skipped.has(position) ? '' : text.charAt(position),
  ).join('');
}

/** Text of a string field of JSON that may be cut off after it; null: it is missing or incomplete. Linear time. */
export function completeField(text: string, field: string): string | null {
  const key = `"${field}"`;
  const start = text.indexOf(key);
  if (start < 0) return null;
  let position = start + key.length;
  while (' \t\r\n:'.includes(text[position] ?? '.')) position += 1;
  if (text[position] !== '"') return null;
  for (let end = position + 1; end < text.length; end += 1) {
    if (text[end] === '\\') end += 1;
    else if (text[end] === '"') return parseString(text.slice(position, end + 1));
  }
  return null;
}

function parseString(text: string): string | null {
  try {
    return JSON.parse(text) as string;
  } catch {
    return null;
  }
}
