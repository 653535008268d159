import { systemTimers, type Timer, type Timers } from '@pilothouse/core';
/**
 * Hands each item on when it has waited so many milliseconds, or up to a quarter longer: one timer serves all that wait, where a timer for each
 * would cost more than what most of them wait for.
 */
export class DelayQueue<Item> {
  private waiting: { readonly item: Item; readonly due: number }[] = [];
  private readonly ms: number;
  private readonly onDue: (item: Item) => void;
  private readonly timers: Timers;
  private timer: Timer | undefined;

  constructor(ms: number, onDue: (item: Item) => void, timers: Timers = systemTimers) {
    this.timers = timers;
    this.ms = ms;
    this.onDue = onDue;
  }

  add(item: Item): void {
    this.waiting.push({ item, due: this.timers.monotonic() + this.ms });
    this.timer ??= this.wake(this.ms);
  }

  private wake(ms: number): Timer {
    return this.timers.setTimeout(() => this.runDue(), ms).unref();
  }

  private runDue(): void {
    const now = this.timers.monotonic();
    // Timers may come a fraction of a millisecond early.
    const first = this.waiting.findIndex(({ due }) => due > now + 1);
    const due = first === -1 ? this.waiting.splice(0) : this.waiting.splice(0, first);
    const [next] = this.waiting;
    this.timer = next && this.wake(Math.max(next.due - now, this.ms / 4));
    for (const { item } of due) this.onDue(item);
  }
}
