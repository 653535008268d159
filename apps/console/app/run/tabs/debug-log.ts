import type { ConsoleLine, Har } from '@pilothouse/contract';
import type { RunArtifact } from '../run-state.ts';

/** A request of a page, as the list has it. Sizes in bytes, times in milliseconds; -1: not known. */
export interface NetworkRow {
  at: string;
  method: string;
  url: string;
  /** 0: there was no answer, `words` says why. */
  status: number;
  statusText: string;
  type: string;
  size: number;
  ms: number;
}

/** What a page shows of a trace; `more` is how many it does not. */
export type DebugLog =
  { kind: 'console'; rows: ConsoleLine[]; more: number } | { kind: 'network'; rows: NetworkRow[]; more: number };

/** Rows that are shown of one trace: the last of a console, the first of the network. */
export const MAX_ROWS = 1000;

/** Which trace a file is; undefined: none that is shown as rows. */
export const debugLogKind = ({ kind, name }: Pick<RunArtifact, 'kind' | 'name'>): DebugLog['kind'] | undefined =>
  kind !== 'trace'
    ? undefined
    : /^console-\d+\.jsonl$/.test(name)
      ? 'console'
      : /\.har$/.test(name)
        ? 'network'
        : undefined;

/** Reads a trace as its worker wrote it. @throws SyntaxError when it is none */
export function parseDebugLog(kind: DebugLog['kind'], text: string): DebugLog {
  if (kind === 'console') {
    const lines = text.split('\n').filter((line) => line !== '');
    // The last line may say how many lines the worker left out.
    const { leftOut = 0 } = JSON.parse(lines.at(-1) ?? '{}') as { leftOut?: number };
    if (leftOut > 0) lines.pop();
    const rows = lines.slice(-MAX_ROWS).map((line) => JSON.parse(line) as ConsoleLine);
    return { kind, rows, more: lines.length - rows.length + leftOut };
  }
  const { entries } = (JSON.parse(text) as Har).log;
  const rows = entries.slice(0, MAX_ROWS).map(({ startedDateTime, time, request, response }) => ({
    at: startedDateTime,
    method: request.method,
    url: request.url,
    status: response.status,
    statusText: response.statusText,
    type: response.content.mimeType.split(';')[0] ?? '',
    size: response.content.size,
    ms: time,
  }));
  return { kind, rows, more: entries.length - rows.length };
}
