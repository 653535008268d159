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
  poll,
  systemTimers,
} from '@pilothouse/core';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { browserActionHandlers } from './browser.actions.ts';
import type { ClipboardState } from './clipboard/run-clipboard.ts';
import { PreActionScreenshot, takeScreenshot } from './browser.screen.ts';
import { checkCondition, waitForCondition } from './actions/wait.actions.ts';
import { SurfaceFiles } from './pages/downloads.ts';
import { playwrightMessage } from './playwright-errors.ts';
import { profileOrigins, readProfile } from './state/profile-state.ts';
import { ResponseLog } from './pages/network-activity.ts';
import type { PreparedContext } from './context/browser-context.ts';
import { type StorageByOrigin, keepSiblingStorage, readPageStorage, restoreState, saveState } from './browser.state.ts';
import { sendInput, playwrightTimeout } from './browser.input.ts';
import { dialogApprovalRequired } from './pages/page-dialogs.ts';
import { parseState, type StorageEntries } from './state/state-format.ts';
import { TrackedPage, documentTitle } from './pages/tracked-page.ts';
import { SurfacePages } from './pages/surface-pages.ts';
import { SecretRedactor } from './pages/secret-redaction.ts';
import { readDropdown, sendControlInput, describeElementAt } from './browser.control.ts';
import { PageOwnership } from './pages/page-ownership.ts';
import { BrowserObserver } from './browser.observation.ts';
import { observeWithLocators } from './observation/add-locators.ts';
import { handlerFor, type ActionContext } from './action-context.ts';

/** How long a screenshot or the anchors wait for a page that is loading, in milliseconds. */
const LOADING = 3000;

/** How long a context may take to close before it is left to itself, in milliseconds. */
const CLOSING = 5000;

/** Milliseconds for the storage that a page beside the others leaves behind. */
const LEAVING = 3000;

/** Actions that lead away from a page, whatever it is. */
const leaving: ReadonlySet<Action['action']> = new Set(['navigate', 'goBack', 'goForward', 'switchTab', 'closeTab']);

/** How long the loss of a page may take to be known after a call on it failed, in milliseconds. */
const NEWS = 100;

type Acting = Pick<ActionServices, 'guard' | 'notSent' | 'mayAccept' | 'checksName'> &
  Partial<Pick<ActionServices, 'reveal' | 'file'>> & { readonly before?: PreActionScreenshot };

/** What surfaces on pages of one context have in common. */
interface Common {
  readonly windows: PageOwnership;
  readonly veil: SecretRedactor;
  readonly options: OpenOptions;
  /** Storage of the first, by origin. */
  readonly origins: StorageByOrigin;
  /** How many were opened beside the first. */
  count: number;
}

/** Pages of one isolated browser context for one attempt at a run: all of them, but for those of surfaces beside it. */
export class BrowserSurface implements Surface {
  /** Called once, when the surface is closed, or has not closed in time. */
  onClose = (_isClosed: boolean) => {};
  readonly #room: PreparedContext;
  readonly #tabs: SurfacePages;
  readonly #origins: StorageByOrigin = new Map();
  readonly #common: Common;
  readonly #beside = new Set<BrowserSurface>();
  readonly #isFirst: boolean;
  readonly #gone: () => void;
  readonly #lost = new AbortController();
  #log: Log;
  #closing: Promise<void> | null = null;
  /** What was copied and told. */
  #handedOut: ClipboardState | null = null;

