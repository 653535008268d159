import { actionNames, readOnlyActions, type Action } from '@pilothouse/contract/actions/action-sets';
import { conditionTexts, type Condition } from '@pilothouse/contract/actions/condition.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import type { StorageState } from '@pilothouse/contract/project/profile.schema';
import { uriOriginIdOf } from '@pilothouse/core/origin/uri-origin';
import type { Context } from '@pilothouse/core/ports/runtime.port';
import type { ActionServices, ActionOutcome, Screenshot } from '@pilothouse/core/ports/surface-action.port';
import type { Anchors, OpenOptions, PageSurface, SurfaceHost } from '@pilothouse/core/ports/surface.port';
import { systemTimers } from '@pilothouse/core/time/timers';

/** Behavior of null surfaces for a spec or a benchmark without a browser. */
export interface NullSurfaceScript {
  /** Called with each action before its input is sent; may wait or throw. */
  beforeAction?(action: Action, context: ActionServices, surface: NullSurface): Promise<void> | void;
  /** Called before a surface restores a state. */
  beforeRestore?(context: Pick<ActionServices, 'guard'> & Context): Promise<void> | void;
  /** Result of an action; replaces the default. */
  outcome?(action: Action): Partial<ActionOutcome> | undefined;
}

/** One input of a null surface. Inputs are ordered across all surfaces of the host. */
export interface NullSurfaceCall {
  readonly folder: string;
  readonly action: Action;
  /** The typed text, including secrets. */
  readonly typed?: string;
}

/** A host whose surfaces show nothing and succeed at once, so that only the run lifecycle remains. */
export class NullSurfaceHost implements SurfaceHost {
  readonly kind = 'browser';
  readonly capabilities = { actions: new Set(actionNames) };
  /** Every sent input. */
  readonly inputs: NullSurfaceCall[] = [];
  readonly surfaces: NullSurface[] = [];
  private readonly script: NullSurfaceScript | undefined;

  /** @param script without one, no input is recorded */
  constructor(script?: NullSurfaceScript) {
    this.script = script;
  }

  open(options: OpenOptions, { signal }: Context): Promise<NullSurface> {
    signal.throwIfAborted();
    const surface = new NullSurface(options, this.script ? this.inputs : undefined, this.script ?? {});
    if (this.script) this.surfaces.push(surface);
    return Promise.resolve(surface);
  }

  async close(): Promise<void> {
    await Promise.all(this.surfaces.map((surface) => surface.close()));
  }
}

/** A page that consists of its URL, which is also its text and its title. */
export class NullSurface implements PageSurface {
  readonly isWaiting = false;
  readonly folder: string;
  /** Options of its opening. A script may report files as if the site had sent them. */
  readonly options: OpenOptions;
  isClosed = false;
  /** URLs that were opened or restored, in order. */
  readonly visitedUrls: string[] = [];
  private url = 'about:blank';
  private isTouched = false;
  private readonly inputs: NullSurfaceCall[] | undefined;
  private readonly script: NullSurfaceScript;
  private readonly lossController = new AbortController();

  constructor(options: OpenOptions, inputs: NullSurfaceCall[] | undefined, script: NullSurfaceScript) {
    this.options = options;
    this.folder = options.folder;
    this.inputs = inputs;
    this.script = script;
  }

  get lossSignal(): AbortSignal {
    return this.lossController.signal;
  }

  /** Simulates the loss of the surface. */
  crash(): void {
    this.lossController.abort(new PilothouseError('SURFACE_LOST', 'The page crashed'));
  }

  anchors({ signal }: Context): Promise<Anchors> {
    signal.throwIfAborted();
    return Promise.resolve({ url: this.url, title: this.url });
  }

