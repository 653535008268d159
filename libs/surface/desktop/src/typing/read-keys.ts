import { comesToRest } from '../process/program-family.ts';
import type { Session } from '../process/start-session.ts';
import type { WindowFacts } from '../x/window-manager.ts';

/** Milliseconds between two looks at a window that may have closed. */
const LOOK_INTERVAL_MS = 100;

/** Milliseconds for a program to run the command of a key. Some programs never rest. */
const REST_TIMEOUT_MS = 500;

/**
 * Waits until a window has read all keys that were sent so far, and its program has run their commands. An application that is busy reads them later, and the next input must not
 * overtake their effect.
 * @returns false if it has not read them in time; null if it confirms no keys, or has closed
 */
export async function hasReadKeys(
  { ping, timers }: Pick<Session, 'ping' | 'timers'>,
  { id: windowId, pid }: Pick<WindowFacts, 'id' | 'pid'>,
  timeoutMs: number,
): Promise<boolean | null> {
  if (!(await ping.isSupportedBy(windowId))) return null;
  const endsAt = timers.monotonic() + timeoutMs;
  const answer = ping.send(windowId, timeoutMs);
  for (;;) {
    const isRead = await Promise.race([answer, timers.delay(LOOK_INTERVAL_MS).then(() => null)]);
    if (isRead === true) {
      if (pid !== null) await comesToRest(pid, timers, Math.min(REST_TIMEOUT_MS, endsAt - timers.monotonic()));
      return true;
    }
    // A closed window never answers.
    if (!(await ping.isSupportedBy(windowId))) return null;
    if (isRead === false || timers.monotonic() >= endsAt) return false;
  }
}
