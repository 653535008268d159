import { AckWatchdog } from './ack-watchdog.ts';

describe('an unacknowledged message', () => {
  const MAX_WAIT_MS = 30_000;
  let watchdog: AckWatchdog;
  beforeEach(() => (watchdog = new AckWatchdog()));

  test('waits for its acknowledgement, again on each connection', () => {
    expect(watchdog.shouldReconnect(90_000, MAX_WAIT_MS)).toBe(false);
    watchdog.onSent(0);
    watchdog.onSent(20_000);
    expect(watchdog.shouldReconnect(30_000, MAX_WAIT_MS)).toBe(false);
    expect(watchdog.shouldReconnect(30_001, MAX_WAIT_MS)).toBe(true);
    watchdog.onReconnect();
    watchdog.onSent(40_000);
    expect(watchdog.shouldReconnect(70_000, MAX_WAIT_MS)).toBe(false);
    expect(watchdog.isExpired(70_000, 60_000)).toBe(true);
    watchdog.onAck(70_000, true);
    expect(watchdog.isExpired(70_000, 60_000)).toBe(false);
    expect(watchdog.shouldReconnect(100_001, MAX_WAIT_MS)).toBe(true);
    watchdog.onAck(100_001, false);
    expect(watchdog.shouldReconnect(999_999, MAX_WAIT_MS)).toBe(false);
  });

  test('does not wait after a first refusal, and waits longer after each further one', () => {
    const pauses: number[] = [];
    for (let now = 0; pauses.length < 8; now += 1) {
      watchdog.onReconnect();
      watchdog.onSent(now);
      expect(watchdog.shouldReconnect(now, MAX_WAIT_MS)).toBe(false);
      watchdog.onRefused(now);
      const refusedAt = now;
      while (!watchdog.shouldReconnect(now, MAX_WAIT_MS)) {
        now += 500;
        watchdog.onRefused(now);
      }
      pauses.push(now - refusedAt);
    }
    expect(pauses).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    watchdog.onAck(300_000, true);
    expect(watchdog.shouldReconnect(300_000, MAX_WAIT_MS)).toBe(false);
    watchdog.onRefused(300_000);
    expect(watchdog.shouldReconnect(300_000, MAX_WAIT_MS)).toBe(true);
  });

  test('is not refused when none was sent', () => {
    watchdog.onRefused(0);
    expect(watchdog.shouldReconnect(90_000, MAX_WAIT_MS)).toBe(false);
    watchdog.onSent(0);
    watchdog.onAck(1, false);
    watchdog.onRefused(2);
    expect(watchdog.shouldReconnect(90_000, MAX_WAIT_MS)).toBe(false);
  });
});
