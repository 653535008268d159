import type { Timer, Timers } from '@pilothouse/core/time/timers';
import type { AccessibilityBus, AccessibleRef } from '../accessibility/accessibility-bus.ts';
import { findFrame } from '../accessibility/active-frame.ts';
import { fieldInView, findPasswordFields, type PasswordField } from '../accessibility/password-fields.ts';
import type { AccessibleNode } from '../accessibility/accessible-node.ts';
import { atspiRoles, isPasswordField } from '../accessibility/roles.ts';
import type { SheetCells } from '../accessibility/sheet-cells.ts';
import { boundingRectangle, isIntersecting, subtractRectangles, type Rectangle } from '../x/rectangle.ts';
import type { ScreenCapture } from '../x/screen-capture.ts';
import type { WindowFacts } from '../x/window-manager.ts';
import { observeWindow } from '../observation/observe-window.ts';
import type { WindowTree } from '../session/session-protocol.ts';
import type { Session } from '../process/start-session.ts';

/** Milliseconds to search one window. */
const SEARCH_TIMEOUT_MS = 1_000;

/** Milliseconds until a window is searched again after a failure. */
const RETRY_MS = 2_000;

/** Milliseconds after the last change of a window in which failed searches of it are repeated in the background. */
const RETRY_PERIOD_MS = 30_000;

/** Web browsers publish elements later than they paint them, by less than these milliseconds. */
const WEB_LAG_MS = 500;

/** Time for a new application to register on the accessibility bus. */
const REGISTRATION_MS = 5_000;

/** Interval between two searches for its frame. */
const REGISTRATION_INTERVAL_MS = 500;

/** In live views, the pause between two searches is this many times the duration of the last search. */
const LIVE_PAUSE_FACTOR = 3;

/** Minimum milliseconds between two searches of a window in live views. */
const MIN_LIVE_PAUSE_MS = 100;

/** Maximum wait of a screenshot for searches. */
const SCREENSHOT_WAIT_MS = 1_500;

/** Maximum wait of a live frame for searches. */
const FRAME_WAIT_MS = 40;

/** Maximum changed areas to store. More areas are merged into one. */
const MAX_DAMAGED_AREAS = 64;

type Field = Pick<PasswordField, 'bus' | 'path'> & {
  /** Relative to the window, so that it moves with it. */
  readonly bounds: Rectangle;
};

interface TrackedWindow {
  fields: readonly Field[];
  readonly firstSeenAt: number;
  /** Last change of its pixels. */
  changedAt: number;
  /** Begin of the last successful search. */
  searchedAt: number;
  /** Earliest time of the next search. */
  nextSearchAt: number;
  /** Time that an application needs to publish its painted content. */
  lagMs: number;
  isAccessible: boolean;
  isMinimized: boolean;
  search: Promise<void> | null;
}

type TrackedSession = Pick<Session, 'windows' | 'ping' | 'timers'> & {
  readonly screen: Pick<ScreenCapture, 'onDamage' | 'invalidate'>;
  readonly accessibility: Promise<{ readonly bus: AccessibilityBus; readonly sheets: SheetCells }>;
};

/** Time at which a capture that starts now stops waiting for searches. */
export const searchDeadline = (isLive: boolean, timers: Timers): number =>
  timers.monotonic() + (isLive ? FRAME_WAIT_MS : SCREENSHOT_WAIT_MS);

/**
 * Knows where password fields are on the screen. A window is searched when its pixels have changed. Between the change and the end of the
 * search the last known places count.
 */
export class PasswordTracker {
  readonly #session: TrackedSession;
  readonly #windows = new Map<number, TrackedWindow>();
  #damage: Rectangle[] = [];
  #timer: Timer | undefined;

