import { inspect } from 'node:util';
import pino from 'pino';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { maskText, redactLogFields } from './redact-log.ts';

const COLORS: Record<string, number> = { debug: 90, info: 36, warn: 33, error: 31 };

/**
 * Formats a JSON log line of pino for a terminal: time of day, level, name, message, fields.
 * @param color with ANSI colors
 */
export function formatPrettyLine(line: string, color: boolean): string {
  const { level, time, name, message, ...facts } = JSON.parse(line) as Record<string, unknown>;
  const paint = (code: number, text: string) => (color ? `\u001b[${code}m${text}\u001b[0m` : text);
  const word = String(level);
  const head = [
    paint(90, String(time).slice(11, 23)),
    paint(COLORS[word] ?? 0, word.padEnd(5)),
    paint(90, String(name).padEnd(7)),
  ];
  const { stack, ...rest } = flattenErrors(facts);
  const fields = Object.entries(rest).map(([key, value]) => paint(90, `${key}=`) + formatValue(value));
  const trace = typeof stack === 'string' ? `\n${paint(90, stack.replaceAll(/^/gm, '    '))}` : '';
  return `${[...head, String(message), ...fields].join(' ')}${trace}\n`;
}

/** Replaces an error by its message and moves its stack to the field `stack`. */
function flattenErrors(facts: Record<string, unknown>): Record<string, unknown> {
  const flat: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(facts)) {
    if (typeof value === 'object' && value !== null && 'stack' in value && 'message' in value) {
      flat[key] = value.message;
      flat.stack = value.stack;
    } else flat[key] = value;
  }
  return flat;
}

function formatValue(value: unknown): string {
  if (typeof value === 'string') return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
  return inspect(value, { breakLength: Infinity, compact: true, depth: 4, maxStringLength: 500 });
}

export interface LogOptions {
  /** Name of the component, e.g. `api`. */
  readonly name: string;
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** `json`: one object a line, for machines; `pretty`: for people. */
  readonly format: 'json' | 'pretty';
  /** Uses ANSI colors. Only for `pretty`. */
  readonly color?: boolean;
  /** Receives each line with its line break. Default: standard output. */
  readonly write?: (line: string) => void;
}

/** Creates the log of a process. Masks fields with secret names at any depth, and tokens and URL passwords in texts. */
export function createLog({ name, level, format, color = false, write }: LogOptions): Log {
  const { write: out, flush } = write ? { write, flush: () => undefined } : standardOutput;
  const logger = pino(
    {
      name,
      level,
      base: { name },
      messageKey: 'message',
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: format === 'json' ? out : (line: string) => out(formatPrettyLine(line, color)) },
  );
  const logAt = (severity: 'debug' | 'info' | 'warn' | 'error') => (facts: object, message: string) => {
    // Masking costs more than writing, so disabled levels are skipped first.
    if (!logger.isLevelEnabled(severity)) return;
    logger[severity](logFields(facts), maskText(message));
    if (severity === 'warn' || severity === 'error') flush();
  };
  return { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') };
}

const RESERVED_FIELDS = ['level', 'time', 'name', 'message'];

/** Renames fields that collide with the standard fields of a line. */
function logFields(facts: object): object {
  const redacted = redactLogFields(facts) as Record<string, unknown>;
  if (!RESERVED_FIELDS.some((key) => key in redacted)) return redacted;
  const { level, time, name, message, ...rest } = redacted;
  const reserved = Object.entries({ level, time, name, message }).filter(([, value]) => value !== undefined);
  return { ...rest, ...Object.fromEntries(reserved.map(([key, value]) => [`fact_${key}`, value])) };
}

/**
 * Standard output with one write per event loop turn. A write per line cost a worker with many short runs a tenth of its time.
 * A killed process loses at most the debug and info lines of its last turn.
 */
class StandardOutput {
  private readonly destination = pino.destination({ dest: 1, sync: true });
  private buffer = '';

  constructor() {
    // The reader of the output has exited. There is no other place to report it.
    this.destination.on('error', () => undefined);
    process.on('exit', this.flush);
  }

  readonly write = (line: string): void => {
    if (this.buffer === '') setImmediate(this.flush);
    this.buffer += line;
  };

  readonly flush = (): void => {
    if (this.buffer === '') return;
    const lines = this.buffer;
    this.buffer = '';
    this.destination.write(lines);
  };
}

const standardOutput = new StandardOutput();
