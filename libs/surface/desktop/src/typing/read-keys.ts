import { comesToRest } from '../process/program-family.ts';
import type { Session } from '../process/start-session.ts';
import type { WindowFacts } from '../x/window-manager.ts';

/** Milliseconds between two looks at a window that may have closed. */
const LOOK_INTERVAL_MS = 100;

/** Milliseconds for a program to come to rest. After `MAX_MISSED_RESTS` timeouts in a row, the short limit applies. */
const REST_TIMEOUT_MS = 1_000;
const MAX_MISSED_RESTS = 2;
const SHORT_REST_TIMEOUT_MS = 10;

/** Consecutive timeouts of `waitForRest`, by process id. null: the process is not part of this session. */
const missedRests = new Map<number, number | null>();

/**
 * Waits until the program of a window rests, as after the command of a key. After two timeouts in a row, it waits at most 10 ms.
 * @returns false if it has not rested in time, or its process is unknown
 */
export async function waitForRest(
  { timers, processes }: { readonly timers: Session['timers']; readonly processes: Pick<Session['processes'], 'pids'> },
  { pid }: Pick<WindowFacts, 'pid'>,
  timeoutMs: number,
): Promise<boolean> {
  if (pid === null || timeoutMs <= 0) return false;
  // The window reports this id and may report a wrong one. Only processes of the session are trusted.
  if (!missedRests.has(pid)) missedRests.set(pid, (await processes.pids()).includes(pid) ? 0 : null);
  const missed = missedRests.get(pid) ?? null;
  if (missed === null) return false;
  const limitMs = missed < MAX_MISSED_RESTS ? REST_TIMEOUT_MS : SHORT_REST_TIMEOUT_MS;
  const hasRested = await comesToRest(pid, timers, Math.min(limitMs, timeoutMs));
  if (hasRested) missedRests.set(pid, 0);
  else if (timeoutMs >= limitMs) missedRests.set(pid, missed + 1);
  return hasRested;
}

/**
 * Waits until a window has taken all keys that were sent so far from its queue. Then waits up to one second for its program to rest. The
 * commands of the keys have then probably run; this is no proof.
 * @returns false if it has not taken them in time; null if it answers no pings, or has closed
 */
export async function hasReadKeys(
  session: Pick<Session, 'ping' | 'timers' | 'processes'>,
  window: Pick<WindowFacts, 'id' | 'pid'>,
  timeoutMs: number,
): Promise<boolean | null> {
  const { ping, timers } = session;
  if (!(await ping.isSupportedBy(window.id))) return null;
  const endsAt = timers.monotonic() + timeoutMs;
  const answer = ping.send(window.id, timeoutMs);
  for (;;) {
    const isRead = await Promise.race([answer, timers.delay(LOOK_INTERVAL_MS).then(() => null)]);
    if (isRead === true) {
      await waitForRest(session, window, endsAt - timers.monotonic());
      return true;
    }
    // A closed window never answers.
    if (!(await ping.isSupportedBy(window.id))) return null;
    if (isRead === false || timers.monotonic() >= endsAt) return false;
  }
}
