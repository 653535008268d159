import { setTimeout as pause } from 'node:timers/promises';

/**
 * Polls until there is a result, i.e. anything but undefined, null or false.
 * @param description completes the sentence "Condition not met: ..."
 */
export async function until<Result>(
  description: string,
  probe: () => Result | undefined | null | false | Promise<Result | undefined | null | false>,
  ms = 60_000,
  intervalMs = 20,
): Promise<Result> {
  const deadline = performance.now() + ms;
  for (;;) {
    const result = await probe();
    if (result !== undefined && result !== null && result !== false) return result;
    if (performance.now() > deadline) throw new Error(`Condition not met within ${ms / 1000} s: ${description}`);
    await pause(intervalMs, undefined, { signal: AbortSignal.timeout(ms + 1000) });
  }
}
