import type { SlotLoss } from '@pilothouse/core/ports/surface.port';
import type { Timer, Timers } from '@pilothouse/core/time/timers';

/** Milliseconds in which a lost slot can come back, for example after its container restarted. */
export const MAX_SLOT_LOSS_MS = 180_000;

export interface SlotLossWatchOptions {
  readonly slotLoss: SlotLoss;
  readonly timers: Timers;
  /** Called after each change. */
  onChange(): void;
  /** Called once, when at least one slot was lost for the whole time. @param count slots that are lost now */
  onLimit(count: number): void;
}

/**
 * Watches the slots of a worker. The controller counts all slots of a worker as capacity, so a worker whose slots stay lost must end: only
 * then is it replaced.
 */
export class SlotLossWatch {
  readonly #options: SlotLossWatchOptions;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(options: SlotLossWatchOptions) {
    this.#options = options;
    options.slotLoss.onChange(() => {
      this.#update();
      options.onChange();
    });
    this.#update();
  }

  stop(): void {
    this.#isStopped = true;
    this.#clear();
  }

  #update(): void {
    const { slotLoss, timers, onLimit } = this.#options;
    if (slotLoss.count() === 0) return this.#clear();
    if (this.#isStopped) return;
    this.#timer ??= timers.setTimeout(() => {
      this.#isStopped = true;
      onLimit(slotLoss.count());
    }, MAX_SLOT_LOSS_MS);
  }

  #clear(): void {
    this.#options.timers.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
