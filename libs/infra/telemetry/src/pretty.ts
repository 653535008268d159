import { inspect } from 'node:util';

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
