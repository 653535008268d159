import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import x11, { type XClient, type XDisplay, type XEvent } from 'x11';

/** Milliseconds for the X server to answer one request. A local server answers in under one. */
const REPLY_TIMEOUT_MS = 5_000;

/** Property types and atoms that the core protocol numbers (X Window System Protocol, Appendix B). */
export const predefinedAtoms = {
  ANY: 0,
  PRIMARY: 1,
  ATOM: 4,
  CARDINAL: 6,
  RESOURCE_MANAGER: 23,
  STRING: 31,
  WINDOW: 33,
  WM_NAME: 39,
  WM_CLASS: 67,
} as const;

/** Event masks of the core protocol. */
export const eventMasks = { structureNotify: 1 << 17, substructureNotify: 1 << 19, propertyChange: 1 << 22 } as const;

/** The connection to the display of this process. A process has only one: npm `x11` has one atom table per process. */
export class XConnection {
  readonly client: XClient;
  /** Timers of everything that uses this connection. */
  readonly timers: Timers;
  readonly root: number;
  readonly width: number;
  readonly height: number;
  readonly minKeycode: number;
  readonly maxKeycode: number;
  readonly #atoms = new Map<string, Promise<number>>();
  readonly #lost = new AbortController();
  #rootEventMask = 0;

  private constructor(display: XDisplay, timers: Timers) {
    const screen = display.screen[0];
    if (!screen) throw new Error('The X display has no screen');
    this.client = display.client;
    this.timers = timers;
    this.root = screen.root;
    this.width = screen.pixel_width;
    this.height = screen.pixel_height;
    this.minKeycode = display.min_keycode;
    this.maxKeycode = display.max_keycode;
    // An error names a request without a reply, e.g. for a window that was closed meanwhile.
    this.client.on('error', () => undefined);
    this.client.on('end', () => this.#lost.abort(new Error('The X server closed the connection')));
  }

  /**
   * Connects with the cookie in the file that XAUTHORITY names.
   * @throws Error when the server refuses, or does not answer within 5 s
   */
  static connect(display: string, timers: Timers = systemTimers): Promise<XConnection> {
    return new Promise((resolve, reject) => {
      const timer = timers.setTimeout(
        () => reject(new Error(`The X server ${display} does not answer`)),
        REPLY_TIMEOUT_MS,
      );
      const client = x11.createClient({ display }, (error, connected) => {
        timers.clearTimeout(timer);
        if (error) reject(error);
        else resolve(new XConnection(connected, timers));
      });
      client.on('error', (error) => {
        timers.clearTimeout(timer);
        reject(error);
      });
    });
  }

  /** Aborts when the X server has gone. */
  get lossSignal(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * Sends a request and waits for its reply.
   * @throws Error of the server, after 5 s without a reply, or when the connection is lost
   */
  request<T>(send: (reply: (error: Error | null | undefined, value: T) => void) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.lossSignal.aborted) return reject(this.lossSignal.reason as Error);
      const end = () => {
        this.timers.clearTimeout(timer);
        this.lossSignal.removeEventListener('abort', onLost);
      };
      const onLost = () => {
        end();
        reject(this.lossSignal.reason as Error);
      };
      const timer = this.timers.setTimeout(() => {
        end();
        reject(new Error('The X server did not answer a request within 5 s'));
      }, REPLY_TIMEOUT_MS);
      this.lossSignal.addEventListener('abort', onLost, { once: true });
      send((error, value) => {
        end();
        if (error) reject(error);
        else resolve(value);
        // npm x11 reports an error as an event as well, unless its handler returns true.
        return true;
      });
    });
  }

  /** Returns the number of an atom, which stays the same as long as the server lives. */
  atom(name: string): Promise<number> {
    const known = this.#atoms.get(name);
    if (known) return known;
    const atom = this.request<number>((reply) => this.client.InternAtom(false, name, reply));
    this.#atoms.set(name, atom);
    return atom;
  }

  atomName(atom: number): Promise<string> {
    return this.request((reply) => this.client.GetAtomName(atom, reply));
  }

  /** Reads at most 1 MiB of a property. Empty if the window does not have it. */
  async property(window: number, name: string): Promise<Buffer> {
    const atom = await this.atom(name);
    const value = await this.request<{ data: Buffer }>((reply) =>
      this.client.GetProperty(0, window, atom, predefinedAtoms.ANY, 0, 262_144, reply),
    );
    return value.data;
  }

  /** Reads a property of 32-bit values. */
  async values(window: number, name: string): Promise<number[]> {
    const data = await this.property(window, name);
    return Array.from({ length: data.length >> 2 }, (_, index) => data.readUInt32LE(index * 4));
  }

  /** Waits until the server has processed every request sent so far. */
  async sync(): Promise<void> {
    await this.request((reply) => this.client.GetInputFocus(reply));
  }

  /** Adds events of the root window to those that this connection receives. */
  selectRootEvents(mask: number): void {
    this.#rootEventMask |= mask;
    this.client.ChangeWindowAttributes(this.root, { eventMask: this.#rootEventMask });
  }

  /** Calls `listener` for every event. @returns a function that ends this */
  onEvent(listener: (event: XEvent) => void): () => void {
    this.client.on('event', listener);
    return () => this.client.off('event', listener as (...args: never[]) => void);
  }

  close(): void {
    this.client.terminate();
  }
}
