import { randomUUID } from 'node:crypto';
import type { CDPSession, Frame, Page } from 'playwright-core';
import { interceptorSource, type HitReport, type HitResult } from '../page/hit-target-interceptor.ts';

/** Function of the isolated world that reports to this process. */
const BINDING = 'reportHit';

/** The hit target interceptors of one page: one in an isolated world of each of its documents. */
export class Interceptors {
  /** Type of the events that carry commands. */
  readonly token = `ph-${randomUUID()}`;
  readonly #page: Page;
  /** Lines to frames that have a process of their own. */
  readonly #wires = new WeakMap<Frame, CDPSession>();
  readonly #listens = new WeakSet<CDPSession>();
  #count = 0;
  /** Takes the report of the last input. */
  #report = (_: HitResult) => {};
  #reported: Promise<HitResult> = new Promise(() => undefined);

  constructor(page: Page) {
    this.#page = page;
  }

  /** What names the next input. Reports of the ones before are dropped. */
  next(): { token: string; id: number } {
    this.#count += 1;
    const { promise, resolve } = Promise.withResolvers<HitResult>();
    this.#reported = promise;
    this.#report = resolve;
    return { token: this.token, id: this.#count };
  }

  /** What the last input hit, once its first event came to a document. */
  get reported(): Promise<HitResult> {
    return this.#reported;
  }

  /** Puts the interceptor into all documents of a process, and into those that come. @param wire a line to the process */
  async add(wire: CDPSession): Promise<void> {
    if (!this.#listens.has(wire)) {
      this.#listens.add(wire);
      wire.on('Runtime.bindingCalled', ({ name, payload }) => {
        if (name !== BINDING) return;
        const { id, result } = JSON.parse(payload) as HitReport;
        if (id === this.#count) this.#report(result);
      });
      /* Chromium adds bindings only where the domain is enabled. */
      const bound = [
        wire.send('Runtime.enable'),
        wire.send('Runtime.addBinding', { name: BINDING, executionContextName: this.token }),
      ];
      for (const each of bound) each.catch(() => undefined);
    }
    await wire.send('Page.addScriptToEvaluateOnNewDocument', {
      source: interceptorSource(this.token, BINDING),
      worldName: this.token,
      runImmediately: true,
    });
  }

  /** The same for the process of one frame: it is one of its own, or `document.open` took the listeners away. */
  async install(frame: Frame, ofPage: CDPSession | null): Promise<void> {
    for (let at: Frame | null = frame; at?.parentFrame(); at = at.parentFrame()) {
      const wire = await this.#wireOf(at);
      if (wire) return this.add(wire);
    }
    await this.add(ofPage ?? (await this.#page.context().newCDPSession(this.#page)));
  }

  /** A line to the process of a frame; null for one that is in the process of its parent. */
  async #wireOf(frame: Frame): Promise<CDPSession | null> {
    const known = this.#wires.get(frame);
    if (known) return known;
    const wire = await this.#page
      .context()
      .newCDPSession(frame)
      .catch(() => null);
    if (!wire) return null;
    this.#wires.set(frame, wire);
    wire.on('close', () => this.#wires.delete(frame));
    return wire;
  }
}
