import type { Locator, Target } from '@pilothouse/contract';
import { toLocatorChain } from '@pilothouse/contract';
import type { Deadline } from '@pilothouse/core';
import type { DesktopScreen, ScreenRead } from './desktop-screen.ts';
import { matchElements, narrowMatches, type ScreenMatch } from './element-match.ts';
import type { WindowScope } from './window-match.ts';
import type { Rectangle } from './x/window-manager.ts';

/** The windows of a desktop at one moment. Each window is read at most once. */
export class ScreenMoment {
  readonly #screen: DesktopScreen;
  readonly #context: Deadline;
  readonly #reads = new Map<string, Promise<ScreenRead>>();

  constructor(screen: DesktopScreen, context: Deadline) {
    this.#screen = screen;
    this.#context = context;
  }

  /** Reads the window of a scope, by default the active window. */
  read(scope: WindowScope = {}): Promise<ScreenRead> {
    const key = JSON.stringify([scope.app, scope.window]);
    const known = this.#reads.get(key) ?? this.#screen.read(this.#context, scope);
    this.#reads.set(key, known);
    return known;
  }

  /** Matches of the first locator of a chain that has any. */
  async findAll(target: Target): Promise<ScreenMatch[]> {
    for (const locator of toLocatorChain(target)) {
      const matches = await this.matches(locator);
      if (matches.length > 0) return matches;
    }
    return [];
  }

  /** Everything that a locator matches, in reading order. */
  async matches(locator: Locator): Promise<ScreenMatch[]> {
    const { app, window, within, near } = locator;
    const [matches, scope, anchor] = await Promise.all([
      this.#candidates(locator),
      within ? this.#soleBounds({ ...within, app, window }) : null,
      near ? this.#soleBounds({ ...near, app, window }) : null,
    ]);
    return narrowMatches(matches, locator, scope, anchor);
  }

  async #candidates(locator: Locator): Promise<ScreenMatch[]> {
    const { elements } = await this.read(locator);
    const found =
      locator.elementIndex !== undefined
        ? elements.filter(({ index }) => index === locator.elementIndex)
        : locator.focus
          ? elements.filter(({ state }) => state.focused)
          : matchElements(elements, locator);
    return found.map((element) => ({ element, bounds: element.bounds }));
  }

  async #soleBounds(locator: Locator): Promise<Rectangle | null> {
    const matches = await this.matches(locator);
    return matches.length === 1 ? (matches[0]?.bounds ?? null) : null;
  }
}