  constructor(session: TrackedSession) {
    this.#session = session;
    session.screen.onDamage((area) => {
      this.#damage.push(area);
      if (this.#damage.length > MAX_DAMAGED_AREAS) this.#damage = [boundingRectangle(this.#damage)];
    });
  }

  /**
   * Visible parts of password fields.
   * @param isLive true: waits at most 40 ms, and searches stale windows again in the background; false: waits at most 1.5 s
   * @param deadline end of the wait, for a capture that calls this more than once
   */
  async visibleFieldAreas(
    isLive: boolean,
    deadline = searchDeadline(isLive, this.#session.timers),
  ): Promise<Rectangle[]> {
    const { timers } = this.#session;
    const windows = await this.#update();
    const searches = windows.flatMap((window) => {
      const tracked = this.#windows.get(window.id);
      const search = tracked && this.#searchIfStale(window, tracked, isLive);
      return search ? [search] : [];
    });
    const waitMs = Math.max(0, deadline - timers.monotonic());
    if (searches.length > 0) await Promise.race([Promise.all(searches), timers.delay(waitMs)]);
    if (isLive) this.#schedule();
    return windows.flatMap((window, index) => {
      const above = windows.slice(index + 1).map(({ bounds }) => bounds);
      const fields = this.#windows.get(window.id)?.fields ?? [];
      return fields.flatMap(({ bounds }) =>
        subtractRectangles(translate(bounds, window.bounds.x, window.bounds.y), above),
      );
    });
  }

  /** Takes over the result of another window read. @param startedAt when it began */
  record({ window, nodes, incomplete, isAccessible }: WindowTree, startedAt: number): void {
    const tracked = window && this.#windows.get(window.id);
    if (!tracked || !isAccessible || incomplete !== null) return;
    const isKnown = (ref: AccessibleRef) => tracked.fields.some((field) => isSame(field, ref));
    const fields = nodes.filter((node) => isPasswordField(node) || isKnown(node));
    this.#keep(window, tracked, fields, startedAt);
  }

  /** True if the object is a password field, or was one when it was last seen. */
  isPasswordField(ref: AccessibleRef): boolean {
    return [...this.#windows.values()].some(({ fields }) => fields.some((field) => isSame(field, ref)));
  }

  /** Marks former password fields as password fields and masks their values. */
  withMaskedPasswords(tree: WindowTree): WindowTree {
    const isShown = (node: AccessibleNode) => !isPasswordField(node) && this.isPasswordField(node);
    if (!tree.nodes.some(isShown)) return tree;
    return { ...tree, nodes: tree.nodes.map((node) => (isShown(node) ? asPasswordField(node) : node)) };
  }

  /** Notes which windows changed. @returns the windows in view, the topmost last */
  async #update(): Promise<WindowFacts[]> {
    const damage = this.#damage;
    this.#damage = [];
    const now = this.#session.timers.monotonic();
    const listed = await this.#session.windows.list();
    for (const id of this.#windows.keys()) if (!listed.some((window) => window.id === id)) this.#windows.delete(id);
    for (const { id, bounds, isMinimized } of listed) {
      const tracked = this.#windows.get(id);
      if (tracked) tracked.isMinimized = isMinimized;
      if (isMinimized) continue;
      if (!tracked) this.#windows.set(id, newWindow(now));
      else if (damage.some((area) => isIntersecting(area, bounds))) tracked.changedAt = now;
    }
    return listed.filter(({ isMinimized }) => !isMinimized);
  }

  /** @returns null if the window need not be searched, or must not be searched now */
  #searchIfStale(window: WindowFacts, tracked: TrackedWindow, isLive: boolean): Promise<void> | null {
    if (!isStale(tracked)) return null;
    if (tracked.search) return tracked.search;
    if (this.#session.timers.monotonic() < tracked.nextSearchAt) return null;
    tracked.search = this.#search(window, tracked, isLive).finally(() => {
      tracked.search = null;
    });
    return tracked.search;
  }

  /** Never throws. */
  async #search(window: WindowFacts, tracked: TrackedWindow, isLive: boolean): Promise<void> {
    const startedAt = this.#session.timers.monotonic();
    try {
      const { bus } = await this.#session.accessibility;
      const frame = await findFrame(bus, this.#session.windows, window, SEARCH_TIMEOUT_MS);
      tracked.isAccessible = frame !== null;
      if (!frame) {
        tracked.searchedAt = startedAt;
        tracked.nextSearchAt = startedAt + REGISTRATION_INTERVAL_MS;
        return;
      }
      tracked.lagMs = frame.strategy.toolkit === 'web' ? WEB_LAG_MS : 0;
      if (frame.strategy.method === 'collection') {
        const found = await findPasswordFields(bus, frame, SEARCH_TIMEOUT_MS);
        const known = tracked.fields.filter((field) => !found.some((ref) => isSame(field, ref)));
        const others = await Promise.all(known.map((field) => fieldInView(bus, field, SEARCH_TIMEOUT_MS)));
        this.#keep(window, tracked, [...found, ...others.filter((field) => field !== null)], startedAt);
      } else if (frame.strategy.toolkit === 'libreoffice' && !window.isDialog) {
        // Reading a sheet takes up to 1 s, and password fields are usually in dialogs. Fields in documents are found by record().
        tracked.searchedAt = startedAt;
      } else {
        const accessibility = await this.#session.accessibility;
        const tree = await observeWindow(this.#session, accessibility, SEARCH_TIMEOUT_MS, window.id);
        if (tree.incomplete !== null) throw new Error(`The window was not read: ${tree.incomplete}`);
        this.record(tree, startedAt);
      }
      const now = this.#session.timers.monotonic();
      if (isLive) tracked.nextSearchAt = now + Math.max(MIN_LIVE_PAUSE_MS, LIVE_PAUSE_FACTOR * (now - startedAt));
    } catch {
      // A hung application keeps its last known fields.
      tracked.nextSearchAt = this.#session.timers.monotonic() + RETRY_MS;
    }
  }

  #keep(window: WindowFacts, tracked: TrackedWindow, fields: readonly PasswordField[], startedAt: number): void {
    const { x, y } = window.bounds;
    const next = fields.map(({ bus, path, extents }) => ({ bus, path, bounds: translate(extents, -x, -y) }));
    const hasChanged = JSON.stringify(next) !== JSON.stringify(tracked.fields);
    tracked.fields = next;
    tracked.searchedAt = startedAt;
    // Earlier frames may show the field. Triggers a new frame in live views.
    if (hasChanged) this.#session.screen.invalidate();
  }

  /** Schedules the next search of stale windows, so that no new frame is needed to start it. Gives up 30 s after the last change. */
  #schedule(): void {
    const { timers } = this.#session;
    const now = timers.monotonic();
    const times = [...this.#windows.values()]
      .filter((window) => !window.isMinimized && isStale(window) && now < window.changedAt + RETRY_PERIOD_MS)
      .map(({ nextSearchAt, changedAt, lagMs }) => Math.max(nextSearchAt, changedAt + lagMs));
    timers.clearTimeout(this.#timer);
    if (times.length === 0) return;
    const waitMs = Math.max(MIN_LIVE_PAUSE_MS, Math.min(...times) - now);
    this.#timer = timers.setTimeout(() => void this.visibleFieldAreas(true).catch(() => undefined), waitMs);
  }
}

const newWindow = (now: number): TrackedWindow => ({
  ...{ fields: [], firstSeenAt: now, changedAt: now, searchedAt: -Infinity, nextSearchAt: 0 },
  ...{ lagMs: WEB_LAG_MS, isAccessible: false, isMinimized: false, search: null },
});

/** True if a search can find other fields than the last one. */
const isStale = ({ searchedAt, changedAt, lagMs, isAccessible, firstSeenAt }: TrackedWindow): boolean =>
  searchedAt < changedAt + lagMs || (!isAccessible && searchedAt < firstSeenAt + REGISTRATION_MS);

const asPasswordField = ({ value = '', ...node }: AccessibleNode): AccessibleNode => ({
  ...node,
  role: atspiRoles.passwordText,
  value: '•'.repeat(value.length),
});

const isSame = (first: AccessibleRef, second: AccessibleRef): boolean =>
  first.bus === second.bus && first.path === second.path;

const translate = ({ x, y, width, height }: Rectangle, dx: number, dy: number): Rectangle => ({
  ...{ x: x + dx, y: y + dy },
  ...{ width, height },
});
