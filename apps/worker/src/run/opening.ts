import { toPilothouseError } from '@pilothouse/contract';
import type { Clock, Log, OpenOptions, Surface, SurfaceHost } from '@pilothouse/core';
import type { MetricsBuffer } from '../telemetry/telemetry.ts';
import type { ActionScope } from './act.ts';
import { withDeadline, raceAbort, withTimeout } from './waits.ts';

/** Milliseconds for opening a surface, and for bringing it back to a safe point. */
const OPEN_MS = 30_000;
const RESTORE_MS = 30_000;

interface OpeningParts {
  readonly host: Pick<SurfaceHost, 'open'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts when the attempt is to stop. */
  readonly signal: AbortSignal;
  readonly telemetry: Pick<MetricsBuffer, 'observe'>;
}

/** Opens a surface for an attempt. @throws PilothouseError SURFACE_UNAVAILABLE, or the reason of the signal */
export async function openSurface(
  options: OpenOptions,
  { host, clock, log, signal, telemetry }: OpeningParts,
): Promise<Surface> {
  const began = clock.monotonic();
  const took = (result: 'opened' | 'failed') =>
    telemetry.observe('worker_surface_open_seconds', { result }, clock.monotonic() - began);
  const opening = host.open(options, { signal, deadline: began + OPEN_MS, log });
  opening.catch(() => undefined);
  try {
    const surface = await raceAbort(withTimeout(opening, OPEN_MS), signal);
    took('opened');
    return surface;
  } catch (thrown) {
    // It may still open: then nobody wants it.
    void opening.then((late) => late.close()).catch(() => undefined);
    signal.throwIfAborted();
    took('failed');
    throw toPilothouseError(thrown, 'SURFACE_UNAVAILABLE');
  }
}

/**
 * Brings a new surface back to a safe point, while the lease is held.
 * @throws as `Surface.restore`; the reason of `halt`; PilothouseError LEASE_LOST when the lease ran out meanwhile
 */
export async function restoreSurface(
  state: string,
  { surface, lease, halt, mayAct, clock, log }: ActionScope,
): Promise<void> {
  await lease.waitUntilHeld(halt);
  const guard = () => {
    mayAct();
    lease.assertHeld();
  };
  await withDeadline(RESTORE_MS, halt, (signal) =>
    surface.restore(state, { signal, deadline: clock.monotonic() + RESTORE_MS, log, guard }),
  ).catch((thrown: unknown) => {
    halt.throwIfAborted();
    throw toPilothouseError(thrown, 'NAVIGATION_FAILED');
  });
}
