import { isEqualRectangle, type Rectangle } from './rectangle.ts';
import type { XConnection } from './x-connection.ts';

/** A top-level window that the window manager controls. */
export interface WindowFacts {
  readonly id: number;
  readonly title: string;
  /** Second part of WM_CLASS in lower case, e.g. `mousepad`: the id of the application. Empty if it sets none. */
  readonly appId: string;
  /** First part of WM_CLASS. */
  readonly instance: string;
  /** Ids with which `openApp` has opened windows of the application, in lower case. Only in lists of `DesktopScreen`. */
  readonly openedAs?: readonly string[];
  /** Process id that the application states; null if it states none. */
  readonly pid: number | null;
  readonly isActive: boolean;
  readonly isMinimized: boolean;
  /** In both directions. */
  readonly isMaximized: boolean;
  readonly isFullscreen: boolean;
  readonly isDialog: boolean;
  /** Client area in pixels of the screen. */
  readonly bounds: Rectangle;
}

/** Milliseconds for the window manager to apply a request. Measured: 2–8. */
const APPLY_TIMEOUT_MS = 1_000;
const POLL_INTERVAL_MS = 5;

/** Requests to place a window, and milliseconds for each. */
const MOVE_RESIZE_ATTEMPTS = 2;
const MOVE_RESIZE_TIMEOUT_MS = 500;

/** Milliseconds without a change after which the bounds of a window count as final. */
const BOUNDS_STABLE_MS = 50;

/** Map state of a window that is shown (X protocol, GetWindowAttributes). */
const MAP_STATE_VIEWABLE = 2;

/** Source indication of EWMH: a pager, whose requests the window manager does not refuse. */
const SOURCE_PAGER = 2;

/** Of `_NET_WM_STATE` (EWMH 1.5). */
const STATE_REMOVE = 0;
const STATE_ADD = 1;

/** Of `WM_CHANGE_STATE` (ICCCM 4.1.4). */
const ICONIC_STATE = 3;

/** Flag PResizeInc of WM_NORMAL_HINTS (ICCCM 4.1.2.3). */
const RESIZE_INCREMENT_HINT = 64;

/** Static gravity, so that the place is that of the client area; x, y, width and height; from a pager. */
const MOVE_RESIZE_FLAGS = 10 | (0b1111 << 8) | (SOURCE_PAGER << 12);

export type WindowState = 'normal' | 'maximized' | 'minimized' | 'fullscreen';

export const stateOf = ({ isMinimized, isFullscreen, isMaximized }: WindowFacts): WindowState =>
  isMinimized ? 'minimized' : isFullscreen ? 'fullscreen' : isMaximized ? 'maximized' : 'normal';

/** Windows of the display, through the properties of EWMH (Extended Window Manager Hints 1.5) and ICCCM. Starts no process. */
export class WindowManager {
  readonly #x: XConnection;

  constructor(x: XConnection) {
    this.#x = x;
  }

