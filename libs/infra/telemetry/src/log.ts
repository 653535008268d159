import pino from 'pino';
import type { Log } from '@pilothouse/core';
import { prettyLine } from './pretty.ts';
import { maskText, redact } from './redact.ts';

export interface LogOptions {
  /** Which part of the house speaks, e.g. `api`. */
  readonly name: string;
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** `json`: one object a line, for machines; `pretty`: for people. */
  readonly format: 'json' | 'pretty';
  /** With `pretty`. */
  readonly color?: boolean;
  /** Takes the lines, each with its line break (default: the standard output, written at once so that a crash loses none). */
  readonly write?: (line: string) => void;
}

/** The log of a process. Values of names that say secret are masked, at any depth; so are tokens and passwords of URLs in texts. */
export function createLog({ name, level, format, color = false, write }: LogOptions): Log {
  const out = write ?? lineWriter();
  const logger = pino(
    {
      name,
      level,
      base: { name },
      messageKey: 'message',
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: format === 'json' ? out : (line: string) => out(prettyLine(line, color)) },
  );
  const at = (severity: 'debug' | 'info' | 'warn' | 'error') => (facts: object, message: string) => {
    // Masking costs more than writing: not for lines that nobody sees.
    if (logger.isLevelEnabled(severity)) logger[severity](factsOf(facts), maskText(message));
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Facts never take the place of what every line has. */
function factsOf(facts: object): object {
  const redacted = redact(facts) as Record<string, unknown>;
  const { level, time, name, message, ...rest } = redacted;
  const taken = Object.entries({ level, time, name, message }).filter(([, value]) => value !== undefined);
  return { ...rest, ...Object.fromEntries(taken.map(([key, value]) => [`fact_${key}`, value])) };
}

function lineWriter(): (line: string) => void {
  const destination = pino.destination({ dest: 1, sync: true });
  // Whoever read our output has gone: there is nobody left to tell.
  destination.on('error', () => undefined);
  return (line) => {
    destination.write(line);
  };
}
