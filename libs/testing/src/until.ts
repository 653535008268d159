import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits for a condition by asking again and again, until it gives something other than false, null or undefined.
 * @throws Error naming `what` after `ms`
 */
export async function until<Result>(
  what: string,
  ask: () => Promise<Result | false | null | undefined> | Result | false | null | undefined,
  ms = 30_000,
): Promise<Result> {
  const deadline = performance.now() + ms;
  for (;;) {
    const answer = await ask();
    if (answer !== false && answer !== null && answer !== undefined) return answer;
    if (performance.now() > deadline) throw new Error(`Not within ${ms} ms: ${what}`);
    await pause(15);
  }
}
