import { setTimeout as pause } from 'node:timers/promises';

/** Waits between two measurements, or for the duration of one. */
export const rest = (ms: number): Promise<void> =>
  pause(ms, undefined, { signal: AbortSignal.timeout(Math.ceil(ms) + 10_000) });

/** Polls until there is a result. @throws Error after `ms` */
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
    if (performance.now() > deadline) throw new Error(`Condition not met within ${ms / 1000} s: ${description}`);
    await rest(everyMs);
  }
}
