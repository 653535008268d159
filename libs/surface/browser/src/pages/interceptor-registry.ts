import { randomUUID } from 'node:crypto';
import type { CDPSession, Frame, Page } from 'playwright-core';
import {
  commandSource,
  interceptorSource,
  type HitAnswer,
  type HitReport,
  type HitResult,
  type InterceptorCommand,
  type PointerInput,
} from '../injected/hit-target-interceptor.ts';

/** Function of the isolated world that reports to this process. */
const BINDING = 'reportHit';

/** The hit target interceptors of one page: one in an isolated world of each of its documents. */
export class Interceptors {
  /** Type of the events that carry commands. */
  readonly token = `ph-${randomUUID()}`;
  readonly #page: Page;
  /** Lines to frames that have a process of their own. */
  readonly #wires = new WeakMap<Frame, CDPSession>();
  /** Worlds of the interceptors, by the line to their process. */
  readonly #worlds = new Map<CDPSession, Set<number>>();
  #count = 0;
  /** Takes the report of the last input. */
  #report = (_: HitResult) => {};
  #reported: Promise<HitResult> = new Promise(() => undefined);
  /** Command for documents that come while an input is expected. */
  #guard: string | null = null;
  /** True if an interceptor may stop events. */
  #isArmed = false;

  constructor(page: Page) {
    this.#page = page;
    page.on('framenavigated', (frame) => this.#addToFrame(frame));
    for (const frame of page.frames()) this.#addToFrame(frame);
  }

  /** What names the next input. Reports of the ones before are dropped. */
  next(): { token: string; id: number } {
    this.#count += 1;
    const { promise, resolve } = Promise.withResolvers<HitResult>();
    this.#reported = promise;
    this.#isArmed = true;
    this.#report = (result) => {
      /* The document of the target lets everything through from then on. */
      if (result.hit === 'target') {
        this.#guard = null;
        if (this.#worldCount === 1) this.#isArmed = false;
      }
      resolve(result);
    };
    return { token: this.token, id: this.#count };
  }

  /** What the last input hit, once its first event came to a document. */
  get reported(): Promise<HitResult> {
    return this.#reported;
  }

  /** Arms the interceptors of all documents but that of the target: an input that comes there misses it. */
  async guard(id: number, input: PointerInput): Promise<void> {
    this.#guard = commandSource('guard', id, input);
    if (this.#worldCount > 1) await this.#runAll('guard', id, input);
  }

  /** Returns what an input hit, from the answers of all interceptors. */
  async read(id: number): Promise<HitResult> {
    const answers = (await this.#runAll('read', id)) as (HitAnswer | null)[];
    const known = answers.filter((answer) => answer !== null);
    const own = known.find(({ isOfTarget }) => isOfTarget)?.result;
    if (own?.hit === 'target') return own;
    return known.find(({ result }) => result.hit === 'other')?.result ?? own ?? { hit: 'gone' };
  }

  /** Lets everything through. */
  async disarm(): Promise<void> {
    this.#guard = null;
    if (!this.#isArmed) return;
    this.#isArmed = false;
    await this.#runAll('stop');
  }

  /** Stops clicks and the Escape key in all documents until `disarm`. */
  async mute(): Promise<void> {
    this.#isArmed = true;
    this.#guard = commandSource('mute');
    await this.#runAll('mute');
  }

  /** Puts the interceptor into all documents of a process, and into those that come. @param wire a line to the process */
  async add(wire: CDPSession): Promise<void> {
    if (!this.#worlds.has(wire)) this.#listen(wire);
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

  #listen(wire: CDPSession): void {
    const worlds = new Set<number>();
    this.#worlds.set(wire, worlds);
    wire.on('close', () => this.#worlds.delete(wire));
    wire.on('Runtime.executionContextCreated', ({ context: { id, name } }) => {
      if (name !== this.token) return;
      worlds.add(id);
      if (this.#guard !== null) void this.#run(wire, id, this.#guard);
    });
    wire.on('Runtime.executionContextDestroyed', ({ executionContextId }) => worlds.delete(executionContextId));
    wire.on('Runtime.executionContextsCleared', () => worlds.clear());
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

  /** Puts the interceptor into a frame that has a process of its own. */
  #addToFrame(frame: Frame): void {
    const covered = async () => {
      const wire = frame.parentFrame() && (await this.#wireOf(frame));
      if (wire && !this.#worlds.has(wire)) await this.add(wire);
    };
    covered().catch(() => undefined);
  }

  get #worldCount(): number {
    let count = 0;
    for (const worlds of this.#worlds.values()) count += worlds.size;
    return count;
  }

  /** Runs a command in all documents. @returns null for those that are gone */
  #runAll(command: InterceptorCommand, ...given: readonly (string | number)[]): Promise<unknown[]> {
    const source = commandSource(command, ...given);
    const ran = [...this.#worlds].flatMap(([wire, worlds]) => [...worlds].map((id) => this.#run(wire, id, source)));
    return Promise.all(ran);
  }

  async #run(wire: CDPSession, contextId: number, expression: string): Promise<unknown> {
    const ran = await wire.send('Runtime.evaluate', { expression, contextId, returnByValue: true }).catch(() => null);
    return ran?.result.value ?? null;
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