  async act(action: Action, context: ActionServices): Promise<ActionOutcome> {
    await this.script.beforeAction?.(action, context, this);
    const origin = uriOriginIdOf(this.url) ?? 'null';
    const typed =
      action.action === 'fill' || action.action === 'type' ? await context.reveal(action.text, origin) : undefined;
    if (action.action === 'upload') await context.file(action.file);
    if (action.action === 'waitFor' || action.action === 'assert') await this.expect(action.condition, context);
    context.guard();
    this.inputs?.push({ folder: this.folder, action, ...(typed !== undefined && { typed }) });
    if (action.action === 'navigate') this.goTo(action.url);
    else if (!readOnlyActions.has(action.action)) this.isTouched = true;
    return { located: null, ...this.defaultOutcome(action), ...this.script.outcome?.(action) };
  }

  async expect(condition: Condition, context: Context): Promise<void> {
    const missing = this.findMissingText(condition);
    if (missing === undefined) return;
    // A null page never changes by itself.
    await systemTimers.delay(Math.max(0, context.deadline - performance.now()), context.signal);
    throw new PilothouseError('CONDITION_NOT_MET', `"${missing}" not found: the page is ${this.url}`);
  }

  isMet(condition: Condition, { signal }: Context): Promise<boolean> {
    signal.throwIfAborted();
    return Promise.resolve(this.findMissingText(condition) === undefined);
  }

  readDropdown(): Promise<null> {
    return Promise.resolve(null);
  }

  /** A null page opens no file chooser. */
  onFileChooser(): () => void {
    return () => undefined;
  }

  openPage({ signal }: Context): Promise<NullSurface> {
    signal.throwIfAborted();
    return Promise.resolve(new NullSurface(this.options, this.inputs, this.script));
  }

  waitForFiles(): Promise<never[]> {
    return Promise.resolve([]);
  }

  observe(): Promise<Observation> {
    return Promise.reject(new PilothouseError('ACTION_UNSUPPORTED', 'This surface has no elements'));
  }

  waitUntilIdle(): Promise<boolean> {
    return Promise.resolve(false);
  }

  screenshot(_options: object, { signal }: Context): Promise<Screenshot> {
    signal.throwIfAborted();
    return Promise.resolve(onePixel);
  }

  save(): Promise<string | null> {
    return Promise.resolve(
      this.isClosed || this.isTouched || this.lossController.signal.aborted
        ? null
        : JSON.stringify({ v: 1, url: this.url }),
    );
  }

  async restore(state: string, context: Pick<ActionServices, 'guard'> & Context): Promise<void> {
    context.signal.throwIfAborted();
    const url = urlOf(state);
    await this.script.beforeRestore?.(context);
    context.guard();
    this.goTo(url);
  }

  /** Returns the profile that it was opened with. */
  profile({ signal }: Context): Promise<StorageState> {
    signal.throwIfAborted();
    return Promise.resolve(this.options.profile ?? { cookies: [], origins: [] });
  }

  private goTo(url: string): void {
    this.url = url;
    this.isTouched = false;
    if (this.inputs) this.visitedUrls.push(url);
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }

  private findMissingText({ url, title, text }: Condition): string | undefined {
    const wanted = [url, title, ...conditionTexts({ text })].filter((part) => part !== undefined);
    return wanted.find((part) => !decodeURI(this.url).toLowerCase().includes(part.toLowerCase()));
  }

  private defaultOutcome(action: Action): Partial<ActionOutcome> {
    if (action.action === 'screenshot') return { screenshot: onePixel };
    if (action.action !== 'extract') return {};
    return { value: action.value ? this.url : [] };
  }
}

/** @throws PilothouseError PROTOCOL_INVALID for a state that `save` of this version did not write */
function urlOf(state: string): string {
  const saved = /^\{"v":1,/.test(state) ? (JSON.parse(state) as { url?: unknown }) : {};
  if (typeof saved.url === 'string') return saved.url;
  throw new PilothouseError('PROTOCOL_INVALID', 'The saved state of the surface is not readable: its version is not 1');
}

const onePixel: Screenshot = {
  body: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
  contentType: 'image/png',
  width: 1,
  height: 1,
};
