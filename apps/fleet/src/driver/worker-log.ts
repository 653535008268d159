import type { Readable } from 'node:stream';
import type { Log } from '@pilothouse/core';

/** Longest line that is kept, in characters: a worker opens hostile pages, and what it prints is not ours. */
const longest = 8_192;

/** Calls back with each line of a stream; a longer one is cut, and its rest dropped. */
export function readLines(stream: Readable, listener: (line: string) => void): void {
  let rest = '';
  let cut = false;
  const flush = () => {
    if (rest.trim() && !cut) listener(rest);
    rest = '';
  };
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lines = text.split('\n');
    lines.forEach((part, index) => {
      rest += part;
      if (rest.length > longest) {
        rest = rest.slice(0, longest);
        flush();
        cut = true;
      }
      if (index === lines.length - 1) return;
      flush();
      cut = false;
    });
  });
  stream.on('end', flush);
  stream.on('error', () => undefined);
}

const levels = new Map<unknown, keyof Log>([
  [20, 'debug'],
  [30, 'info'],
  [40, 'warn'],
  [50, 'error'],
  [60, 'error'],
]);

/** Passes a line of a worker on, under the worker's name. A line that is already a log line (JSON) keeps its level and facts. */
export function forwardLogLine(log: Log, worker: string, line: string): void {
  const { level, msg, time: _time, pid: _pid, hostname: _hostname, ...facts } = parsed(line);
  const known = levels.get(level);
  if (known && typeof msg === 'string') log[known]({ ...facts, worker }, `${worker}: ${msg}`);
  else log.info({ worker }, `${worker}: ${line}`);
}

function parsed(line: string): Record<string, unknown> {
  if (!line.startsWith('{')) return {};
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return {};
  }
}
