import type { Log } from '@pilothouse/core/ports/runtime.port';
import { setTimeout as pause } from 'node:timers/promises';

/** A log that stores its lines and prints nothing. */
export function memoryLog(): Log & { lines: { level: string; message: string; facts: object }[] } {
  const lines: { level: string; message: string; facts: object }[] = [];
  const logAt = (level: string) => (facts: object, message: string) => void lines.push({ level, message, facts });
  return { lines, debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') };
}

/**
 * Polls until the result is something other than false, null or undefined.
 * @throws Error with `description` after `ms`
 */
export async function until<Result>(
  description: string,
  probe: () => Promise<Result | false | null | undefined> | Result | false | null | undefined,
  ms = 30_000,
): Promise<Result> {
  const deadline = performance.now() + ms;
  for (;;) {
    const answer = await probe();
    if (answer !== false && answer !== null && answer !== undefined) return answer;
    if (performance.now() > deadline) throw new Error(`Not within ${ms} ms: ${description}`);
    await pause(15);
  }
}
