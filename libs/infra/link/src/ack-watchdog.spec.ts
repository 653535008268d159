import { AckWatchdog } from './ack-watchdog.ts';

describe('an unacknowledged message', () => {
  const MOST_MS = 30_000;
  let unanswered: AckWatchdog;
  beforeEach(() => (unanswered = new AckWatchdog()));

  test('waits for its acknowledgement, again on each connection', () => {
    expect(unanswered.shouldReconnect(90_000, MOST_MS)).toBe(false);
    unanswered.onSent(0);
    unanswered.onSent(20_000);
    expect(unanswered.shouldReconnect(30_000, MOST_MS)).toBe(false);
    expect(unanswered.shouldReconnect(30_001, MOST_MS)).toBe(true);
    unanswered.onReconnect();
    unanswered.onSent(40_000);
    expect(unanswered.shouldReconnect(70_000, MOST_MS)).toBe(false);
    expect(unanswered.isExpired(70_000, 60_000)).toBe(true);
    unanswered.onAck(70_000, true);
    expect(unanswered.isExpired(70_000, 60_000)).toBe(false);
    expect(unanswered.shouldReconnect(100_001, MOST_MS)).toBe(true);
    unanswered.onAck(100_001, false);
    expect(unanswered.shouldReconnect(999_999, MOST_MS)).toBe(false);
  });

  test('does not wait after a first refusal, and waits longer after each further one', () => {
    const pauses: number[] = [];
    for (let now = 0; pauses.length < 8; now += 1) {
      unanswered.onReconnect();
      unanswered.onSent(now);
      expect(unanswered.shouldReconnect(now, MOST_MS)).toBe(false);
      unanswered.onRefused(now);
      const refused = now;
      while (!unanswered.shouldReconnect(now, MOST_MS)) {
        now += 500;
        unanswered.onRefused(now);
      }
      pauses.push(now - refused);
    }
    expect(pauses).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    unanswered.onAck(300_000, true);
    expect(unanswered.shouldReconnect(300_000, MOST_MS)).toBe(false);
    unanswered.onRefused(300_000);
    expect(unanswered.shouldReconnect(300_000, MOST_MS)).toBe(true);
  });

  test('is not refused when none was sent', () => {
    unanswered.onRefused(0);
    expect(unanswered.shouldReconnect(90_000, MOST_MS)).toBe(false);
    unanswered.onSent(0);
    unanswered.onAck(1, false);
    unanswered.onRefused(2);
    expect(unanswered.shouldReconnect(90_000, MOST_MS)).toBe(false);
  });
});
