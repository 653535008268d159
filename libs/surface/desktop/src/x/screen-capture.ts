import type { XDamage, XShm, XShmSegment } from 'x11';
import { CaretBlink, isThinCaret } from './caret-blink.ts';
import { CaretPixels } from './caret-pixels.ts';
import { boundingRectangle, type Rectangle } from './rectangle.ts';
import type { XConnection } from './x-connection.ts';

/** Pixels of the screen, four bytes each: red, green, blue, 255. */
export interface ScreenImage {
  readonly width: number;
  readonly height: number;
  readonly data: Buffer;
}

const BYTES_PER_PIXEL = 4;
const ALL_PLANES = 0xffffffff;
const Z_PIXMAP = 2;

/** Reads the screen through shared memory (MIT-SHM), and reports which parts of it changed (DAMAGE). */
export class ScreenCapture {
  readonly #x: XConnection;
  readonly #segment: XShmSegment | null;
  readonly #damageId: number;
  #damaged: Rectangle | null;
  #version = 0;
  #changedAt: number;
  readonly #caret = new CaretBlink();
  readonly #caretPixels = new CaretPixels((area) => this.#readArea(area));
  readonly #restWaiters = new Set<() => void>();
  readonly #waiters = new Set<() => void>();
  readonly #damageListeners = new Set<(area: Rectangle) => void>();

  private constructor(x: XConnection, segment: XShmSegment | null, damage: XDamage) {
    this.#x = x;
    this.#changedAt = x.timers.monotonic();
    this.#segment = segment;
    this.#damaged = { x: 0, y: 0, width: x.width, height: x.height };
    this.#damageId = x.client.AllocID();
    damage.Create(this.#damageId, x.root, damage.ReportLevel.DeltaRectangles);
    x.onEvent((event) => {
      if (event.name !== 'DamageNotify') return;
      const { x: left, y: top, w: width, h: height } = event.area as { x: number; y: number; w: number; h: number };
      // The server reports a region again only after it was subtracted.
      damage.Subtract(this.#damageId, 0, 0);
      const area = { x: left, y: top, width, height };
      this.#damaged = boundingRectangle(this.#damaged ? [this.#damaged, area] : [area]);
      this.#version += 1;
      const now = x.timers.monotonic();
      if (!this.#caret.isBlink(area, now)) void this.#recordChange(area, now);
      // A typed letter may be as small as the area of a caret.
      if (!isThinCaret(area)) for (const listener of this.#damageListeners) listener(area);
      for (const waiter of this.#waiters) waiter();
    });
  }

  static async create(x: XConnection): Promise<ScreenCapture> {
    const shm = await x.request<XShm>((reply) => x.client.require('shm', reply)).catch(() => null);
    const isUsable = shm !== null && (await x.request<boolean>((reply) => shm.usable(reply)));
    const bytes = x.width * x.height * BYTES_PER_PIXEL;
    const segment = isUsable ? await x.request<XShmSegment>((reply) => shm.createSegment(bytes, reply)) : null;
    const damage = await x.request<XDamage>((reply) => x.client.require('damage', reply));
    return new ScreenCapture(x, segment, damage);
  }

  /** Number of changes so far. Equal numbers mean an equal screen. */
  get version(): number {
    return this.#version;
  }

  /** Milliseconds since the last change. A blinking caret is no change. */
  get unchangedMs(): number {
    return this.#x.timers.monotonic() - this.#changedAt;
  }

  /** Sets the time of the last change, unless only a caret blinks in the area. */
  async #recordChange(area: Rectangle, now: number): Promise<void> {
    // Most changes are recorded at once.
    const isBlink =
      this.#caretPixels.quickAnswer(area, now) ?? (await this.#caretPixels.isBlink(area, now).catch(() => false));
    if (isBlink) return;
    this.#changedAt = Math.max(this.#changedAt, now);
    for (const waiter of this.#restWaiters) waiter();
  }

  /** Waits while the screen has been unchanged for at least `stableMs`, at most `timeoutMs`. @returns milliseconds without a change */
  async restEnd(stableMs: number, timeoutMs: number): Promise<number> {
    if (this.unchangedMs < stableMs) return this.unchangedMs;
    await new Promise<void>((resolve) => {
      const end = () => {
        this.#x.timers.clearTimeout(timer);
        this.#restWaiters.delete(end);
        resolve();
      };
      const timer = this.#x.timers.setTimeout(end, timeoutMs);
      this.#restWaiters.add(end);
    });
    return this.unchangedMs;
  }

  /** Calls back with each part of the screen that changes, except areas as thin as a caret. */
  onDamage(listener: (area: Rectangle) => void): void {
    this.#damageListeners.add(listener);
  }

  /** Marks the whole screen as changed. Call it when the redacted areas change. */
  invalidate(): void {
    this.#damaged = { x: 0, y: 0, width: this.#x.width, height: this.#x.height };
    this.#version += 1;
    for (const waiter of this.#waiters) waiter();
  }

  /** Returns the part of the screen that changed since the last call; null if nothing changed. */
  takeDamage(): Rectangle | null {
    const damaged = this.#damaged;
    this.#damaged = null;
    return damaged;
  }

  /** @returns false if nothing changed before the timeout or the signal */
  changed(timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    if (this.#damaged !== null) return Promise.resolve(true);
    return new Promise((resolve) => {
      const end = (hasChanged: boolean) => {
        this.#x.timers.clearTimeout(timer);
        this.#waiters.delete(onChange);
        signal?.removeEventListener('abort', onAbort);
        resolve(hasChanged);
      };
      const onChange = () => end(true);
      const onAbort = () => end(false);
      const timer = this.#x.timers.setTimeout(() => end(false), timeoutMs);
      this.#waiters.add(onChange);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Reads the screen. */
  async capture(): Promise<ScreenImage> {
    const { width, height } = this.#x;
    return { width, height, data: rgbaOf(await this.#read(width, height)) };
  }

  async #readArea({ x, y, width, height }: Rectangle): Promise<Buffer> {
    const { client, root } = this.#x;
    const image = await this.#x.request<{ data: Buffer }>((reply) =>
      client.GetImage(Z_PIXMAP, root, x, y, width, height, ALL_PLANES, reply),
    );
    return image.data;
  }

  async #read(width: number, height: number): Promise<Buffer> {
    const { client, root } = this.#x;
    const segment = this.#segment;
    if (segment === null) {
      const image = await this.#x.request<{ data: Buffer }>((reply) =>
        client.GetImage(Z_PIXMAP, root, 0, 0, width, height, ALL_PLANES, reply),
      );
      return image.data;
    }
    const { size } = await this.#x.request<{ size: number }>((reply) =>
      segment.getImage(root, 0, 0, width, height, ALL_PLANES, null, 0, reply),
    );
    return segment.buffer.subarray(0, size);
  }
}

/** Converts pixels of the server (blue, green, red, unused) to red, green, blue, 255. */
function rgbaOf(pixels: Buffer): Buffer {
  const aligned = pixels.byteOffset % BYTES_PER_PIXEL === 0 ? pixels : Buffer.from(pixels);
  const source = new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length / BYTES_PER_PIXEL);
  const target = new Uint32Array(source.length);
  for (let index = 0; index < source.length; index += 1) {
    const value = source[index] ?? 0;
    target[index] = 0xff000000 | (value & 0xff00) | ((value & 0xff) << 16) | ((value >>> 16) & 0xff);
  }
  return Buffer.from(target.buffer);
}
