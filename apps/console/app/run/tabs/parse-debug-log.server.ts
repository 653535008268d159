import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ConsoleLine, Har, HarEntry } from '@pilothouse/contract/run/capture.schema';
import type { DebugLog } from './debug-log.ts';

/** Maximum number of rows: the last ones of a console log, the first ones of a network log. */
export const MAX_ROWS = 1000;

/** Time window of log entries, in milliseconds since 1970. */
export interface TimeWindow {
  start: number;
  end: number;
}

const ALL_TIMES: TimeWindow = { start: -Infinity, end: Infinity };

const isInWindow = (time: string, timeWindow: TimeWindow): boolean => {
  if (timeWindow === ALL_TIMES) return true;
  const { start, end } = timeWindow;
  const ms = Date.parse(time);
  return ms >= start && ms <= end;
};

/**
 * Parses a log as workers write it. A console line that cannot be read, such as the last one of a lost worker, is skipped and counted.
 * @throws PilothouseError CONFLICT if a network log cannot be read
 */
export function parseDebugLog(kind: DebugLog['kind'], text: string, timeWindow = ALL_TIMES): DebugLog {
  return kind === 'console' ? parseConsoleLog(text, timeWindow) : parseNetworkLog(text, timeWindow);
}

function parseConsoleLog(text: string, timeWindow: TimeWindow): DebugLog {
  const lines = text.split('\n').filter((line) => line !== '');
  // The last line may contain the number of omitted lines, whose times are unknown.
  const { leftOut } = parseObject(lines.at(-1) ?? '') ?? {};
  const omitted = typeof leftOut === 'number' ? leftOut : 0;
  if (omitted > 0) lines.pop();
  // Without a time window only the shown lines are parsed.
  const candidates = timeWindow === ALL_TIMES ? lines.slice(-MAX_ROWS) : lines;
  const readable = candidates.map(parseObject).filter(isConsoleLine);
  const inWindow = readable.filter(({ at: time }) => isInWindow(time, timeWindow));
  const rows = inWindow.slice(-MAX_ROWS);
  const hiddenCount = lines.length - candidates.length + inWindow.length - rows.length;
  return { kind: 'console', rows, hiddenCount, omitted, damaged: candidates.length - readable.length, comment: null };
}

function parseNetworkLog(text: string, timeWindow: TimeWindow): DebugLog {
  const { log } = (parseObject(text) ?? {}) as Partial<Har>;
  if (!Array.isArray(log?.entries))
    throw new PilothouseError('CONFLICT', 'The network log is damaged. Download it to read it.');
  const readable = log.entries.filter(isHarEntry);
  const inWindow = readable.filter(({ startedDateTime }) => isInWindow(startedDateTime, timeWindow));
  const rows = inWindow.slice(0, MAX_ROWS).map(({ startedDateTime, time, request, response }) => ({
    startedAt: startedDateTime,
    method: request.method,
    url: request.url,
    status: response.status,
    statusText: response.statusText,
    type: response.content.mimeType.split(';')[0] ?? '',
    size: response.content.size,
    ms: time,
  }));
  const damaged = log.entries.length - readable.length;
  const comment = typeof log.comment === 'string' ? log.comment : null;
  return { kind: 'network', rows, hiddenCount: inWindow.length - rows.length, omitted: 0, damaged, comment };
}

/** Object in a JSON text; undefined: the text contains no object. */
function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Checks the fields of a console row. */
const isConsoleLine = (line: Partial<ConsoleLine> | undefined): line is ConsoleLine =>
  typeof line?.at === 'string' && typeof line.type === 'string' && typeof line.text === 'string';

/** Checks the fields of a network row. */
function isHarEntry(entry: Partial<HarEntry> | null): entry is HarEntry {
  const { startedDateTime, request, response } = entry ?? {};
  return (
    typeof startedDateTime === 'string' &&
    typeof request?.url === 'string' &&
    typeof response?.content?.mimeType === 'string'
  );
}
