import { systemTimers } from '@pilothouse/core/timers';
import type { XConnection } from './x-connection.ts';

/** A top-level window that the window manager controls. */
export interface WindowFacts {
  readonly id: number;
  readonly title: string;
  /** Second part of WM_CLASS in lower case, e.g. `mousepad`: the id of the application. Empty if it sets none. */
  readonly appId: string;
  /** First part of WM_CLASS. */
  readonly instance: string;
  /** Process id that the application states; null if it states none. */
  readonly pid: number | null;
  readonly isActive: boolean;
  readonly isMinimized: boolean;
  readonly isDialog: boolean;
  /** Client area in pixels of the screen. */
  readonly bounds: Rectangle;
}

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Milliseconds for the window manager to apply a request. Measured: 2–8. */
const APPLY_TIMEOUT_MS = 1_000;
const POLL_INTERVAL_MS = 5;

/** Source indication of EWMH: a pager, whose requests the window manager does not refuse. */
const SOURCE_PAGER = 2;

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
      await systemTimers.delay(POLL_INTERVAL_MS, signal);
    }
  }

  /** Id of the window with the keyboard focus; 0 if there is none. */
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

  /** @returns null if no window has the focus */
  async active(): Promise<WindowFacts | null> {
    const id = await this.activeId();
    return id === 0 ? null : this.#facts(id, id).catch(() => null);
  }

  /** Shows a window on top and gives it the focus. @returns false if the window manager did not do so within 1 s */
  async activate(id: number): Promise<boolean> {
    await this.#send(id, '_NET_ACTIVE_WINDOW', [SOURCE_PAGER, 0, 0]);
    return this.#until(async () => (await this.activeId()) === id);
  }

  /** Asks the application to close the window; it may ask the user back. @returns false if the window still exists after 1 s */
  async close(id: number): Promise<boolean> {
    await this.#send(id, '_NET_CLOSE_WINDOW', [0, SOURCE_PAGER]);
    return this.#until(async () => !(await this.#x.values(this.#x.root, '_NET_CLIENT_LIST')).includes(id));
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

  async #send(id: number, message: string, data: readonly number[]): Promise<void> {
    this.#x.client.SendClientMessage(this.#x.root, id, await this.#x.atom(message), 32, data);
  }

  async #until(condition: () => Promise<boolean>): Promise<boolean> {
    const deadline = performance.now() + APPLY_TIMEOUT_MS;
    for (;;) {
      if (await condition()) return true;
      if (performance.now() > deadline) return false;
      await systemTimers.delay(POLL_INTERVAL_MS);
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
    const [hidden, dialog] = await Promise.all([x.atom('_NET_WM_STATE_HIDDEN'), x.atom('_NET_WM_WINDOW_TYPE_DIALOG')]);
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
      isDialog: types.includes(dialog) || transientFor.some((parent) => parent !== 0 && parent !== x.root),
      bounds: { x: signed16(origin.destX), y: signed16(origin.destY), width: geometry.width, height: geometry.height },
    };
  }
}

/** Coordinates of X are 16-bit signed; some replies of npm x11 read them unsigned. */
const signed16 = (value: number): number => (value << 16) >> 16;
