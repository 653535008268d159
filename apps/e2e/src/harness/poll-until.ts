import { setTimeout as pause } from 'node:timers/promises';

/**
 * Asks again and again until there is an answer, i.e. anything but undefined, null or false.
 * @param what completes the sentence "It did not happen in time: ..."
 */
export async function until<Answer>(
  what: string,
  probe: () => Answer | undefined | null | false | Promise<Answer | undefined | null | false>,
  ms = 60_000,
  everyMs = 20,
): Promise<Answer> {
  const deadline = performance.now() + ms;
  for (;;) {
    const answer = await probe();
    if (answer !== undefined && answer !== null && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`It did not happen within ${ms / 1000} s: ${what}`);
    await pause(everyMs, undefined, { signal: AbortSignal.timeout(ms + 1000) });
  }
}
