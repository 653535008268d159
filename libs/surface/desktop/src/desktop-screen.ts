import { PilothouseError, type Locator, type Observation, type Target, toLocatorChain } from '@pilothouse/contract';
import { poll, remainingMs, type Deadline, type LocatedElement } from '@pilothouse/core';
import { ElementList, type DesktopElement } from './accessibility/element-list.ts';
import { describeLocator, matchElements, middle } from './element-match.ts';
import type { ScreenPoint } from './input/nut-input.ts';
import type { SessionClient } from './session/session-client.ts';
import type { ActiveWindowTree } from './session/session-protocol.ts';
import type { WindowFacts } from './x/window-manager.ts';

/** Milliseconds for one read of the active window; what is there by then is returned. */
const READ_DEADLINE_MS = 1_000;

/** Milliseconds without a change after which the screen counts as stable, and the longest wait for that. */
const STABLE_MS = 60;
const MAX_STABLE_WAIT_MS = 1_500;

/** An element or a point that a locator found. */
export interface DesktopTarget {
  readonly point: ScreenPoint;
  /** Null for a point. */
  readonly element: DesktopElement | null;
  readonly located: LocatedElement;
}

/** A read of the active window. */
export interface ScreenRead {
  readonly tree: ActiveWindowTree;
  readonly elements: readonly DesktopElement[];
}

/** The active window of a session as elements, and the search for one of them. */
export class DesktopScreen {
  readonly #session: SessionClient;
  readonly #width: number;
  readonly #height: number;
  readonly #list = new ElementList();

  constructor(session: SessionClient, size: { readonly width: number; readonly height: number }) {
    this.#session = session;
    this.#width = size.width;
    this.#height = size.height;
  }

  async read({ signal }: Deadline): Promise<ScreenRead> {
    const options = { signal, timeoutMs: READ_DEADLINE_MS + 2_000 };
    const tree = await this.#session.call('observe', { deadlineMs: READ_DEADLINE_MS }, options);
    const screen = { x: 0, y: 0, width: this.#width, height: this.#height };
    return { tree, elements: this.#list.update(tree.window?.id ?? 0, tree.nodes, screen) };
  }

  async observe(context: Deadline): Promise<Observation> {
    const { tree, elements } = await this.read(context);
    const focused = elements.find(({ state }) => state.focused);
    return {
      url: uriOf(tree.window),
      title: tree.window?.title ?? '',
      document: this.#list.document,
      loading: false,
      viewport: { width: this.#width, height: this.#height },
      scroll: { above: 0, below: 0 },
      focused: focused?.index ?? null,
      elements: elements.map(({ node: _node, ...element }) => element),
      opaqueRegions: opaqueRegionsOf(tree),
    };
  }

  /**
   * Waits until one locator of the chain finds exactly one element that is enabled.
   * @throws PilothouseError TARGET_NOT_FOUND, TARGET_AMBIGUOUS or TARGET_NOT_ACTIONABLE at the deadline
   */
  async locate(target: Target, context: Deadline): Promise<DesktopTarget> {
    const chain = toLocatorChain(target);
    await this.waitUntilStable(context);
    let problem = new PilothouseError(
      'TARGET_NOT_FOUND',
      `${describeLocator(chain[0] ?? {})} is not in the active window`,
    );
    const found = await poll(async () => {
      const read = await this.read(context);
      for (const [index, locator] of chain.entries()) {
        const match = this.#match(read.elements, locator);
        if (match instanceof PilothouseError) problem = match;
        else if (match) return { ...match, located: { locator: describeLocator(locator), triedCount: index + 1 } };
      }
      return undefined;
    }, context);
    if (found) return found;
    throw problem;
  }

  /** Waits until the screen has not changed for a moment, at most 1.5 s: an animation or a clock never rests. */
  async waitUntilStable(context: Deadline, stableMs = STABLE_MS): Promise<boolean> {
    const endsAt = performance.now() + Math.min(MAX_STABLE_WAIT_MS, remainingMs(context));
    const { signal } = context;
    let { version } = await this.#session.call('waitForChange', { version: -1, timeoutMs: 0 }, { signal });
    while (performance.now() < endsAt) {
      const next = await this.#session.call('waitForChange', { version, timeoutMs: stableMs }, { signal });
      if (next.version === version) return true;
      version = next.version;
    }
    return false;
  }

  #match(
    elements: readonly DesktopElement[],
    locator: Locator,
  ): Omit<DesktopTarget, 'located'> | PilothouseError | null {
    if (locator.point) {
      const { x, y } = locator.point;
      const point = { x: Math.round((x / 1000) * (this.#width - 1)), y: Math.round((y / 1000) * (this.#height - 1)) };
      return { point, element: null };
    }
    const matches =
      locator.elementIndex !== undefined
        ? elements.filter(({ index }) => index === locator.elementIndex)
        : locator.focus
          ? elements.filter(({ state }) => state.focused)
          : matchElements(elements, locator);
    const [element, ...others] = matches;
    if (!element) return null;
    const description = describeLocator(locator);
    if (others.length > 0)
      return new PilothouseError(
        'TARGET_AMBIGUOUS',
        `${description} matches ${matches.length} elements; add \`nth\` or \`within\``,
      );
    if (element.state.disabled) return new PilothouseError('TARGET_NOT_ACTIONABLE', `${description} is disabled`);
    return { point: middle(element.bounds), element };
  }
}

/** URI of a window: `app://<application>/<title>`. */
export const uriOf = (window: WindowFacts | null): string =>
  window === null
    ? 'app://desktop/'
    : `app://${encodeURIComponent(window.appId || 'unknown')}/${encodeURIComponent(window.title)}`;

/** A window whose content is not accessible is one region that cannot be looked into. */
function opaqueRegionsOf({ window, isAccessible }: ActiveWindowTree): Observation['opaqueRegions'] {
  return window && !isAccessible ? [{ kind: 'canvas', name: window.title, bounds: window.bounds }] : [];
}
