import type { ConsoleLine, Har } from '@pilothouse/contract';
import type { StoryFile } from '../run-state.ts';

/** A request of a page, as the list has it. Sizes in bytes, times in milliseconds; -1: not known. */
export interface NetworkRow {
  at: string;
  method: string;
  url: string;
  /** 0: there was no answer, `words` says why. */
  status: number;
  words: string;
  type: string;
  size: number;
  ms: number;
}

/** What a page shows of a trace; `more` is how many it does not. */
export type Trace =
  { kind: 'console'; rows: ConsoleLine[]; more: number } | { kind: 'network'; rows: NetworkRow[]; more: number };

/** Rows that are shown of one trace: the last of a console, the first of the network. */
export const mostRows = 1000;

/** Which trace a file is; undefined: none that is shown as rows. */
export const traceKind = ({ kind, name }: Pick<StoryFile, 'kind' | 'name'>): Trace['kind'] | undefined =>
  kind !== 'trace'
    ? undefined
    : /^console-\d+\.jsonl$/.test(name)
      ? 'console'
      : /\.har$/.test(name)
        ? 'network'
        : undefined;

/** Reads a trace as its worker wrote it. @throws SyntaxError when it is none */
export function traceOf(kind: Trace['kind'], text: string): Trace {
  if (kind === 'console') {
    const lines = text.split('\n').filter((line) => line !== '');
    // The last line may say how many lines the worker left out.
    const { leftOut = 0 } = JSON.parse(lines.at(-1) ?? '{}') as { leftOut?: number };
    if (leftOut > 0) lines.pop();
    const rows = lines.slice(-mostRows).map((line) => JSON.parse(line) as ConsoleLine);
    return { kind, rows, more: lines.length - rows.length + leftOut };
  }
  const { entries } = (JSON.parse(text) as Har).log;
  const rows = entries.slice(0, mostRows).map(({ startedDateTime, time, request, response }) => ({
    at: startedDateTime,
    method: request.method,
    url: request.url,
    status: response.status,
    words: response.statusText,
    type: response.content.mimeType.split(';')[0] ?? '',
    size: response.content.size,
    ms: time,
  }));
  return { kind, rows, more: entries.length - rows.length };
}
