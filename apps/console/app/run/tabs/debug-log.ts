import type { ConsoleLine, Har } from '@pilothouse/contract';
import type { RunArtifact } from '../run-state.ts';

/** One network request. Sizes in bytes, times in milliseconds; -1: unknown. */
export interface NetworkRow {
  at: string;
  method: string;
  url: string;
  /** 0: no response, see `statusText`. */
  status: number;
  statusText: string;
  type: string;
  size: number;
  ms: number;
}

/** Rows of a log. `more` counts the rows that are not included. */
export type DebugLog =
  { kind: 'console'; rows: ConsoleLine[]; more: number } | { kind: 'network'; rows: NetworkRow[]; more: number };

/** Maximum number of rows: the last ones of a console log, the first ones of a network log. */
export const MAX_ROWS = 1000;

/** Kind of log that an artifact contains; undefined: not a log. */
export const debugLogKind = ({ kind, name }: Pick<RunArtifact, 'kind' | 'name'>): DebugLog['kind'] | undefined =>
  kind !== 'trace'
    ? undefined
    : /^console-\d+\.jsonl$/.test(name)
      ? 'console'
      : /\.har$/.test(name)
        ? 'network'
        : undefined;

/** Parses a log as workers write it. @throws SyntaxError if the text is invalid */
export function parseDebugLog(kind: DebugLog['kind'], text: string): DebugLog {
  if (kind === 'console') {
    const lines = text.split('\n').filter((line) => line !== '');
    // The last line may contain the number of omitted lines.
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
