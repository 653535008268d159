import type { ModelPart, ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { NativeExchange } from '@pilothouse/contract/model/native-turn.schema';
import { surfaceTraits } from '../surface/surface-traits.ts';

/* Shortens prompts that do not fit into the context window of a model. Goal, rules and functions are never cut. */

/** Lines that were left out of a prompt. */
export interface Shortening {
  /** Oldest lines of the history, earlier turns with a computer tool, and lines of earlier pages. */
  readonly historyLines: number;
  /** Last lines of the page: elements far from the view, and text. */
  readonly pageLines: number;
}

export interface ShortenedRequest {
  readonly request: ModelRequest;
  readonly shortened: Shortening;
}

/** Lines of the history and of the page that always stay. */
const MIN_HISTORY_LINES = 1;
const MIN_PAGE_LINES = 8;

const viewNames = Object.values(surfaceTraits).map(({ prompt }) => prompt.viewName);

/** Sections of a prompt in the order in which they are cut. `edge`: the end that is cut. */
const cuttableSections = [
  { label: 'history', edge: 'start', keep: MIN_HISTORY_LINES },
  ...viewNames.map((name) => ({ label: `previous ${name}`, edge: 'end', keep: 0 }) as const),
  { label: 'changes', edge: 'end', keep: 0 },
  ...viewNames.map((name) => ({ label: name, edge: 'end', keep: MIN_PAGE_LINES }) as const),
] as const;

/** Bytes of an earlier turn with a computer tool, without its screenshot. */
export const exchangeBytes = ({ turn, results }: NativeExchange): number =>
  Buffer.byteLength(JSON.stringify(turn.blocks)) +
  results.reduce((total, { id, name, text }) => total + Buffer.byteLength(`${id}${name}${text}`), 0);

/**
 * Cuts a request by a number of bytes: first the oldest turns with a computer tool, then the oldest lines of the history, then earlier
 * pages, then the end of the page.
 * @returns null: the parts that may be cut are too small
 */
export function shortenRequest(request: ModelRequest, excessBytes: number): ShortenedRequest | null {
  let remainingBytes = excessBytes;
  const shortened = { historyLines: 0, pageLines: 0 };
  const exchanges = [...(request.computer?.exchanges ?? [])];
  while (remainingBytes > 0) {
    const oldest = exchanges.shift();
    if (!oldest) break;
    remainingBytes -= exchangeBytes(oldest);
    shortened.historyLines += 1;
  }
  const shortenText = (text: string): string => {
    const delimiter = delimiterOf(text);
    if (delimiter === null) return text;
    let result = text;
    for (const { label, edge, keep } of cuttableSections) {
      if (remainingBytes <= 0) break;
      const cut = cutSection(result, `${label} ${delimiter}`, edge, keep, remainingBytes);
      if (!cut) continue;
      remainingBytes -= Buffer.byteLength(result) - Buffer.byteLength(cut.text);
      result = cut.text;
      if (viewNames.some((name) => name === label)) shortened.pageLines += cut.lines;
      else shortened.historyLines += cut.lines;
    }
    return result;
  };
  const shortenPart = (part: ModelPart): ModelPart => ('text' in part ? { text: shortenText(part.text) } : part);
  const messages = request.messages.map(({ role, parts }) => ({ role, parts: parts.map(shortenPart) }));
  if (remainingBytes > 0) return null;
  const computer = request.computer && { ...request.computer, exchanges };
  return { request: { ...request, messages, ...(computer && { computer }) }, shortened };
}

/** Keeps the last lines of the history. @param maxChars characters of a line */
export function withShortHistory(request: ModelRequest, lines: number, maxChars: number): ModelRequest {
  const shortenText = (text: string): string => {
    const section = sectionOf(text, `history ${delimiterOf(text) ?? ''}`);
    if (!section) return text;
    const allLines = text.slice(section.start, section.end).split('\n');
    const remaining = allLines
      .slice(-lines)
      .map((line) => (line.length > maxChars ? `${line.slice(0, maxChars)}…` : line));
    const head = allLines.length > lines ? [leftOut(allLines.length - lines)] : [];
    return `${text.slice(0, section.start)}${[...head, ...remaining].join('\n')}${text.slice(section.end)}`;
  };
  const messages = request.messages.map(({ role, parts }) => ({
    role,
    parts: parts.map((part): ModelPart => ('text' in part ? { text: shortenText(part.text) } : part)),
  }));
  return { ...request, messages };
}

const leftOut = (lines: number) => `… ${lines} lines left out`;

/** Delimiter of untrusted content, from the last end marker. Content cannot contain it. */
function delimiterOf(text: string): string | null {
  const start = text.lastIndexOf('\n>>>');
  if (start < 0) return null;
  const lineEnd = text.indexOf('\n', start + 1);
  const marker = text.slice(start + 4, lineEnd < 0 ? undefined : lineEnd);
  const space = marker.lastIndexOf(' ');
  return space < 0 ? null : marker.slice(space + 1);
}

/** Position of the content of a section; null: the text does not have it. @param name label and delimiter */
function sectionOf(text: string, name: string): { start: number; end: number } | null {
  const open = `<<<${name}\n`;
  const start = text.indexOf(open);
  const end = start < 0 ? -1 : text.indexOf(`\n>>>${name}`, start);
  return end < 0 ? null : { start: start + open.length, end };
}

/** Removes whole lines from one end of a section. @returns null: there is nothing to remove */
function cutSection(
  text: string,
  name: string,
  edge: 'start' | 'end',
  keep: number,
  bytes: number,
): { text: string; lines: number } | null {
  const section = sectionOf(text, name);
  if (!section) return null;
  const lines = text.slice(section.start, section.end).split('\n');
  let cutBytes = -Buffer.byteLength(leftOut(lines.length)) - 1;
  let cutLines = 0;
  while (cutBytes < bytes && lines.length - cutLines > keep) {
    const line = lines[edge === 'start' ? cutLines : lines.length - 1 - cutLines] ?? '';
    cutBytes += Buffer.byteLength(line) + 1;
    cutLines += 1;
  }
  if (cutLines === 0) return null;
  const remaining = edge === 'start' ? lines.slice(cutLines) : lines.slice(0, lines.length - cutLines);
  const shortLines = edge === 'start' ? [leftOut(cutLines), ...remaining] : [...remaining, leftOut(cutLines)];
  return { text: `${text.slice(0, section.start)}${shortLines.join('\n')}${text.slice(section.end)}`, lines: cutLines };
}
