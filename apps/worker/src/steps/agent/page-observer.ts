import { toPilothouseError, type ErrorCode, type Observation, type ObservationLevel } from '@pilothouse/contract';
import { listChanged, systemTimers } from '@pilothouse/core';
import type { ActionScope } from '../../actions/run-action.ts';
import { readSurface } from '../../actions/surface-reads.ts';

/** Milliseconds for one look, for a document that is on its way, and for a page to stand still. */
const LOOK_MS = 10_000;
const LOAD_MS = 5_000;
const STILL_MS = 2_000;
/** Milliseconds for a loading screen, or what comes or goes. */
const BUSY_MS = 5_000;
/** Milliseconds between two looks at a page that may still change. */
const AGAIN_MS = 30;
/** Milliseconds for which a list has to stay the same before it is shown to a model, and those that do when nothing is under way that could change it. */
export const STABLE_MS = 60;
const RESTING_MS = 20;

/** What a page that is just changing may answer. */
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

/** One look, or as many as it takes while the page is just changing. @throws as `Surface.observe`; the reason of `halt` */
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

/** Whether it offers something to choose from. */
const offers = ({ elements }: Observation) => elements.some(({ tags: marks }) => marks.includes('option'));

/** Waits, sooner only until nothing is under way that could change the page. @returns whether it is so */
async function stood(ms: number, { clock, signal, log, surface }: LookParts): Promise<boolean> {
  const end = clock.monotonic() + ms;
  if (await readSurface(end, { clock, signal, log }, (context) => surface.rests(RESTING_MS, context))) return true;
  await again(signal, Math.max(0, end - clock.monotonic()));
  return false;
}

/**
 * Looks at the page once it is there: loaded, and its list the same for a while. A page that never stands still is taken as it is.
 * @param stillMs milliseconds for which nothing may have changed; 0: the first look counts. What it is waited for longer are suggestions:
 * once there are some, `STABLE_MS` will do
 * @param meanwhile called once with what is there when the page has to stand still first
 * @param isPatient whether a loading screen of this page was waited for in vain before
 * @throws as `Surface.observe`; the reason of `halt`
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
  /** Whether nothing was under way when the next look began. */
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
