import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { MAX_TRIED_LOCATORS, type TriedLocator } from '@pilothouse/contract/events/run.events';
import { systemClock, type Clock } from '../ports/runtime.port.ts';
import { describeLocator } from './step-titles.ts';

/** Last result per locator of a chain, while an element is searched. Bounded, because it is part of an event. */
export class LocatorLog {
  readonly #chain: readonly Locator[];
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #results = new Map<number, Omit<TriedLocator, 'locator'>>();

  constructor(chain: readonly Locator[], clock: Clock = systemClock) {
    this.#chain = chain;
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
  }

  /** Records a try. @param index of the locator in the chain */
  add(index: number, matches: number): void {
    if (index >= MAX_TRIED_LOCATORS) return;
    this.#results.set(index, { matches, elapsedMs: Math.round(this.#clock.monotonic() - this.#startedAt) });
  }

  /** Tried locators in the order of the chain. */
  get entries(): TriedLocator[] {
    return [...this.#results]
      .sort(([a], [b]) => a - b)
      .map(([index, result]) => ({ locator: describeLocator(this.#chain[index] ?? {}), ...result }));
  }
}
