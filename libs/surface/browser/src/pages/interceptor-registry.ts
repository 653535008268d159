import { randomUUID } from 'node:crypto';
import type { CDPSession, Frame, Page } from 'playwright-core';
import { createdFileSource, type CreatedFile } from '../injected/created-file.ts';
import type {
  HitAnswer,
  HitReport,
  HitResult,
  KeyInput,
  PressAnswer,
  PointerInput,
  TextDestination,
} from '../injected/hit-result.ts';
import { commandSource, interceptorSource, type InterceptorCommand } from '../injected/hit-target-interceptor.ts';
import { handlesPress } from './press-listeners.ts';

/** Binding in the isolated world that reports hits to this process. */
const BINDING = 'reportHit';

/** Binding that reports files that a page creates. */
const FILE_BINDING = 'reportFile';

/** Hit target interceptors of one page: one per document, in an isolated world. */
export class InterceptorRegistry {
  /** Type of the events that carry commands. */
  readonly token = `ph-${randomUUID()}`;
  readonly #page: Page;
  /** Sessions of frames in a separate process. */
  readonly #sessions = new WeakMap<Frame, CDPSession>();
  /** Execution contexts of the interceptors by session. */
  readonly #worlds = new Map<CDPSession, Set<number>>();
  #count = 0;
  /** Receives the report of the last input. */
  #report = (_: HitResult) => {};
  #lastReport: HitResult | null = null;
  #reported: Promise<HitResult> = new Promise(() => undefined);
  /** Number of clicks of the last press that reached its target. */
  #clicks = 0;
  #onClicks = () => {};
  /** Command for documents that load while an input is expected. */
  #guard: string | null = null;
  /** True if an interceptor may stop events. */
  #isArmed = false;
  #createdFile: CreatedFile | null = null;

