import type { CDPSession } from 'playwright-core';
import { BLANK_URL } from '../state/state.ts';

/** Addresses that are kept of the pages before. */
const KEPT = 10;

/** The pages before and after the one that is shown: those that Chromium knows, and those of a surface that was lost. */
export class NavigationHistory {
  #before: string[] = [];
  #after: string[] = [];

  /** The pages before, the last of them the newest; given to a surface that is brought to where another one was. */
  begin(before: readonly string[]): void {
    this.#before = [...before];
  }

  /** The address next on the way where Chromium has none. */
  kept(way: -1 | 1): string | undefined {
    return (way < 0 ? this.#before : this.#after).at(-1);
  }

  /** A page that was kept is shown: Chromium is to forget that this was a step ahead. */
  async cameTo(wire: CDPSession, way: -1 | 1, from: string): Promise<void> {
    const [left, gone] = way < 0 ? [this.#before, this.#after] : [this.#after, this.#before];
    left.pop();
    gone.push(from);
    await wire.send('Page.resetNavigationHistory');
  }

  /** Addresses of the pages before, of the web only: nothing else can be opened again. */
  async before(wire: CDPSession): Promise<string[]> {
    const { currentIndex, entries } = await wire.send('Page.getNavigationHistory');
    const known = entries.slice(0, currentIndex).map(({ url }) => url);
    return [...this.#before, ...known].filter((url) => url !== BLANK_URL && /^https?:/.test(url)).slice(-KEPT);
  }
}
