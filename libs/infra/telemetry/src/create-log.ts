import { inspect } from 'node:util';
import pino from 'pino';
import type { Log } from '@pilothouse/core';
import { maskText, redactLogFields } from './redact-log.ts';

const COLORS: Record<string, number> = { debug: 90, info: 36, warn: 33, error: 31 };

/**
 * A log line (JSON, as pino writes it) for people: time of day, level, name, message, then the facts.
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
  const { stack, ...rest } = flattened(facts);
  const told = Object.entries(rest).map(([key, value]) => paint(90, `${key}=`) + shown(value));
  const trace = typeof stack === 'string' ? `\n${paint(90, stack.replaceAll(/^/gm, '    '))}` : '';
  return `${[...head, String(message), ...told].join(' ')}${trace}\n`;
}

/** The stack of an error goes below the line; the rest of it stays among the facts. */
function flattened(facts: Record<string, unknown>): Record<string, unknown> {
  const flat: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(facts)) {
    if (typeof value === 'object' && value !== null && 'stack' in value && 'message' in value) {
      flat[key] = value.message;
      flat.stack = value.stack;
    } else flat[key] = value;
  }
  return flat;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
  return inspect(value, { breakLength: Infinity, compact: true, depth: 4, maxStringLength: 500 });
}

export interface LogOptions {
  /** Which part of the house speaks, e.g. `api`. */
  readonly name: string;
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** `json`: one object a line, for machines; `pretty`: for people. */
  readonly format: 'json' | 'pretty';
  /** With `pretty`. */
  readonly color?: boolean;
  /** Takes the lines, each with its line break (default: the standard output). */
  readonly write?: (line: string) => void;
}

/** The log of a process. Values of names that say secret are masked, at any depth; so are tokens and passwords of URLs in texts. */
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
  const at = (severity: 'debug' | 'info' | 'warn' | 'error') => (facts: object, message: string) => {
    // Masking costs more than writing: not for lines that nobody sees.
    if (!logger.isLevelEnabled(severity)) return;
    logger[severity](factsOf(facts), maskText(message));
    if (severity === 'warn' || severity === 'error') flush();
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

const ofEveryLine = ['level', 'time', 'name', 'message'];

/** Facts never take the place of what every line has. */
function factsOf(facts: object): object {
  const redacted = redactLogFields(facts) as Record<string, unknown>;
  if (!ofEveryLine.some((key) => key in redacted)) return redacted;
  const { level, time, name, message, ...rest } = redacted;
  const taken = Object.entries({ level, time, name, message }).filter(([, value]) => value !== undefined);
  return { ...rest, ...Object.fromEntries(taken.map(([key, value]) => [`fact_${key}`, value])) };
}

/**
 * The standard output. Lines of one turn of the event loop are one write: of a worker that has many short runs a write for each line took as long
 * as a tenth of its runs. What a process that is killed may not have written is of its last turn, and neither a warning nor an error.
 */
class StandardOutput {
  private readonly destination = pino.destination({ dest: 1, sync: true });
  private waiting = '';

  constructor() {
    // Whoever read our output has gone: there is nobody left to tell.
    this.destination.on('error', () => undefined);
    process.on('exit', this.flush);
  }

  readonly write = (line: string): void => {
    if (this.waiting === '') setImmediate(this.flush);
    this.waiting += line;
  };

  readonly flush = (): void => {
    if (this.waiting === '') return;
    const lines = this.waiting;
    this.waiting = '';
    this.destination.write(lines);
  };
}

const standardOutput = new StandardOutput();