  constructor(page: Page) {
    this.#page = page;
    page.on('framenavigated', (frame) => this.#addToFrame(frame));
    for (const frame of page.frames()) this.#addToFrame(frame);
  }

  /** Returns and drops the content of a created PDF that the page opened in its own tab; null for any other URL. */
  popCreatedFile(url: string): Buffer | null {
    const file = this.#createdFile;
    this.#createdFile = null;
    return file?.url === url ? Buffer.from(file.base64, 'base64') : null;
  }

  /** Starts the next input. Reports of earlier ones are dropped. */
  next(input: PointerInput | KeyInput): { token: string; id: number } {
    this.#count += 1;
    const { promise, resolve } = Promise.withResolvers<HitResult>();
    this.#reported = promise;
    this.#isArmed = true;
    this.#clicks = 0;
    this.#onClicks = () => {};
    this.#lastReport = null;
    this.#report = (result) => {
      this.#lastReport = result;
      // From now on, the document of the target lets everything through.
      if (result.hit === 'target') {
        this.#guard = null;
        // A press is followed to its click.
        if (input !== 'press') this.#settle();
      }
      resolve(result);
    };
    return { token: this.token, id: this.#count };
  }

  /** Hit of the last input, set when its first event reaches a document. */
  get reported(): Promise<HitResult> {
    return this.#reported;
  }

  /** Report of the last input so far. */
  get lastReport(): HitResult | null {
    return this.#lastReport;
  }

  /** Number of clicks of the last press that are known to have reached its target. */
  get clicks(): number {
    return this.#clicks;
  }

  /** Resolves when the clicks of the last press reached its target. */
  async waitForClicks(count: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#onClicks = () => {
        if (this.#clicks >= count) resolve();
      };
    });
  }

  /** Returns what a press did that reached its target; null if its document is gone. */
  async readPress(id: number): Promise<PressAnswer | null> {
    // The interceptor still follows the press.
    this.#isArmed = true;
    const answers = (await this.#runAll('press', id)) as (PressAnswer | null)[];
    return answers.find((answer) => answer !== null) ?? null;
  }

  /** True if the page has handlers for parts of a press on its target or around it, below the document. */
  async handlesPress(id: number): Promise<boolean> {
    const answers = [...this.#worlds].flatMap(([cdp, worlds]) =>
      [...worlds].map((world) => handlesPress(cdp, world, commandSource('target', id))),
    );
    return (await Promise.all(answers)).includes(true);
  }

  /** Arms the interceptors of all documents except that of the target. Input that arrives there missed its target. */
  async guard(id: number, input: PointerInput | KeyInput): Promise<void> {
    this.#guard = commandSource('guard', id, input);
    if (this.#worldCount > 1) await this.#runAll('guard', id, input);
  }

  /** Returns what an input hit, from the answers of all interceptors. */
  async read(id: number): Promise<HitResult> {
    const answers = (await this.#runAll('read', id)) as (HitAnswer | null)[];
    const existing = answers.filter((answer) => answer !== null);
    const targetResult = existing.find(({ isOfTarget }) => isOfTarget)?.result;
    if (targetResult?.hit === 'target') return targetResult;
    return existing.find(({ result }) => result.hit === 'other')?.result ?? targetResult ?? { hit: 'gone' };
  }

  /** Returns the destination of a text; null if its document is gone. */
  async readText(id: number): Promise<TextDestination | null> {
    const answers = (await this.#runAll('read', id)) as (HitAnswer | null)[];
    return answers.find((answer) => answer?.isOfTarget)?.text ?? null;
  }

  /** Lets all input through. */
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

  /** The only interceptor stops no further events. */
  #settle(): void {
    if (this.#worldCount === 1) this.#isArmed = false;
  }

  /** Installs the interceptor in all current and future documents of a process. @param cdp session of the process */
  async add(cdp: CDPSession): Promise<void> {
    if (!this.#worlds.has(cdp)) this.#listen(cdp);
    await cdp.send('Page.addScriptToEvaluateOnNewDocument', {
      source: `${interceptorSource(this.token, BINDING)}\n${createdFileSource(FILE_BINDING)}`,
      worldName: this.token,
      runImmediately: true,
    });
  }

  /**
   * Installs the interceptor in the process of a frame, which is its own, or again after `document.open` removed the
   * listeners.
   */
  async install(frame: Frame, pageSession: CDPSession | null): Promise<void> {
    for (let ancestor: Frame | null = frame; ancestor?.parentFrame(); ancestor = ancestor.parentFrame()) {
      const cdp = await this.#sessionOf(ancestor);
      if (cdp) return this.add(cdp);
    }
    await this.add(pageSession ?? (await this.#page.context().newCDPSession(this.#page)));
  }

  #listen(cdp: CDPSession): void {
    const worlds = new Set<number>();
    this.#worlds.set(cdp, worlds);
    cdp.on('close', () => this.#worlds.delete(cdp));
    cdp.on('Runtime.executionContextCreated', ({ context: { id, name } }) => {
      if (name !== this.token) return;
      worlds.add(id);
      if (this.#guard !== null) void this.#run(cdp, id, this.#guard);
    });
    cdp.on('Runtime.executionContextDestroyed', ({ executionContextId }) => worlds.delete(executionContextId));
    cdp.on('Runtime.executionContextsCleared', () => worlds.clear());
    cdp.on('Runtime.bindingCalled', ({ name, payload }) => {
      if (name === FILE_BINDING) this.#createdFile = JSON.parse(payload) as CreatedFile;
      if (name !== BINDING) return;
      const { id, result, clicks } = JSON.parse(payload) as HitReport;
      if (id !== this.#count) return;
      if (result) this.#report(result);
      if (clicks === undefined) return;
      this.#clicks = clicks;
      this.#settle();
      this.#onClicks();
    });
    // Chromium adds bindings only if the domain is enabled.
    const commands = [
      cdp.send('Runtime.enable'),
      ...[BINDING, FILE_BINDING].map((name) =>
        cdp.send('Runtime.addBinding', { name, executionContextName: this.token }),
      ),
    ];
    for (const command of commands) command.catch(() => undefined);
  }

  /** Installs the interceptor in a frame with a separate process. */
  #addToFrame(frame: Frame): void {
    const installIfSeparate = async () => {
      const cdp = frame.parentFrame() && (await this.#sessionOf(frame));
      if (cdp && !this.#worlds.has(cdp)) await this.add(cdp);
    };
    installIfSeparate().catch(() => undefined);
  }

  get #worldCount(): number {
    let count = 0;
    for (const worlds of this.#worlds.values()) count += worlds.size;
    return count;
  }

  /** Runs a command in all documents. @returns null for documents that are gone */
  #runAll(command: InterceptorCommand, ...args: readonly (string | number)[]): Promise<unknown[]> {
    const source = commandSource(command, ...args);
    const evaluation = [...this.#worlds].flatMap(([cdp, worlds]) =>
      [...worlds].map((id) => this.#run(cdp, id, source)),
    );
    return Promise.all(evaluation);
  }

  async #run(cdp: CDPSession, contextId: number, expression: string): Promise<unknown> {
    const evaluation = await cdp
      .send('Runtime.evaluate', { expression, contextId, returnByValue: true })
      .catch(() => null);
    return evaluation?.result.value ?? null;
  }

  /** Returns the session of a frame's process; null if it shares the process of its parent. */
  async #sessionOf(frame: Frame): Promise<CDPSession | null> {
    const existing = this.#sessions.get(frame);
    if (existing) return existing;
    const cdp = await this.#page
      .context()
      .newCDPSession(frame)
      .catch(() => null);
    if (!cdp) return null;
    this.#sessions.set(frame, cdp);
    cdp.on('close', () => this.#sessions.delete(frame));
    return cdp;
  }
}
