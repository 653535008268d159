import pino from 'pino';
import type { Log } from '@pilothouse/core';
import { formatPrettyLine } from './pretty.ts';
import { maskText, redactLogFields } from './redact.ts';

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
