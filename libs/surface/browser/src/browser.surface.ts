import {
  PilothouseError,
  readOnlyActions,
  type Action,
  type Condition,
  type Locator,
  type Observation,
  type DropdownOptions,
  type StorageState,
  type PageInput,
} from '@pilothouse/contract';
import {
  type ScreencastSink,
  type ActionServices,
  type Anchors,
  type ActionOutcome,
  type Context,
  type FileChooser,
  type Log,
  type ObserveOptions,
  type OpenOptions,
  type Screenshot,
  type ScreenshotOptions,
  type Surface,
  type InputTarget,
  limitDeadline,
  raceDeadline,
  remainingMs,
  delayWithin,
  systemTimers,
} from '@pilothouse/core';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { browserActionHandlers } from './browser.actions.ts';
import type { ClipboardState } from './clipboard/run-clipboard.ts';
import { takeScreenshot } from './browser.screen.ts';
import { checkCondition, waitForCondition } from './actions/wait.actions.ts';
import { SurfaceFiles } from './pages/downloads.ts';
import { toSurfaceError } from './playwright-errors.ts';
import { profileOrigins, readProfile } from './state/profile-state.ts';
import { ResponseLog } from './pages/network-activity.ts';
import type { PreparedContext } from './context/browser-context.ts';
import {
  type StorageByOrigin,
  recordSiblingStorage,
  readPageStorage,
  restoreState,
  saveState,
} from './browser.state.ts';
import { sendInput, playwrightTimeout } from './browser.input.ts';
import { dialogApprovalRequired } from './pages/page-dialogs.ts';
import { parseState, type StorageEntries } from './state/state-format.ts';
import { TrackedPage, documentTitle } from './pages/tracked-page.ts';
import { SurfacePages } from './pages/surface-pages.ts';
import { SecretRedactor } from './pages/secret-redaction.ts';
import { readDropdown, sendControlInput, describeElementAt } from './browser.control.ts';
import { waitUntilIdle } from './pages/page-idle.ts';
import { PageOwnership } from './pages/page-ownership.ts';
import { BrowserObserver } from './browser.observation.ts';
import { observeWithLocators } from './observation/add-locators.ts';
import { handlerFor, type ActionContext } from './action-context.ts';
import { callServices, createActionContext, type CallServices } from './create-action-context.ts';

/** Maximum wait of a screenshot or of the anchors for a loading page. */
const PAGE_WAIT_MS = 3000;

/** Maximum time for closing a context before it is abandoned. */
const CLOSE_TIMEOUT_MS = 5000;

/** Maximum time for reading the storage of a sibling page. */
const SIBLING_STORAGE_MS = 3000;

/** Actions that may leave the current page. */
const leavingActions: ReadonlySet<Action['action']> = new Set([
  'navigate',
  'goBack',
  'goForward',
  'switchTab',
  'closeTab',
]);

/** Maximum delay between a failed call on a page and the notice that the page is lost. */
const LOSS_NOTICE_MS = 100;

/** State shared by all surfaces on pages of one context. */
interface SharedState {
  readonly ownership: PageOwnership;
  readonly redactor: SecretRedactor;
  readonly options: OpenOptions;
  /** Storage of the first surface by origin. */
  readonly origins: StorageByOrigin;
  /** Number of siblings opened so far. */
  siblingCount: number;
}

/** Pages of one isolated browser context for one attempt of a run, without those of sibling surfaces. */
export class BrowserSurface implements Surface {
  /** Called once when the surface is closed, or with false if it did not close in time. */
  onClose = (_isClosed: boolean) => {};
  readonly #prepared: PreparedContext;
  readonly #pages: SurfacePages;
  readonly #origins: StorageByOrigin = new Map();
  readonly #shared: SharedState;
  readonly #siblings = new Set<BrowserSurface>();
  readonly #isFirst: boolean;
  readonly #onContextClose: () => void;
  readonly #lost = new AbortController();
  #log: Log;
  #closing: Promise<void> | null = null;
  /** Clipboard content that was already returned. */
  #returnedCopy: ClipboardState | null = null;

