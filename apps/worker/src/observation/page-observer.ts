import type { ErrorCode } from '@pilothouse/contract/errors/error-codes';
import { toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import type { ObservationLevel } from '@pilothouse/contract/actions/extraction.schema';
import { listChanged } from '@pilothouse/core/agent/page-queries';
import type { ActionScope } from '../actions/action-scope.ts';
import { readSurface } from '../actions/surface-reads.ts';

/** Milliseconds for one observation, for loading a document, and for the page to become stable. */
const OBSERVE_TIMEOUT_MS = 10_000;
const LOAD_TIMEOUT_MS = 5_000;
const STABLE_TIMEOUT_MS = 2_000;
/** Milliseconds for a loading screen, or an animation. */
const BUSY_TIMEOUT_MS = 5_000;
/** Milliseconds between two observations of a page that may still change. */
const RETRY_DELAY_MS = 30;
/** Milliseconds for which the element list has to stay the same before a model sees it. `RESTING_MS` suffices without pending activity. */
export const STABLE_MS = 60;
const RESTING_MS = 20;

/** Errors of a page that is changing. */
const transientErrors: ReadonlySet<ErrorCode> = new Set([
  'TARGET_NOT_FOUND',
  'TARGET_NOT_ACTIONABLE',
  'NAVIGATION_FAILED',
  'STEP_TIMED_OUT',
]);

export type ObserveScope = Pick<ActionScope, 'surface' | 'signal' | 'clock' | 'timers' | 'log'>;

const observeOnce = (level: ObservationLevel, scope: ObserveScope): Promise<Observation> =>
  readSurface(scope.clock.monotonic() + OBSERVE_TIMEOUT_MS, scope, (context) =>
    scope.surface.observe({ level }, context),
  );

const delay = ({ timers, signal }: ObserveScope, ms = RETRY_DELAY_MS) => timers.delay(ms, signal);

/** Observes the page, and retries while it is changing. @throws as `Surface.observe`; the abort reason */
export async function observeWithRetry(level: ObservationLevel, scope: ObserveScope): Promise<Observation> {
  const { clock, signal } = scope;
  const deadline = clock.monotonic() + LOAD_TIMEOUT_MS;
  for (;;) {
    try {
      return await observeOnce(level, scope);
    } catch (thrown) {
      signal.throwIfAborted();
      if (clock.monotonic() >= deadline || !transientErrors.has(toPilothouseError(thrown).code)) throw thrown;
    }
    await delay(scope);
  }
}

/** True if the page shows options to choose from. */
const hasOptions = ({ elements }: Observation) => elements.some(({ tags }) => tags.includes('option'));

/** Waits until nothing pending can change the page, or for the given time. @returns true if nothing is pending */
async function waitUntilResting(ms: number, scope: ObserveScope): Promise<boolean> {
  const { clock, surface } = scope;
  const end = clock.monotonic() + ms;
  if (await readSurface(end, scope, (context) => surface.waitUntilIdle(RESTING_MS, context))) return true;
  await delay(scope, Math.max(0, end - clock.monotonic()));
  return false;
}

/**
 * Observes the page once it is loaded and its element list is stable. Returns a page that never becomes stable as it is.
 * @param stableMs milliseconds without a change; 0: the first observation counts. Longer times wait for suggestions: once these appear,
 * `STABLE_MS` applies
 * @param onUnstable called once with the first observation if the page is not stable yet
 * @param isKnownBusy true if an earlier wait for the loading screen of this page timed out
 * @throws as `Surface.observe`; the abort reason
 */
export async function observeStablePage(
  level: ObservationLevel,
  stableMs: number,
  scope: ObserveScope,
  onUnstable?: (page: Observation) => void,
  isKnownBusy: (page: Observation) => boolean = () => false,
): Promise<Observation> {
  const { clock } = scope;
  const startedAtMs = clock.monotonic();
  const isWithin = (ms: number) => clock.monotonic() < startedAtMs + ms;
  let previous: Observation | undefined;
  let since = startedAtMs;
  /** True if nothing was pending when the next observation began. */
  let isResting = false;
  let notify = onUnstable;
  for (;;) {
    const next = await observeWithRetry(level, scope);
    const neededMs = hasOptions(next) ? Math.min(stableMs, STABLE_MS) : stableMs;
    const isSame = previous !== undefined && previous.url === next.url && !listChanged(previous, next);
    if (!isSame) since = clock.monotonic();
    const remainingMs = neededMs - (clock.monotonic() - since);
    const isLoading =
      (next.loading && isWithin(LOAD_TIMEOUT_MS)) ||
      (next.busy === true && !isKnownBusy(next) && isWithin(BUSY_TIMEOUT_MS));
    if (!isLoading && (remainingMs <= 0 || (isSame && isResting) || !isWithin(STABLE_TIMEOUT_MS))) return next;
    previous = next;
    if (!isLoading) notify = void notify?.(next);
    if (isLoading || neededMs > STABLE_MS) await delay(scope);
    else isResting = await waitUntilResting(remainingMs, scope);
  }
}
