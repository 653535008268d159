import type { Hint } from '@pilothouse/infra-db';

/** Milliseconds in which the slots that were filled are counted: as many runs are admitted before their slots are free. */
const PACE_MS = 50;

/** Slots filled in that time below which nothing is admitted ahead: the wait for an admission is nothing beside such runs. */
const BRISK = 4;

/** Milliseconds that an admitted run waits here for a slot; then any replica may have it. */
export const AHEAD_MS = 250;

/**
 * Runs of one fleet that were admitted before a slot was free for them. A slot that becomes free takes the next at once, where it would
 * wait for a commit otherwise; only as many as the slots here take while such a commit is under way.
 */
export class Ahead {
  /** In their fair order. */
  private readonly waiting: { hint: Hint; since: number }[] = [];
  private since = -Infinity;
  private count = 0;
  private before = 0;

  /** Runs that wait here. */
  get size(): number {
    return this.waiting.length;
  }

  /** Runs to admit ahead now. @param now milliseconds on the monotonic clock */
  room(now: number): number {
    this.roll(now);
    const pace = Math.max(this.before, this.count);
    return pace < BRISK ? 0 : Math.max(0, pace - this.waiting.length);
  }

  /** Whether less than half of what should wait does. @param now milliseconds on the monotonic clock */
  isShort(now: number): boolean {
    return this.room(now) > this.waiting.length;
  }

  /** Slots were filled. @param now milliseconds on the monotonic clock */
  filled(slots: number, now: number): void {
    this.roll(now);
    this.count += slots;
  }

  add(hints: readonly Hint[], now: number): void {
    this.waiting.push(...hints.map((hint) => ({ hint, since: now })));
  }

  /** The next one; undefined when none waits. */
  peek(): Hint | undefined {
    return this.waiting[0]?.hint;
  }

  shift(): void {
    this.waiting.shift();
  }

  /** Takes those out that came before a moment. */
  olderThan(moment: number): Hint[] {
    const young = this.waiting.findIndex(({ since }) => since > moment);
    return this.waiting.splice(0, young < 0 ? this.waiting.length : young).map(({ hint }) => hint);
  }

  private roll(now: number): void {
    if (now - this.since < PACE_MS) return;
    this.before = now - this.since < 2 * PACE_MS ? this.count : 0;
    this.count = 0;
    this.since = now;
  }
}
