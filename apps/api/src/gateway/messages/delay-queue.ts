import { systemTimers, type Timer, type Timers } from '@pilothouse/core/time/timers';

/** Passes each item on after `ms`, or up to a quarter later. One timer serves all items, because a timer for each would cost more. */
export class DelayQueue<Item> {
  private waiting: { readonly item: Item; readonly dueMs: number }[] = [];
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
    this.waiting.push({ item, dueMs: this.timers.monotonic() + this.ms });
    this.timer ??= this.schedule(this.ms);
  }

  private schedule(ms: number): Timer {
    return this.timers.setTimeout(() => this.runDue(), ms).unref();
  }

  private runDue(): void {
    const now = this.timers.monotonic();
    // A timer may fire a fraction of a millisecond early.
    const firstWaiting = this.waiting.findIndex(({ dueMs }) => dueMs > now + 1);
    const dueItems = this.waiting.splice(0, firstWaiting === -1 ? this.waiting.length : firstWaiting);
    const [next] = this.waiting;
    this.timer = next && this.schedule(Math.max(next.dueMs - now, this.ms / 4));
    for (const { item } of dueItems) this.onDue(item);
  }
}
