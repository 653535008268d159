import { toPilothouseError, type ErrorCode, type Observation, type ObservationLevel } from '@pilothouse/contract';
import { listChanged, systemTimers } from '@pilothouse/core';
import type { ActionScope } from '../../actions/action-scope.ts';
import { readSurface } from '../../actions/surface-reads.ts';

/** Milliseconds for one observation, for loading a document, and for the page to become stable. */
const LOOK_MS = 10_000;
const LOAD_MS = 5_000;
const STILL_MS = 2_000;
/** Milliseconds for a loading screen, or an animation. */
const BUSY_MS = 5_000;
/** Milliseconds between two observations of a page that may still change. */
const AGAIN_MS = 30;
/** Milliseconds for which the element list has to stay the same before a model sees it. `RESTING_MS` suffices without pending activity. */
export const STABLE_MS = 60;
const RESTING_MS = 20;

/** Errors of a page that is changing. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'TARGET_NOT_FOUND',
  'TARGET_NOT_ACTIONABLE',
  'NAVIGATION_FAILED',
  'STEP_TIMED_OUT',
]);

type LookParts = Pick<ActionScope, 'surface' | 'signal' | 'clock' | 'log'>;

const once = (level: ObservationLevel, parts: LookParts): Promise<Observation> =>
  readSurface(parts.clock.monotonic() + LOOK_MS, parts, (context) => parts.surface.observe({ level }, context));

const again = (signal: AbortSignal, ms = AGAIN_MS) => systemTimers.delay(ms, signal);

/** Observes the page, and retries while it is changing. @throws as `Surface.observe`; the abort reason */
export async function observeWithRetry(level: ObservationLevel, parts: LookParts): Promise<Observation> {
  const { clock, signal } = parts;
  const until = clock.monotonic() + LOAD_MS;
  for (;;) {
    try {
      return await once(level, parts);
    } catch (thrown) {
      signal.throwIfAborted();
      if (clock.monotonic() >= until || !passing.has(toPilothouseError(thrown).code)) throw thrown;
    }
    await again(signal);
  }
}

/** True if the page shows options to choose from. */
const offers = ({ elements }: Observation) => elements.some(({ tags: marks }) => marks.includes('option'));

/** Waits until nothing pending can change the page, or for the given time. @returns true if nothing is pending */
async function stood(ms: number, { clock, signal, log, surface }: LookParts): Promise<boolean> {
  const end = clock.monotonic() + ms;
  if (await readSurface(end, { clock, signal, log }, (context) => surface.rests(RESTING_MS, context))) return true;
  await again(signal, Math.max(0, end - clock.monotonic()));
  return false;
}

/**
 * Observes the page once it is loaded and its element list is stable. Returns a page that never becomes stable as it is.
 * @param stillMs milliseconds without a change; 0: the first observation counts. Longer times wait for suggestions: once these appear,
 * `STABLE_MS` applies
 * @param meanwhile called once with the first observation if the page is not stable yet
 * @param isPatient true if an earlier wait for the loading screen of this page timed out
 * @throws as `Surface.observe`; the abort reason
 */
export async function observeStablePage(
  level: ObservationLevel,
  stillMs: number,
  parts: LookParts,
  meanwhile?: (seen: Observation) => void,
  isPatient: (seen: Observation) => boolean = () => false,
): Promise<Observation> {
  const { clock, signal } = parts;
  const began = clock.monotonic();
  const until = (ms: number) => clock.monotonic() < began + ms;
  let seen: Observation | undefined;
  let since = began;
  /** True if nothing was pending when the next observation began. */
  let isResting = false;
  let tell = meanwhile;
  for (;;) {
    const next = await observeWithRetry(level, parts);
    const neededMs = offers(next) ? Math.min(stillMs, STABLE_MS) : stillMs;
    const isSame = seen !== undefined && seen.url === next.url && !listChanged(seen, next);
    if (!isSame) since = clock.monotonic();
    const leftMs = neededMs - (clock.monotonic() - since);
    const isLoading = (next.loading && until(LOAD_MS)) || (next.busy === true && !isPatient(next) && until(BUSY_MS));
    if (!isLoading && (leftMs <= 0 || (isSame && isResting) || !until(STILL_MS))) return next;
    seen = next;
    if (!isLoading) tell = void tell?.(next);
    if (isLoading || neededMs > STABLE_MS) await again(signal);
    else isResting = await stood(leftMs, parts);
  }
}
