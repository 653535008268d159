import { Unanswered } from './unanswered.ts';

describe('what is not answered', () => {
  const MOST_MS = 30_000;
  let unanswered: Unanswered;
  beforeEach(() => (unanswered = new Unanswered()));

  test('waits for its answer, on each connection anew', () => {
    expect(unanswered.wantsAnother(90_000, MOST_MS)).toBe(false);
    unanswered.sent(0);
    unanswered.sent(20_000);
    expect(unanswered.wantsAnother(30_000, MOST_MS)).toBe(false);
    expect(unanswered.wantsAnother(30_001, MOST_MS)).toBe(true);
    unanswered.welcomed();
    unanswered.sent(40_000);
    expect(unanswered.wantsAnother(70_000, MOST_MS)).toBe(false);
    expect(unanswered.isStuck(70_000, 60_000)).toBe(true);
    unanswered.acknowledged(70_000, true);
    expect(unanswered.isStuck(70_000, 60_000)).toBe(false);
    expect(unanswered.wantsAnother(100_001, MOST_MS)).toBe(true);
    unanswered.acknowledged(100_001, false);
    expect(unanswered.wantsAnother(999_999, MOST_MS)).toBe(false);
  });

  test('and was refused does not wait for an answer, at first; refused again, longer and longer', () => {
    const pauses: number[] = [];
    for (let now = 0; pauses.length < 8; now += 1) {
      unanswered.welcomed();
      unanswered.sent(now);
      expect(unanswered.wantsAnother(now, MOST_MS)).toBe(false);
      unanswered.refused(now);
      const refused = now;
      while (!unanswered.wantsAnother(now, MOST_MS)) {
        now += 500;
        unanswered.refused(now);
      }
      pauses.push(now - refused);
    }
    expect(pauses).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    unanswered.acknowledged(300_000, true);
    expect(unanswered.wantsAnother(300_000, MOST_MS)).toBe(false);
    unanswered.refused(300_000);
    expect(unanswered.wantsAnother(300_000, MOST_MS)).toBe(true);
  });

  test('is not refused where nothing was said', () => {
    unanswered.refused(0);
    expect(unanswered.wantsAnother(90_000, MOST_MS)).toBe(false);
    unanswered.sent(0);
    unanswered.acknowledged(1, false);
    unanswered.refused(2);
    expect(unanswered.wantsAnother(90_000, MOST_MS)).toBe(false);
  });
});