  /** @param shared of the surface whose sibling this is */
  constructor(prepared: PreparedContext, options: OpenOptions, log: Log, shared?: SharedState) {
    const { folder, onFile, recordResponses: keepResponses, recorders: watch, profile } = options;
    this.#prepared = prepared;
    this.#log = log;
    this.#isFirst = shared === undefined;
    this.#shared = shared ?? {
      ownership: new PageOwnership(prepared.context),
      redactor: new SecretRedactor(),
      options,
      origins: this.#origins,
      siblingCount: 0,
    };
    const { redactor, ownership } = this.#shared;
    // A safe point includes the initial storage.
    for (const origin of profileOrigins(profile)) this.#origins.set(origin.origin, origin);
    const files = new SurfaceFiles(folder, (file) => onFile?.(file));
    const responses = keepResponses ? new ResponseLog() : null;
    this.#pages = new SurfacePages(
      prepared.context,
      prepared.tab,
      { files, responses, watch, redactor, ownership },
      {
        crashed: () => this.#markLost('The page crashed'),
        empty: () => this.#markLost('The site closed its last window'),
        log: () => this.#log,
      },
    );
    this.#onContextClose = () => this.#markLost('Chromium went away');
    prepared.context.on('close', this.#onContextClose);
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get isWaiting(): boolean {
    return this.#pages.isWaiting;
  }

  async anchors(context: Context): Promise<Anchors> {
    return this.#run(context, async (ctx) => {
      await this.#waitForPage(ctx);
      const page = ctx.page;
      const title = await raceDeadline(documentTitle(page), ctx, 'The title of the page').catch(() => '');
      ctx.signal.throwIfAborted();
      return { url: page.url(), title };
    });
  }

  async act(action: Action, context: ActionServices): Promise<ActionOutcome> {
    // A navigation is fully described by its URL. The effect of other input depends on the page that receives it.
    let undo = () => {};
    const guard = () => {
      context.guard();
      if (action.action !== 'navigate') undo = this.#pages.inputSent();
    };
    const notSent = () => {
      undo();
      context.onNotSent?.();
    };
    const services = { ...callServices(context), guard, notSent };
    const doAct = async (ctx: ActionContext) => {
      if (!this.#isFirst && !readOnlyActions.has(action.action))
        await this.#recordSiblingStorage(leavingActions.has(action.action)).catch(() => undefined);
      if (!('target' in action) && action.action !== 'screenshot') await ctx.before?.capture(ctx, null);
      this.#pages.popDeclinedDialog();
      const outcome = await handlerFor(browserActionHandlers, action)(ctx, action);
      const declined = this.#pages.popDeclinedDialog();
      if (declined) throw dialogApprovalRequired(declined);
      return outcome;
    };
    return this.#run(context, doAct, services);
  }

  async sendControlInput(
    input: PageInput,
    context: Pick<ActionServices, 'guard'> & Context,
  ): Promise<InputTarget | null> {
    // A page whose dialog waits for a person confirms no input until then.
    const work = (ctx: ActionContext) => this.#pages.untilDialogWaits(sendControlInput(ctx, input));
    return this.#run(context, work, { guard: this.#personGuard(context) });
  }

  /** Guard of input that a person sends. */
  #personGuard(context: Pick<ActionServices, 'guard'>): () => void {
    return () => {
      context.guard();
      this.#pages.inputSent();
    };
  }

  async describeElement(
    locator: Pick<Locator, 'elementIndex' | 'point'>,
    context: Context,
  ): Promise<InputTarget | null> {
    return this.#run(context, (ctx) => describeElementAt(ctx, locator));
  }

  async readDropdown(context: Context): Promise<DropdownOptions['dropdown']> {
    return this.#run(context, (ctx) => readDropdown(ctx));
  }

  async readCopiedText(context: Context): Promise<string | null> {
    return this.#run(context, async ({ clipboard: { state } }) => {
      if (!state?.isNew || state === this.#returnedCopy) return null;
      this.#returnedCopy = state;
      return state.text;
    });
  }

  onFileChooser(onOpen: (chooser: FileChooser) => void): () => void {
    return this.#pages.onFileChooser((chooser) =>
      onOpen({
        isMultiple: chooser.isMultiple(),
        choose: (paths, context) => {
          const setFiles = (ctx: ActionContext) =>
            sendInput(ctx, 'The choice of the files', () =>
              chooser.setFiles([...paths], { timeout: playwrightTimeout(ctx) }),
            );
          const work = async (ctx: ActionContext) => void (await this.#pages.untilDialogWaits(setFiles(ctx)));
          return this.#run(context, work, { guard: this.#personGuard(context) });
        },
      }),
    );
  }

  async expect(condition: Condition, context: Context): Promise<void> {
    await this.#run(context, (ctx) => waitForCondition(ctx, condition));
  }

  async isMet(condition: Condition, context: Context): Promise<boolean> {
    return this.#run(context, async (ctx) => {
      await this.#waitForPage(ctx);
      return checkCondition(ctx, condition);
    });
  }

  async observe(options: ObserveOptions, context: Context): Promise<Observation> {
    return this.#run(context, async (ctx) => {
      await this.#waitForPage(ctx);
      if (options.locators) return observeWithLocators(ctx, options.level ?? 'view');
      return (await BrowserObserver.of(ctx.page).observe(options, ctx)).observation;
    });
  }

  async waitUntilIdle(ms: number, context: Context): Promise<boolean> {
    return this.#run(context, (ctx) => waitUntilIdle(ctx, ms));
  }

  async screenshot(options: ScreenshotOptions, context: Context): Promise<Screenshot> {
    return this.#run(context, async (ctx) => {
      await this.#waitForPage(ctx);
      return takeScreenshot(ctx, options);
    });
  }

  async save(context: Context): Promise<string | null> {
    if (this.#closing || this.lost.aborted) return null;
    return saveState(this.#pages, this.#origins, this.#prepared.clipboard, {
      ...context,
      signal: AbortSignal.any([context.signal, this.lost]),
    });
  }

  async restore(text: string, context: Pick<ActionServices, 'guard'> & Context): Promise<void> {
    const state = parseState(text);
    const work = async (ctx: ActionContext) => {
      const { cdp, history } = this.#pages.current;
      if (!cdp) throw new PilothouseError('SURFACE_LOST', 'The page does not listen');
      await restoreState(ctx, cdp, state);
      history.restoreUrls(state.before);
      this.#prepared.clipboard.state = state.clipboard;
      for (const origin of state.origins) this.#origins.set(origin.origin, origin);
    };
    await this.#run(context, work, { guard: () => context.guard() });
  }

  async profile(context: Context): Promise<StorageState> {
    return this.#run(context, async (ctx) => {
      await this.#waitForPage(ctx);
      return readProfile(this.#prepared.context, await this.#sessionStorage(ctx), ctx);
    });
  }

  /** Returns the session storage of the window: current for its page, as last seen for origins it left. */
  async #sessionStorage(ctx: ActionContext): Promise<Map<string, StorageEntries>> {
    const { page, cdp } = this.#pages.current;
    const states = cdp ? await raceDeadline(readPageStorage(page, cdp), ctx, 'The session storage') : [];
    const current = states.filter((one) => one !== null);
    return new Map([...this.#origins.values(), ...current].map(({ origin, session }) => [origin, session]));
  }

  async waitForFiles(context: Context): Promise<string[]> {
    return this.#run(context, (ctx) => this.#pages.waitForFiles(ctx));
  }

  async openPage(context: Context): Promise<Surface> {
    return this.#run(context, async (ctx) => {
      const { options, ownership } = this.#shared;
      this.#shared.siblingCount += 1;
      const folder = join(options.folder, `beside-${this.#shared.siblingCount}`);
      await mkdir(folder, { recursive: true });
      const tab = new TrackedPage(await raceDeadline(ownership.openPage(), ctx, 'Another page'));
      await raceDeadline(tab.listen(), ctx, 'Another page');
      // Only the first page has a screencast.
      const { screencast: _screencast, ...watch } = options.recorders ?? {};
      const { profile: _profile, ...siblingOptions } = options;
      const surface = new BrowserSurface(
        { ...this.#prepared, tab },
        { ...siblingOptions, folder, recorders: watch },
        context.log,
        this.#shared,
      );
      this.#siblings.add(surface);
      surface.onClose = () => this.#siblings.delete(surface);
      return surface;
    });
  }

  screencast(sink: ScreencastSink): () => void {
    if (this.#closing) return () => undefined;
    return this.#pages.startScreencast(sink);
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    await Promise.all([...this.#siblings].map((surface) => surface.close()));
    this.#pages.close();
    this.#prepared.context.off('close', this.#onContextClose);
    const timer = new Promise<boolean>((resolve) =>
      systemTimers.setTimeout(() => resolve(false), CLOSE_TIMEOUT_MS).unref(),
    );
    const closing = this.#closePages().then(
      () => true,
      () => true,
    );
    this.onClose(await Promise.race([closing, timer]));
  }

  async #closePages(): Promise<void> {
    if (this.#isFirst) return this.#prepared.context.close();
    await this.#recordSiblingStorage(true).catch(() => undefined);
    await Promise.all([...this.#pages.all].map(({ page }) => page.close()));
  }

  /**
   * Records the storage of this sibling for the first surface, whose safe points include it.
   * @param withDatabases true to read IndexedDB too, which takes longer
   */
  async #recordSiblingStorage(withDatabases: boolean): Promise<void> {
    const { page, cdp } = this.#pages.current;
    const deadline = { signal: this.lost, deadline: performance.now() + SIBLING_STORAGE_MS, log: this.#log };
    if (cdp) await recordSiblingStorage(this.#shared.origins, page, cdp, withDatabases, deadline);
  }

  #markLost(reason: string): void {
    if (this.#closing || this.#lost.signal.aborted) return;
    this.#lost.abort(new PilothouseError('SURFACE_LOST', reason));
  }

  /** Waits for a pending navigation for a limited time. Afterwards the page is used as it is. */
  async #waitForPage(ctx: ActionContext): Promise<void> {
    await ctx
      .waitUntilSettled(limitDeadline(ctx, Math.min(PAGE_WAIT_MS, remainingMs(ctx) / 2)))
      .catch(() => ctx.signal.throwIfAborted());
  }

  /** Runs work with a context that also ends with the surface, and converts errors to catalog errors. */
  async #run<Result>(
    context: Context,
    work: (ctx: ActionContext) => Promise<Result>,
    services?: CallServices,
  ): Promise<Result> {
    this.#log = context.log;
    if (this.#closing) throw new PilothouseError('SURFACE_LOST', 'The surface is closed');
    const { clipboard } = this.#prepared;
    const { redactor } = this.#shared;
    const resources = { pages: this.#pages, clipboard, redactor, lost: this.lost };
    const ctx = createActionContext(resources, context, services);
    try {
      ctx.signal.throwIfAborted();
      return await work(ctx);
    } catch (error) {
      if (ctx.signal.aborted) throw ctx.signal.reason;
      if (error instanceof PilothouseError) throw error;
      await delayWithin(LOSS_NOTICE_MS, { signal: ctx.signal, deadline: Infinity });
      throw toSurfaceError(error);
    }
  }
}
