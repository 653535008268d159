import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { AttemptLease, sampleClock } from './attempt-lease.ts';

/** A clock whose monotonic and wall time can diverge. */
class SkewedClock implements Clock {
  mono = 1_000;
  wall = 1_700_000_000_000;
  now = () => new Date(this.wall);
  monotonic = () => this.mono;
}

describe('a lease', () => {
  let clock: SkewedClock;
  let lease: AttemptLease;

  beforeEach(() => {
    clock = new SkewedClock();
    lease = new AttemptLease({ clock, limitMs: 60_000 });
  });
  afterEach(() => lease.close());

  test('is not held before the first acknowledged renewal', () => {
    expect(() => lease.assertHeld()).toThrow(expect.objectContaining({ code: 'LEASE_LOST' }));
  });

  test('counts from the sending, not from the acknowledgement', () => {
    const sentAt = sampleClock(clock);
    clock.mono += 900;
    clock.wall += 900;
    lease.onRenewed(sentAt, 1_000);
    lease.assertHeld();
    clock.mono += 101;
    expect(() => lease.assertHeld()).toThrow(expect.objectContaining({ code: 'LEASE_LOST' }));
  });

  test.each([
    ['the monotonic clock stopped during sleep', 0, 5_000],
    ['the wall clock was set back', 5_000, -60_000],
  ])('uses the clock that advanced more: %s', (_, mono, wall) => {
    lease.onRenewed(sampleClock(clock), 1_000);
    clock.mono += mono;
    clock.wall += wall;
    expect(() => lease.assertHeld()).toThrow(expect.objectContaining({ code: 'LEASE_LOST' }));
  });

  test('is not renewed by a late acknowledgement', () => {
    const sentAt = sampleClock(clock);
    clock.mono += 2_000;
    lease.onRenewed(sentAt, 1_000);
    expect(() => lease.assertHeld()).toThrow(expect.objectContaining({ code: 'LEASE_LOST' }));
  });

  test('is not shortened by an older acknowledgement', () => {
    const olderSample = sampleClock(clock);
    clock.mono += 500;
    lease.onRenewed(sampleClock(clock), 1_000);
    lease.onRenewed(olderSample, 1_000);
    clock.mono += 800;
    lease.assertHeld();
  });

  test('aborts its actions when a check finds it lapsed', async () => {
    lease.onRenewed(sampleClock(clock), 1_000);
    const heldSignal = await lease.waitUntilHeld(AbortSignal.timeout(1_000));
    clock.wall += 60_000;
    expect(() => lease.assertHeld()).toThrow();
    expect(heldSignal.aborted).toBe(true);
  });

  test('waits until it is held, it ends, or the signal aborts', async () => {
    const waiting = lease.waitUntilHeld(AbortSignal.timeout(1_000));
    lease.onRenewed(sampleClock(clock), 1_000);
    expect((await waiting).aborted).toBe(false);
    clock.mono += 2_000;
    const abort = new AbortController();
    const aborted = lease.waitUntilHeld(abort.signal);
    abort.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    const endedWait = lease.waitUntilHeld(new AbortController().signal);
    lease.end(new PilothouseError('RUN_CANCELLED', 'cancelled'));
    await expect(endedWait).rejects.toMatchObject({ code: 'RUN_CANCELLED' });
    lease.onRenewed(sampleClock(clock), 1_000);
    expect(() => lease.assertHeld()).toThrow(expect.objectContaining({ code: 'RUN_CANCELLED' }));
  });
});