  /** Waits until a window manager runs. @throws Error after the deadline of the signal */
  async ready(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const check = await this.#x.values(this.#x.root, '_NET_SUPPORTING_WM_CHECK');
      if (check.length > 0) return;
      await this.#x.timers.delay(POLL_INTERVAL_MS, signal);
    }
  }

  /** Id of the window with the keyboard focus; 0 if it does not exist. */
  async activeId(): Promise<number> {
    return (await this.#x.values(this.#x.root, '_NET_ACTIVE_WINDOW'))[0] ?? 0;
  }

  /** All windows, the topmost last. */
  async list(): Promise<WindowFacts[]> {
    const [ids, activeId] = await Promise.all([
      this.#x.values(this.#x.root, '_NET_CLIENT_LIST_STACKING'),
      this.activeId(),
    ]);
    const windows = await Promise.all(ids.map((id) => this.#facts(id, activeId).catch(() => null)));
    return windows.filter((window) => window !== null);
  }

  /** Places of the menus and other windows on the screen that the window manager does not control. */
  async popups(): Promise<Rectangle[]> {
    const { children } = await this.#x.request<{ children: number[] }>((reply) =>
      this.#x.client.QueryTree(this.#x.root, reply),
    );
    const places = await Promise.all(children.map((id) => this.#popupBounds(id).catch(() => null)));
    return places.filter((place) => place !== null);
  }

  async #popupBounds(id: number): Promise<Rectangle | null> {
    const [attributes, geometry] = await Promise.all([
      this.#x.request<{ mapState: number; overrideRedirect: number }>((reply) =>
        this.#x.client.GetWindowAttributes(id, reply),
      ),
      this.#x.request<{ xPos: number; yPos: number; width: number; height: number }>((reply) =>
        this.#x.client.GetGeometry(id, reply),
      ),
    ]);
    const isPopup = attributes.mapState === MAP_STATE_VIEWABLE && attributes.overrideRedirect !== 0;
    const { xPos, yPos, width, height } = geometry;
    return isPopup ? { x: signed16(xPos), y: signed16(yPos), width, height } : null;
  }

  /** @returns null if no window has the focus */
  async active(): Promise<WindowFacts | null> {
    const id = await this.activeId();
    return id === 0 ? null : this.#facts(id, id).catch(() => null);
  }

  /** Waits until a window has the focus: between two windows, no window has it for a moment. @returns null after 1 s */
  async waitForActive(): Promise<WindowFacts | null> {
    let window: WindowFacts | null = null;
    await this.#waitFor(async () => (window = await this.active()) !== null);
    return window;
  }

  /** Shows a window on top and gives it the focus. @returns false if the window manager did not do so within 1 s */
  async activate(id: number): Promise<boolean> {
    await this.#send(id, '_NET_ACTIVE_WINDOW', [SOURCE_PAGER, 0, 0]);
    return this.#waitFor(async () => (await this.activeId()) === id);
  }

  /** Asks the application to close the window; it may ask the user back. @returns false if the window still exists after 1 s */
  async close(id: number): Promise<boolean> {
    await this.#send(id, '_NET_CLOSE_WINDOW', [0, SOURCE_PAGER]);
    return this.#waitFor(async () => !(await this.#x.values(this.#x.root, '_NET_CLIENT_LIST')).includes(id));
  }

  /** Id of the client window at a point of the screen; 0: none. Follows decorations down to the client window. */
  async windowAt(x: number, y: number): Promise<number> {
    const clients = new Set(await this.#x.values(this.#x.root, '_NET_CLIENT_LIST'));
    let window = this.#x.root;
    for (let depth = 0; depth < 20; depth += 1) {
      const parent = window;
      const { child } = await this.#x.request<{ child: number }>((reply) =>
        this.#x.client.TranslateCoordinates(this.#x.root, parent, x, y, reply),
      );
      if (child === 0) return depth === 0 ? 0 : window;
      window = child;
      if (clients.has(window)) return window;
    }
    return window;
  }

  /**
   * Moves and sizes the client area. @returns the facts after the change, or after 1 s the current ones; null: the
   * window has gone
   */
  async moveResize(id: number, bounds: Rectangle): Promise<WindowFacts | null> {
    let { x, y } = bounds;
    for (let attempt = 0; attempt < MOVE_RESIZE_ATTEMPTS; attempt += 1) {
      await this.#send(id, '_NET_MOVERESIZE_WINDOW', [MOVE_RESIZE_FLAGS, x, y, bounds.width, bounds.height]);
      const isPlaced = async () => isEqualRectangle((await this.facts(id))?.bounds, bounds);
      if (await this.#waitFor(isPlaced, MOVE_RESIZE_TIMEOUT_MS)) break;
      const actual = (await this.facts(id))?.bounds;
      if (!actual || (actual.x === bounds.x && actual.y === bounds.y)) break;
      // A window with a separate border, e.g. xterm, is placed by its border.
      x += bounds.x - actual.x;
      y += bounds.y - actual.y;
    }
    return this.facts(id);
  }

  /** Changes the state of a window. @returns false if the window manager did not do so within 1 s */
  async setState(id: number, state: WindowState): Promise<boolean> {
    if (state === 'minimized') await this.#send(id, 'WM_CHANGE_STATE', [ICONIC_STATE]);
    else {
      const [vertical, horizontal, fullscreen] = await Promise.all([
        this.#x.atom('_NET_WM_STATE_MAXIMIZED_VERT'),
        this.#x.atom('_NET_WM_STATE_MAXIMIZED_HORZ'),
        this.#x.atom('_NET_WM_STATE_FULLSCREEN'),
      ]);
      const action = (isAdded: boolean) => (isAdded ? STATE_ADD : STATE_REMOVE);
      if ((await this.facts(id))?.isMinimized) await this.activate(id);
      await this.#send(id, '_NET_WM_STATE', [action(state === 'fullscreen'), fullscreen, 0, SOURCE_PAGER]);
      await this.#send(id, '_NET_WM_STATE', [action(state === 'maximized'), vertical, horizontal, SOURCE_PAGER]);
    }
    const isSet = await this.#waitFor(async () => {
      const facts = await this.facts(id);
      return facts !== null && stateOf(facts) === state;
    });
    await this.#waitUntilBoundsStable(id);
    return isSet;
  }

  /** Waits until a window keeps its bounds: the frame changes before the content. */
  async #waitUntilBoundsStable(id: number): Promise<void> {
    let last = (await this.facts(id))?.bounds;
    await this.#waitFor(async () => {
      await this.#x.timers.delay(BOUNDS_STABLE_MS);
      const bounds = (await this.facts(id))?.bounds;
      const isPlaced = bounds === undefined || isEqualRectangle(last, bounds);
      last = bounds;
      return isPlaced;
    });
  }

  /** @returns null if there is no such window */
  async facts(id: number): Promise<WindowFacts | null> {
    return this.#facts(id, await this.activeId()).catch(() => null);
  }

  /** Pixels by which the application lets its window grow, e.g. the size of a terminal's character. */
  async sizeIncrement(id: number): Promise<{ width: number; height: number }> {
    const hints = await this.#x.values(id, 'WM_NORMAL_HINTS');
    const hasIncrement = ((hints[0] ?? 0) & RESIZE_INCREMENT_HINT) !== 0;
    return hasIncrement ? { width: hints[9] ?? 1, height: hints[10] ?? 1 } : { width: 1, height: 1 };
  }

  /** True if a window still has its place, and no other window of an application covers a point of it. */
  async isOnTop(
    { id, bounds }: Pick<WindowFacts, 'id' | 'bounds'>,
    { x, y }: { x: number; y: number },
  ): Promise<boolean> {
    const [clients, top, facts] = await Promise.all([
      this.#x.values(this.#x.root, '_NET_CLIENT_LIST'),
      this.windowAt(x, y),
      this.facts(id),
    ]);
    const isMoved = facts?.bounds.x !== bounds.x || facts.bounds.y !== bounds.y;
    return !isMoved && (top === id || !clients.includes(top));
  }

  async #send(id: number, message: string, data: readonly number[]): Promise<void> {
    this.#x.client.SendClientMessage(this.#x.root, id, await this.#x.atom(message), 32, data);
  }

  async #waitFor(condition: () => Promise<boolean>, timeoutMs = APPLY_TIMEOUT_MS): Promise<boolean> {
    const deadline = this.#x.timers.monotonic() + timeoutMs;
    for (;;) {
      if (await condition()) return true;
      if (this.#x.timers.monotonic() > deadline) return false;
      await this.#x.timers.delay(POLL_INTERVAL_MS);
    }
  }

  async #facts(id: number, activeId: number): Promise<WindowFacts> {
    const x = this.#x;
    const [name, oldName, wmClass, pid, states, types, transientFor, origin, geometry] = await Promise.all([
      x.property(id, '_NET_WM_NAME'),
      x.property(id, 'WM_NAME'),
      x.property(id, 'WM_CLASS'),
      x.values(id, '_NET_WM_PID'),
      x.values(id, '_NET_WM_STATE'),
      x.values(id, '_NET_WM_WINDOW_TYPE'),
      x.values(id, 'WM_TRANSIENT_FOR'),
      x.request<{ destX: number; destY: number }>((reply) => x.client.TranslateCoordinates(id, x.root, 0, 0, reply)),
      x.request<{ width: number; height: number }>((reply) => x.client.GetGeometry(id, reply)),
    ]);
    const [hidden, vertical, horizontal, fullscreen, dialog] = await Promise.all([
      x.atom('_NET_WM_STATE_HIDDEN'),
      x.atom('_NET_WM_STATE_MAXIMIZED_VERT'),
      x.atom('_NET_WM_STATE_MAXIMIZED_HORZ'),
      x.atom('_NET_WM_STATE_FULLSCREEN'),
      x.atom('_NET_WM_WINDOW_TYPE_DIALOG'),
    ]);
    const [instance = '', className = ''] = wmClass.toString('latin1').split('\0');
    return {
      id,
      // xterm sets no _NET_WM_NAME.
      title: (name.length > 0 ? name.toString('utf8') : oldName.toString('latin1')).replaceAll('\0', ''),
      appId: className.toLowerCase(),
      instance,
      pid: pid[0] ?? null,
      isActive: id === activeId,
      isMinimized: states.includes(hidden),
      isMaximized: states.includes(vertical) && states.includes(horizontal),
      isFullscreen: states.includes(fullscreen),
      isDialog: types.includes(dialog) || transientFor.some((parent) => parent !== 0 && parent !== x.root),
      bounds: { x: signed16(origin.destX), y: signed16(origin.destY), width: geometry.width, height: geometry.height },
    };
  }
}

/** Coordinates of X are 16-bit signed; some replies of npm x11 read them unsigned. */
const signed16 = (value: number): number => (value << 16) >> 16;
