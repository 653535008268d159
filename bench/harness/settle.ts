import { setTimeout as pause } from 'node:timers/promises';

/** Waits so long: for the parts to come to rest between two measurements, or as the measurement itself. */
export const rest = (ms: number): Promise<void> =>
  pause(ms, undefined, { signal: AbortSignal.timeout(Math.ceil(ms) + 10_000) });

/** Asks again and again until there is an answer. @throws Error after `ms` */
export async function until<Answer>(
  description: string,
  probe: () => Promise<Answer | undefined | false>,
  ms = 60_000,
  everyMs = 20,
): Promise<Answer> {
  const deadline = performance.now() + ms;
  for (;;) {
    const answer = await probe();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`It did not happen within ${ms / 1000} s: ${description}`);
    await rest(everyMs);
  }
}
