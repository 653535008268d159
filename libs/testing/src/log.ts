import type { Log } from '@pilothouse/core';

/** A log that keeps its lines, for specs that look at them; silent otherwise. */
export function memoryLog(): Log & { lines: { level: string; message: string; facts: object }[] } {
  const lines: { level: string; message: string; facts: object }[] = [];
  const at = (level: string) => (facts: object, message: string) => void lines.push({ level, message, facts });
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
