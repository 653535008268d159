import { setTimeout as pause } from 'node:timers/promises';
import { toPilothouseError, type ErrorCode, type Observation, type ObservationLevel } from '@pilothouse/contract';
import { listChanged } from '@pilothouse/core';
import { look, type ActParts } from '../act.ts';

/** Milliseconds for one look, for a document that is on its way, and for a page to stand still. */
const LOOK_MS = 10_000;
const LOAD_MS = 5_000;
const STILL_MS = 2_000;
/** Milliseconds between two looks at a page that may still change. */
const AGAIN_MS = 30;
/** Milliseconds for which a list has to stay the same before it is shown to a model. */
export const STEADY_MS = 60;

/** What a page that is just changing may answer. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'TARGET_NOT_FOUND',
  'TARGET_NOT_READY',
  'NAVIGATION_FAILED',
  'STEP_TIMED_OUT',
]);

type LookParts = Pick<ActParts, 'surface' | 'halt' | 'clock' | 'log'>;

const once = (level: ObservationLevel, parts: LookParts): Promise<Observation> =>
  look(parts.clock.monotonic() + LOOK_MS, parts, (context) => parts.surface.observe({ level }, context));

const again = (halt: AbortSignal, ms = AGAIN_MS) =>
  pause(ms, undefined, { signal: halt }).catch(() => halt.throwIfAborted());

/** One look, or as many as it takes while the page is just changing. @throws as `Surface.observe`; the reason of `halt` */
export async function observe(level: ObservationLevel, parts: LookParts): Promise<Observation> {
  const { clock, halt } = parts;
  const until = clock.monotonic() + LOAD_MS;
  for (;;) {
    try {
      return await once(level, parts);
    } catch (thrown) {
      halt.throwIfAborted();
      if (clock.monotonic() >= until || !passing.has(toPilothouseError(thrown).code)) throw thrown;
    }
    await again(halt);
  }
}

/** Whether it offers something to choose from. */
const offers = ({ elements }: Observation) => elements.some(({ marks }) => marks.includes('option'));

/**
 * Looks at the page once it is there: loaded, and its list the same for a while. A page that never stands still is taken as it is.
 * @param stillMs milliseconds for which nothing may have changed; 0: the first look counts. What it is waited for longer are suggestions:
 * once there are some, `STEADY_MS` will do
 * @throws as `Surface.observe`; the reason of `halt`
 */
export async function see(level: ObservationLevel, stillMs: number, parts: LookParts): Promise<Observation> {
  const { clock, halt } = parts;
  const began = clock.monotonic();
  const until = (ms: number) => clock.monotonic() < began + ms;
  let seen: Observation | undefined;
  let since = began;
  for (;;) {
    const next = await observe(level, parts);
    const neededMs = offers(next) ? Math.min(stillMs, STEADY_MS) : stillMs;
    if (!seen || seen.url !== next.url || listChanged(seen, next)) since = clock.monotonic();
    const leftMs = neededMs - (clock.monotonic() - since);
    const isLoading = next.loading && until(LOAD_MS);
    if (!isLoading && (leftMs <= 0 || !until(STILL_MS))) return next;
    seen = next;
    // A look costs about as much as a short wait: one more at its end tells the same as several.
    await again(halt, !isLoading && neededMs <= STEADY_MS ? leftMs : AGAIN_MS);
  }
}
