import { eventMasks, type XConnection } from './x-connection.ts';

/**
 * Asks a window whether it has read its events (`_NET_WM_PING`, EWMH 1.5). The answer proves that the application has processed every
 * event sent before, because events of one client arrive in order.
 */
export class WindowPing {
  readonly #x: XConnection;
  readonly #protocols: number;
  readonly #ping: number;
  readonly #pending = new Map<number, () => void>();
  #serial = 0;

  private constructor(x: XConnection, protocols: number, ping: number) {
    this.#x = x;
    this.#protocols = protocols;
    this.#ping = ping;
    // Qt answers to clients that select StructureNotify on the root window, GTK to those that select SubstructureNotify.
    x.selectRootEvents(eventMasks.structureNotify | eventMasks.substructureNotify);
    x.onEvent((event) => {
      if (event.name !== 'ClientMessage' || event.message_type !== protocols) return;
      const data = event.data as number[];
      if (data[0] === ping) this.#pending.get(data[1] ?? 0)?.();
    });
  }

  static async create(x: XConnection): Promise<WindowPing> {
    const [protocols, ping] = await Promise.all([x.atom('WM_PROTOCOLS'), x.atom('_NET_WM_PING')]);
    return new WindowPing(x, protocols, ping);
  }

  /** True if the window declares that it answers pings. xterm and Tk do not, and a closed window does not. */
  isSupportedBy(window: number): Promise<boolean> {
    return this.#x.values(window, 'WM_PROTOCOLS').then(
      (protocols) => protocols.includes(this.#ping),
      () => false,
    );
  }

  /**
   * Sends nothing to a window that does not declare pings: xterm takes every message of WM_PROTOCOLS for a request to close.
   * @returns false if the window did not answer in time: it is busy, stopped, or does not support pings
   */
  async send(window: number, timeoutMs: number): Promise<boolean> {
    return (await this.isSupportedBy(window)) && this.#ask(window, timeoutMs);
  }

  #ask(window: number, timeoutMs: number): Promise<boolean> {
    this.#serial += 1;
    const serial = this.#serial;
    return new Promise((resolve) => {
      const timer = this.#x.timers.setTimeout(() => end(false), timeoutMs);
      const end = (hasAnswered: boolean) => {
        this.#x.timers.clearTimeout(timer);
        this.#pending.delete(serial);
        resolve(hasAnswered);
      };
      this.#pending.set(serial, () => end(true));
      const event = Buffer.alloc(32);
      event[0] = 33; // ClientMessage
      event[1] = 32;
      [window, this.#protocols, this.#ping, serial, window].forEach((value, index) =>
        event.writeUInt32LE(value >>> 0, 4 + 4 * index),
      );
      this.#x.client.SendEvent(window, 0, 0, event);
    });
  }
}