  /** @param common of the surface beside which it is opened */
  constructor(room: PreparedContext, options: OpenOptions, log: Log, common?: Common) {
    const { folder, onFile, keepResponses, watch, profile } = options;
    this.#room = room;
    this.#log = log;
    this.#isFirst = common === undefined;
    this.#common = common ?? {
      windows: new PageOwnership(room.context),
      veil: new SecretRedactor(),
      options,
      origins: this.#origins,
      count: 0,
    };
    const { veil, windows } = this.#common;
    // A safe point holds what the surface began with, too.
    for (const origin of profileOrigins(profile)) this.#origins.set(origin.origin, origin);
    const files = new SurfaceFiles(folder, (file) => onFile?.(file));
    const responses = keepResponses ? new ResponseLog() : null;
    this.#tabs = new SurfacePages(
      room.context,
      room.tab,
      { files, responses, watch, veil, windows },
      {
        crashed: () => this.#lose('The page crashed'),
        empty: () => this.#lose('The site closed its last window'),
        log: () => this.#log,
      },
    );
    this.#gone = () => this.#lose('Chromium went away');
    room.context.on('close', this.#gone);
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get isWaiting(): boolean {
    return this.#tabs.isWaiting;
  }

  async anchors(context: Context): Promise<Anchors> {
    return this.#carefully(context, async (hand) => {
      await this.#arrived(hand);
      const page = hand.page;
      const title = await raceDeadline(documentTitle(page), hand, 'The title of the page').catch(() => '');
      hand.signal.throwIfAborted();
      return { url: page.url(), title };
    });
  }

  async act(action: Action, context: ActionServices): Promise<ActionOutcome> {
    /* What is asked for by its address says all about itself; what comes of other input depends on the page that got it. */
    let undo = () => {};
    const guard = () => {
      context.guard();
      if (action.action !== 'navigate') undo = this.#tabs.touched();
    };
    const notSent = () => {
      undo();
      context.notSent?.();
    };
    const acting = {
      guard,
      notSent,
      reveal: (text: string, origin: string) => context.reveal(text, origin),
      file: (name: string) => context.file(name),
      ...(context.checksName && { checksName: true }),
      ...(context.mayAccept && { mayAccept: (question: string) => context.mayAccept?.(question) ?? true }),
      ...(context.before && { before: new PreActionScreenshot((image) => context.before?.(image)) }),
    };
    const doAct = async (hand: ActionContext) => {
      if (!this.#isFirst && !readOnlyActions.has(action.action))
        await this.#keepStorage(leaving.has(action.action)).catch(() => undefined);
      if (!('target' in action) && action.action !== 'screenshot') await hand.before?.take(hand, null);
      this.#tabs.takeRefused();
      const outcome = await handlerFor(browserActionHandlers, action)(hand, action);
      const refused = this.#tabs.takeRefused();
      if (refused) throw dialogApprovalRequired(refused);
      return outcome;
    };
    return this.#carefully(context, doAct, acting);
  }

  async sendControlInput(
    input: PageInput,
    context: Pick<ActionServices, 'guard'> & Context,
  ): Promise<InputTarget | null> {
    // A page whose dialog waits for a person confirms no input until then.
    const work = (hand: ActionContext) => this.#tabs.unlessAsked(sendControlInput(hand, input));
    return this.#carefully(context, work, { guard: this.#guardOf(context) });
  }

  /** The guard of input that a person sends. */
  #guardOf(context: Pick<ActionServices, 'guard'>): () => void {
    return () => {
      context.guard();
      this.#tabs.touched();
    };
  }

  async describeElement(
    pointed: Pick<Locator, 'elementIndex' | 'point'>,
    context: Context,
  ): Promise<InputTarget | null> {
    return this.#carefully(context, (hand) => describeElementAt(hand, pointed));
  }

  async readDropdown(context: Context): Promise<DropdownOptions['dropdown']> {
    return this.#carefully(context, (hand) => readDropdown(hand));
  }

  async readCopiedText(context: Context): Promise<string | null> {
    return this.#carefully(context, async ({ clipboard: { state } }) => {
      if (!state?.isNew || state === this.#handedOut) return null;
      this.#handedOut = state;
      return state.text;
    });
  }

  onFileChooser(opened: (chooser: FileChooser) => void): () => void {
    return this.#tabs.onFileChooser((chooser) =>
      opened({
        isMultiple: chooser.isMultiple(),
        choose: (paths, context) => {
          const set = (hand: ActionContext) =>
            sendInput(hand, 'The choice of the files', () =>
              chooser.setFiles([...paths], { timeout: playwrightTimeout(hand) }),
            );
          const work = async (hand: ActionContext) => void (await this.#tabs.unlessAsked(set(hand)));
          return this.#carefully(context, work, { guard: this.#guardOf(context) });
        },
      }),
    );
  }

  async expect(condition: Condition, context: Context): Promise<void> {
    await this.#carefully(context, (hand) => waitForCondition(hand, condition));
  }

  async holds(condition: Condition, context: Context): Promise<boolean> {
    return this.#carefully(context, async (hand) => {
      await this.#arrived(hand);
      return checkCondition(hand, condition);
    });
  }

  async observe(options: ObserveOptions, context: Context): Promise<Observation> {
    return this.#carefully(context, async (hand) => {
      await this.#arrived(hand);
      if (options.locators) return observeWithLocators(hand, options.level ?? 'view');
      return (await BrowserObserver.of(hand.page).observe(options, hand)).observation;
    });
  }

  async rests(ms: number, context: Context): Promise<boolean> {
    return this.#carefully(context, async (hand) => {
      const { tab, page } = hand;
      const isSo = async () => {
        const began = performance.now();
        if (tab.traffic.isAny || !(await BrowserObserver.of(page).rests(hand))) return undefined;
        await delayWithin(began + ms - performance.now(), hand);
        // What began while the page was asked is known once it has answered.
        return tab.isSettled && hand.page === page && tab.traffic.isNoneSince(began) ? true : undefined;
      };
      return (await poll(isSo, hand)) ?? false;
    });
  }

  async screenshot(options: ScreenshotOptions, context: Context): Promise<Screenshot> {
    return this.#carefully(context, async (hand) => {
      await this.#arrived(hand);
      return takeScreenshot(hand, options);
    });
  }

  async save(context: Context): Promise<string | null> {
    if (this.#closing || this.lost.aborted) return null;
    return saveState(this.#tabs, this.#origins, this.#room.clipboard, {
      ...context,
      signal: AbortSignal.any([context.signal, this.lost]),
    });
  }

  async restore(text: string, context: Pick<ActionServices, 'guard'> & Context): Promise<void> {
    const state = parseState(text);
    const restoring = async (hand: ActionContext) => {
      const { wire, past } = this.#tabs.current;
      if (!wire) throw new PilothouseError('SURFACE_LOST', 'The page does not listen');
      await restoreState(hand, wire, state);
      past.begin(state.before);
      this.#room.clipboard.state = state.clipboard;
      for (const origin of state.origins) this.#origins.set(origin.origin, origin);
    };
    await this.#carefully(context, restoring, { guard: () => context.guard() });
  }

  async profile(context: Context): Promise<StorageState> {
    return this.#carefully(context, async (hand) => {
      await this.#arrived(hand);
      return readProfile(this.#room.context, await this.#sessions(hand), hand);
    });
  }

  /** Session storage of the window: as the page has it now, and of origins that it left as they were seen last. */
  async #sessions(hand: ActionContext): Promise<Map<string, StorageEntries>> {
    const { page, wire } = this.#tabs.current;
    const shown = wire ? await raceDeadline(readPageStorage(page, wire), hand, 'The session storage') : [];
    const now = shown.filter((one) => one !== null);
    return new Map([...this.#origins.values(), ...now].map(({ origin, session }) => [origin, session]));
  }

  async filesKept(context: Context): Promise<string[]> {
    return this.#carefully(context, (hand) => this.#tabs.filesKept(hand));
  }

  async beside(context: Context): Promise<Surface> {
    return this.#carefully(context, async (hand) => {
      const { options, windows } = this.#common;
      this.#common.count += 1;
      const folder = join(options.folder, `beside-${this.#common.count}`);
      await mkdir(folder, { recursive: true });
      const tab = new TrackedPage(await raceDeadline(windows.make(), hand, 'Another page'));
      await raceDeadline(tab.listen(), hand, 'Another page');
      // What is filmed is the first page.
      const { screencast: _film, ...watch } = options.watch ?? {};
      const { profile: _profile, ...rest } = options;
      const surface = new BrowserSurface({ ...this.#room, tab }, { ...rest, folder, watch }, context.log, this.#common);
      this.#beside.add(surface);
      surface.onClose = () => this.#beside.delete(surface);
      return surface;
    });
  }

  screencast(film: ScreencastSink): () => void {
    if (this.#closing) return () => undefined;
    return this.#tabs.film(film);
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    await Promise.all([...this.#beside].map((surface) => surface.close()));
    this.#tabs.close();
    this.#room.context.off('close', this.#gone);
    const timer = new Promise<boolean>((resolve) => systemTimers.setTimeout(() => resolve(false), CLOSING).unref());
    const closing = this.#leave().then(
      () => true,
      () => true,
    );
    this.onClose(await Promise.race([closing, timer]));
  }

  async #leave(): Promise<void> {
    if (this.#isFirst) return this.#room.context.close();
    await this.#keepStorage(true).catch(() => undefined);
    await Promise.all([...this.#tabs.all].map(({ page }) => page.close()));
  }

  /** What this leaves behind for the first, whose safe points hold it. */
  /** @param all databases too: they take longer to read */
  async #keepStorage(all: boolean): Promise<void> {
    const { page, wire } = this.#tabs.current;
    const bound = { signal: this.lost, deadline: performance.now() + LEAVING, log: this.#log };
    if (wire) await keepSiblingStorage(this.#common.origins, page, wire, all, bound);
  }

  #lose(why: string): void {
    if (this.#closing || this.#lost.signal.aborted) return;
    this.#lost.abort(new PilothouseError('SURFACE_LOST', why));
  }

  /** A page on its way is waited for, but not for ever: what is there is looked at. */
  async #arrived(hand: ActionContext): Promise<void> {
    await hand
      .settled(limitDeadline(hand, Math.min(LOADING, remainingMs(hand) / 2)))
      .catch(() => hand.signal.throwIfAborted());
  }

  /** Runs a piece of work with a context that also ends with the surface, and turns what it throws into errors of the catalogue. */
  async #carefully<Result>(
    context: Context,
    work: (hand: ActionContext) => Promise<Result>,
    act?: Acting,
  ): Promise<Result> {
    this.#log = context.log;
    if (this.#closing) throw new PilothouseError('SURFACE_LOST', 'The surface is closed');
    const hand = this.#hand(context, act);
    try {
      hand.signal.throwIfAborted();
      return await work(hand);
    } catch (thrown) {
      if (hand.signal.aborted) throw hand.signal.reason;
      if (thrown instanceof PilothouseError) throw thrown;
      await delayWithin(NEWS, { signal: hand.signal, deadline: Infinity });
      if (thrown instanceof Error && thrown.name === 'TimeoutError') {
        throw new PilothouseError(
          'STEP_TIMED_OUT',
          `The browser did not answer within the time of the step: ${playwrightMessage(thrown)}`,
        );
      }
      throw new PilothouseError('TARGET_NOT_ACTIONABLE', `The browser refused: ${playwrightMessage(thrown)}`, {
        cause: thrown,
      });
    }
  }

  #hand(context: Context, act?: Acting): ActionContext {
    const tabs = this.#tabs;
    const signal = AbortSignal.any([context.signal, this.lost]);
    const { deadline, log } = context;
    return {
      get page() {
        return tabs.current.page;
      },
      get tab() {
        return tabs.current;
      },
      tabs,
      clipboard: this.#room.clipboard,
      veil: this.#common.veil,
      signal,
      deadline,
      log,
      guard: () => {
        signal.throwIfAborted();
        act?.guard();
      },
      sent: () => tabs.current.sent(),
      notSent: () => act?.notSent?.(),
      settled: (bound = { signal, deadline }) => tabs.settled(bound),
      reveal: async (text, origin) => {
        const asked = (act?.reveal ?? (async () => text))(text, origin);
        const plain = await raceDeadline(asked, { signal, deadline }, 'The request for a secret');
        if (plain !== text) this.#common.veil.know(plain, origin);
        return plain;
      },
      file: (upload) => raceDeadline((act?.file ?? (async () => upload))(upload), { signal, deadline }, 'The file'),
      checksName: act?.checksName === true,
      ...(act?.mayAccept && { mayAccept: (question: string) => act.mayAccept?.(question) ?? true }),
      before: act?.before ?? null,
    };
  }
}
