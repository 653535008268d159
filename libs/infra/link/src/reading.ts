import type { Clock } from '@pilothouse/core';

/** Both clocks at one instant, in milliseconds. */
export interface ClockSample {
  readonly monotonic: number;
  readonly wall: number;
}

export const sampleClock = (clock: Clock): ClockSample => ({
  monotonic: clock.monotonic(),
  wall: clock.now().getTime(),
});

/**
 * Milliseconds since a reading, by the clock that advanced more: the monotonic one stands still while a machine sleeps, the
 * wall clock may be set back.
 */
export function elapsedSince(then: ClockSample, clock: Clock): number {
  const now = sampleClock(clock);
  return Math.max(now.monotonic - then.monotonic, now.wall - then.wall);
}
