import { readOnlyActions, type Action } from '@pilothouse/contract/actions/action-sets';
import type { Condition } from '@pilothouse/contract/actions/condition.schema';
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import {
  unsupportedConditionFields,
  unsupportedFieldsOf,
  assertFieldsSupported,
} from '@pilothouse/contract/actions/surface-fields';
import type { DropdownOptions, PageInput } from '@pilothouse/contract/control/control.schema';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import type { StorageState } from '@pilothouse/contract/project/profile.schema';
import type { Context, Log } from '@pilothouse/core/ports/runtime.port';
import type {
  ActionServices,
  ActionOutcome,
  Screenshot,
  InputTarget,
} from '@pilothouse/core/ports/surface-action.port';
import type { ScreencastSink } from '@pilothouse/core/ports/surface-recorders.port';
import type {
  Anchors,
  Controllable,
  FileChooser,
  MissingFile,
  ObserveOptions,
  OpenOptions,
  PageSurface,
  ScreenshotOptions,
} from '@pilothouse/core/ports/surface.port';
import { newDeadline, raceDeadline } from '@pilothouse/core/time/deadlines';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { browserActionHandlers } from './browser.actions.ts';
import { takeScreenshot } from './browser.screen.ts';
import { checkCondition, waitForCondition } from './actions/wait.actions.ts';
import { SurfaceFiles } from './pages/downloads.ts';
import { profileOrigins } from './state/profile-state.ts';
import { ResponseLog } from './pages/network-activity.ts';
import type { PreparedContext } from './context/browser-context.ts';
import { type StorageByOrigin, recordSiblingStorage } from './browser.state.ts';
import { dialogApprovalRequired, LEAVE_REFUSED } from './pages/page-dialogs.ts';
import { TrackedPage, documentTitle } from './pages/tracked-page.ts';
import { SurfacePages } from './pages/surface-pages.ts';
import { SecretRedactor } from './pages/secret-redaction.ts';
import { waitUntilIdle } from './pages/page-idle.ts';
import { PageOwnership } from './pages/page-ownership.ts';
import { BrowserObserver } from './browser.observation.ts';
import { observeWithLocators } from './observation/add-locators.ts';
import { handlerFor, type ActionContext } from './action-context.ts';
import { callServices, type CallServices } from './create-action-context.ts';
import { ManualInput } from './manual-input.ts';
import { SurfaceCalls } from './surface-calls.ts';
import { EnteredFields } from './actions/entered-fields.ts';
import { readTabs } from './actions/tab.actions.ts';
import { SurfaceState } from './surface-state.ts';

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
export class BrowserSurface implements PageSurface, Controllable {
  /** Called once when the surface is closed, or with false if it did not close in time. */
  onClose = (_isClosed: boolean) => {};
  readonly #prepared: PreparedContext;
  readonly #pages: SurfacePages;
  readonly #origins: StorageByOrigin = new Map();
  readonly #shared: SharedState;
  readonly #siblings = new Set<BrowserSurface>();
  readonly #isFirst: boolean;
  readonly #onContextClose: () => void;
  readonly #calls: SurfaceCalls;
  readonly #manualInput: ManualInput;
  readonly #state: SurfaceState;
  readonly #entered = new EnteredFields();
  #closing: Promise<void> | null = null;

