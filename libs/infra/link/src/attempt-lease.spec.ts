import { PilothouseError } from '@pilothouse/contract';
import type { Clock } from '@pilothouse/core';
import { AttemptLease, sampleClock } from './attempt-lease.ts';

/** A clock whose monotonic and wall time can diverge. */
class TwoHands implements Clock {
  mono = 1_000;
  wall = 1_700_000_000_000;
  now = () => new Date(this.wall);
  monotonic = () => this.mono;
}

describe('a lease', () => {
  let clock: TwoHands;
  let lease: AttemptLease;

  beforeEach(() => {
    clock = new TwoHands();
    lease = new AttemptLease({ clock, limitMs: 60_000 });
  });
  afterEach(() => lease.close());

  test('is not held before the first acknowledged renewal', () => {
    expect(() => lease.assertHeld()).toThrow(expect.objectContaining({ code: 'LEASE_LOST' }));
  });

  test('counts from the sending, not from the acknowledgement', () => {
    const sent = sampleClock(clock);
    clock.mono += 900;
    clock.wall += 900;
    lease.onRenewed(sent, 1_000);
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
    const sent = sampleClock(clock);
    clock.mono += 2_000;
    lease.onRenewed(sent, 1_000);
    expect(() => lease.assertHeld()).toThrow(expect.objectContaining({ code: 'LEASE_LOST' }));
  });

  test('is not shortened by an older acknowledgement', () => {
    const older = sampleClock(clock);
    clock.mono += 500;
    lease.onRenewed(sampleClock(clock), 1_000);
    lease.onRenewed(older, 1_000);
    clock.mono += 800;
    lease.assertHeld();
  });

  test('aborts its actions when a check finds it lapsed', async () => {
    lease.onRenewed(sampleClock(clock), 1_000);
    const holding = await lease.waitUntilHeld(AbortSignal.timeout(1_000));
    clock.wall += 60_000;
    expect(() => lease.assertHeld()).toThrow();
    expect(holding.aborted).toBe(true);
  });

  test('waits until it is held, it ends, or the signal aborts', async () => {
    const waiting = lease.waitUntilHeld(AbortSignal.timeout(1_000));
    lease.onRenewed(sampleClock(clock), 1_000);
    expect((await waiting).aborted).toBe(false);
    clock.mono += 2_000;
    const off = new AbortController();
    const given = lease.waitUntilHeld(off.signal);
    off.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    const ended = lease.waitUntilHeld(new AbortController().signal);
    lease.end(new PilothouseError('RUN_CANCELLED', 'cancelled'));
    await expect(ended).rejects.toMatchObject({ code: 'RUN_CANCELLED' });
    lease.onRenewed(sampleClock(clock), 1_000);
    expect(() => lease.assertHeld()).toThrow(expect.objectContaining({ code: 'RUN_CANCELLED' }));
  });
});