  /** @param shared state of the first surface, if this is a sibling */
  constructor(prepared: PreparedContext, options: OpenOptions, log: Log, shared?: SharedState) {
    const { folder, onFile, recordResponses, recorders, profile } = options;
    this.#prepared = prepared;
    this.#isFirst = shared === undefined;
    this.#shared = shared ?? {
      ownership: new PageOwnership(prepared.context),
      redactor: new SecretRedactor(prepared.clock),
      options,
      origins: this.#origins,
      siblingCount: 0,
    };
    const { redactor, ownership } = this.#shared;
    // A safe point includes the initial storage.
    for (const origin of profileOrigins(profile)) this.#origins.set(origin.origin, origin);
    const files = new SurfaceFiles(folder, (file) => onFile?.(file));
    const responses = recordResponses ? new ResponseLog() : null;
    this.#pages = new SurfacePages(
      prepared.context,
      prepared.tab,
      { files, responses, watch: recorders, redactor, ownership, clock: prepared.clock },
      {
        crashed: () => this.#calls.markLost('The page crashed'),
        empty: () => this.#calls.markLost('The site closed its last window'),
        log: () => this.#calls.log,
      },
    );
    this.#calls = new SurfaceCalls(
      { pages: this.#pages, clipboard: prepared.clipboard, redactor, entered: this.#entered },
      log,
    );
    this.#manualInput = new ManualInput(this.#calls, this.#pages);
    this.#state = new SurfaceState(prepared, this.#pages, this.#calls, this.#origins);
    this.#onContextClose = () => this.#calls.markLost('Chromium exited');
    prepared.context.on('close', this.#onContextClose);
  }

  get lossSignal(): AbortSignal {
    return this.#calls.lossSignal;
  }

  get isWaiting(): boolean {
    return this.#pages.isWaiting;
  }

  async anchors(context: Context): Promise<Anchors> {
    return this.#calls.runOnLoadedPage(context, async (ctx) => {
      const page = ctx.page;
      const title = await raceDeadline(documentTitle(page), ctx, 'The title of the page').catch(() => '');
      ctx.signal.throwIfAborted();
      const { status } = this.#pages.current.navigation;
      return { url: page.url(), title, ...(status !== null && status >= 400 && { status }) };
    });
  }

  async act(action: Action, context: ActionServices): Promise<ActionOutcome> {
    assertFieldsSupported('browser', unsupportedFieldsOf('browser', action));
    // A navigation is fully described by its URL. The effect of other input depends on the page that receives it.
    let undo = () => {};
    let inputUrl: string | undefined;
    const guard = () => {
      context.guard();
      inputUrl ??= this.#pages.current.page.url();
      if (action.action !== 'navigate') undo = this.#pages.inputSent();
    };
    const onNotSent = () => {
      undo();
      context.onNotSent?.();
    };
    const services: CallServices = { ...callServices(context), guard, onNotSent };
    const doAct = async (ctx: ActionContext) => {
      if (!this.#isFirst && !readOnlyActions.has(action.action))
        await this.#recordSiblingStorage(leavingActions.has(action.action)).catch(() => undefined);
      if (!('target' in action) && action.action !== 'screenshot') await ctx.preActionImage?.capture(ctx, null);
      this.#pages.popDeclinedDialog();
      this.#beginAction(ctx, action);
      let isLeaveRefused = false;
      const stopListening = this.#pages.onLeaveRefused(() => (isLeaveRefused = true));
      const result = await handlerFor(browserActionHandlers, action)(ctx, action).finally(stopListening);
      const declinedDialog = this.#pages.popDeclinedDialog();
      if (declinedDialog) throw dialogApprovalRequired(declinedDialog);
      const outcome = inputUrl === undefined ? result : { ...result, inputUrl };
      if (!isLeaveRefused || outcome.effectReason !== undefined) return outcome;
      const reason = `The page was not left: ${LEAVE_REFUSED}`;
      return { ...outcome, effect: 'unverifiable' as const, effectReason: reason };
    };
    return this.#calls.run(context, doAct, services);
  }

  get hasEnteredFields(): boolean {
    return !this.#entered.isEmpty;
  }

  async restoreFields(context: ActionServices): Promise<void> {
    const restore = async (ctx: ActionContext) => {
      this.#beginAction(ctx, { action: 'observe' });
      await this.#entered.finish(ctx);
    };
    await this.#calls.run(context, restore, callServices(context));
  }

  /** Lets the action perform earlier ones again. They take no screenshot. */
  #beginAction(ctx: ActionContext, action: Action): void {
    this.#entered.begin(ctx, action, async (tabCtx, earlier) => {
      const repeatCtx = Object.create(tabCtx, { preActionImage: { value: null } }) as ActionContext;
      await handlerFor(browserActionHandlers, earlier)(repeatCtx, earlier);
    });
  }

  async sendControlInput(
    input: PageInput,
    context: Pick<ActionServices, 'guard'> & Context,
  ): Promise<InputTarget | null> {
    this.#entered.forget();
    return this.#manualInput.send(input, context);
  }

  async describeElement(
    locator: Pick<Locator, 'elementIndex' | 'point'>,
    context: Context,
  ): Promise<InputTarget | null> {
    return this.#manualInput.describeElement(locator, context);
  }

  async readDropdown(context: Context): Promise<DropdownOptions['dropdown']> {
    return this.#manualInput.readDropdown(context);
  }

  async readCopiedText(context: Context): Promise<string | null> {
    return this.#manualInput.readCopiedText(context);
  }

  onFileChooser(onOpen: (chooser: FileChooser) => void): () => void {
    return this.#manualInput.onFileChooser(onOpen);
  }

  async expect(condition: Condition, context: Context): Promise<void> {
    assertFieldsSupported('browser', unsupportedConditionFields('browser', condition));
    await this.#calls.run(context, (ctx) => waitForCondition(ctx, condition));
  }

  async isMet(condition: Condition, context: Context): Promise<boolean> {
    assertFieldsSupported('browser', unsupportedConditionFields('browser', condition));
    return this.#calls.runOnLoadedPage(context, (ctx) => checkCondition(ctx, condition));
  }

  async observe(options: ObserveOptions, context: Context): Promise<Observation> {
    return this.#calls.runOnLoadedPage(context, async (ctx) => {
      if (options.locators) return observeWithLocators(ctx, options.level ?? 'view');
      const { observation } = await BrowserObserver.forPage(ctx.page).observe(options, ctx);
      const tabs = await readTabs(ctx);
      return tabs.length > 1 ? { ...observation, tabs } : observation;
    });
  }

  async waitUntilIdle(ms: number, context: Context): Promise<boolean> {
    return this.#calls.run(context, (ctx) => waitUntilIdle(ctx, ms));
  }

  async screenshot(options: ScreenshotOptions, context: Context): Promise<Screenshot> {
    return this.#calls.runOnLoadedPage(context, (ctx) => takeScreenshot(ctx, options));
  }

  async save(context: Context): Promise<string | null> {
    return this.#state.save(context);
  }

  async restore(text: string, context: Pick<ActionServices, 'guard'> & Context): Promise<void> {
    await this.#state.restore(text, context);
  }

  async profile(context: Context): Promise<StorageState> {
    return this.#state.profile(context);
  }

  async waitForFiles(context: Context): Promise<MissingFile[]> {
    return this.#calls.run(context, (ctx) => this.#pages.waitForFiles(ctx));
  }

  async openPage(context: Context): Promise<PageSurface> {
    return this.#calls.run(context, async (ctx) => {
      const { options, ownership } = this.#shared;
      this.#shared.siblingCount += 1;
      const folder = join(options.folder, `sibling-${this.#shared.siblingCount}`);
      await mkdir(folder, { recursive: true });
      const tab = new TrackedPage(await raceDeadline(ownership.openPage(), ctx, 'Another page'), ctx.timers);
      await raceDeadline(tab.listen(), ctx, 'Another page');
      // Only the first page has a screencast.
      const { screencast: _screencast, ...recorders } = options.recorders ?? {};
      const { profile: _profile, ...siblingOptions } = options;
      const surface = new BrowserSurface(
        { ...this.#prepared, tab },
        { ...siblingOptions, folder, recorders },
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
    this.#calls.close();
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    await Promise.all([...this.#siblings].map((surface) => surface.close()));
    this.#pages.close();
    this.#prepared.context.off('close', this.#onContextClose);
    const timer = new Promise<boolean>((resolve) =>
      this.#prepared.timers.setTimeout(() => resolve(false), CLOSE_TIMEOUT_MS).unref(),
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
    await Promise.all([...this.#pages.tabs].map(({ page }) => page.close()));
  }

  /**
   * Records the storage of this sibling for the first surface, whose safe points include it.
   * @param withDatabases true to read IndexedDB too, which takes longer
   */
  async #recordSiblingStorage(withDatabases: boolean): Promise<void> {
    const { page, cdp } = this.#pages.current;
    const limits = newDeadline({ signal: this.lossSignal, timers: this.#prepared.timers }, SIBLING_STORAGE_MS);
    const deadline = { ...limits, log: this.#calls.log };
    if (cdp) await recordSiblingStorage(this.#shared.origins, page, cdp, withDatabases, deadline);
  }
}
