import {
  toLocatorChain,
  type ImageTemplate,
  type Locator,
  type Target,
} from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { IncompleteReason, Observation, Screen } from '@pilothouse/contract/observation/observation.schema';
import { applicationUri, EMPTY_DESKTOP_URI } from '@pilothouse/core/origin/uri-origin';
import type { ObserveOptions } from '@pilothouse/core/ports/surface.port';
import type { ScreenParser } from '@pilothouse/core/ports/screen-parser.port';
import type { LocatedElement } from '@pilothouse/core/ports/surface-action.port';
import { limitDeadline, remainingMs, timersOf, type Deadline } from '@pilothouse/core/time/deadlines';
import { LocatorLog } from '@pilothouse/core/workflow/locator-log';
import { describeLocator } from '@pilothouse/core/workflow/step-titles';
import type { DesktopElement } from './accessibility/accessible-node.ts';
import { ElementList } from './accessibility/element-list.ts';
import { WHOLE_WINDOW } from './accessibility/read-need.ts';
import { chooseMatch, type TargetUse } from './targeting/element-choice.ts';
import { locatorsOf } from './targeting/element-locators.ts';
import { middle } from './targeting/element-match.ts';
import type { ScreenPoint } from './input/nut-input.ts';
import { optionsOf, SessionTimeoutError, type SessionClient } from './session/session-client.ts';
import { OpenedWindows, type StartedProgram } from './session/opened-windows.ts';
import { textOfLine, type ScreenLine } from './screen/screen-text.ts';
import { pollStep } from './poll-step.ts';
import { WindowParser } from './observation/window-parser.ts';
import { ScreenSnapshot, type ReadOptions, type ScreenRead, type ScreenReader } from './observation/screen-snapshot.ts';
import type { ShownPage, WindowTree } from './session/session-protocol.ts';
import { TruncationLimit } from './observation/incomplete-list.ts';
import { notFoundError } from './observation/not-found-error.ts';
import { findScopedWindow, type WindowScope } from './targeting/window-match.ts';
import type { Rectangle } from './x/rectangle.ts';
import type { WindowFacts } from './x/window-manager.ts';

/**
 * Milliseconds for one read of the active window. At the deadline, the elements read so far are returned. After an incomplete read, the next
 * one has twice the time, up to the time of the step.
 */
const READ_DEADLINE_MS = 1_000;

/** Milliseconds for the session to answer after a deadline. */
const ANSWER_MS = 2_000;

/** Longest read of the whole text of a window. */
const MAX_TEXT_READ_MS = 4_000;

/** Milliseconds for a page to give its address. */
export const PAGE_TIMEOUT_MS = 400;

/** Characters of a whole text. */
const MAX_WINDOW_TEXT_CHARACTERS = 50_000;

/** Least similarity of an image. */
const IMAGE_THRESHOLD = 0.9;

/** Milliseconds without a change after which the screen counts as stable, and the longest wait for that. */
const STABLE_MS = 60;
const MAX_STABLE_WAIT_MS = 1_500;

/** Milliseconds without a change after which a screen rests: applications publish elements later than they paint them. */
const RESTING_MS = 1_500;

/**
 * Milliseconds between two reads of a screen that rests, because some changes are not visible. A longer rest has longer pauses, up to a part
 * of its time.
 */
const RESTING_INTERVAL_MS = 1_000;
const MAX_RESTING_INTERVAL_MS = 3_000;
const RESTING_PART = 0.25;

/** Milliseconds before the deadline in which a wait no longer pauses; more if the last read took longer. */
const LAST_READ_MS = 300;

/** An element or a point that a locator found. */
export interface DesktopTarget {
  readonly point: ScreenPoint;
  /** Null for a point. */
  readonly element: DesktopElement | null;
  /** Window that it is in; null for a point. */
  readonly window: WindowFacts | null;
  readonly located: LocatedElement;
}

/** The active window of a session as elements, and the search for one of them. */
export class DesktopScreen implements ScreenReader {
  readonly #session: SessionClient;
  readonly #size: Screen;
  readonly #list = new ElementList();
  readonly #parser: WindowParser;
  readonly #openedWindows: OpenedWindows;
  /** Milliseconds for the next read. */
  #readDeadlineMs = READ_DEADLINE_MS;
  #lastReadMs = 0;

  constructor(
    session: SessionClient,
    size: Screen,
    parser?: ScreenParser,
    openedWindows: OpenedWindows = new OpenedWindows(session),
  ) {
    this.#session = session;
    this.#openedWindows = openedWindows;
    this.#parser = new WindowParser(session, parser);
    this.#size = size;
  }

  /**
   * Reads the window of a scope, by default the active window. Only elements of a whole read of the active window have stable numbers.
   */
  async read(
    context: Deadline,
    scope: WindowScope = {},
    { isParserAllowed = false, need = WHOLE_WINDOW, menu }: ReadOptions = {},
  ): Promise<ScreenRead> {
    const { signal } = context;
    const options = optionsOf(context);
    const isScoped = scope.app !== undefined || scope.window !== undefined;
    const scoped = isScoped ? findScopedWindow(await this.windows(context), scope) : undefined;
    if (isScoped && !scoped)
      return { tree: { window: null, nodes: [], incomplete: null, isAccessible: false }, elements: [] };
    const isActive = scoped === undefined || scoped.isActive;
    const deadlineMs = Math.max(READ_DEADLINE_MS, this.#timeOfRead(remainingMs(context)));
    const args = { deadlineMs, windowId: isActive ? null : scoped.id, need, ...(menu && { menu }) };
    const timeoutMs = Math.max(deadlineMs + ANSWER_MS, options.timeoutMs ?? 0);
    const timers = timersOf(context);
    const startedAt = timers.monotonic();
    const accessible = await this.#session.call('observe', args, { signal, timeoutMs });
    this.#lastReadMs = timers.monotonic() - startedAt;
    const isSlow = accessible.incomplete === 'timeout' || accessible.incomplete === 'unresponsive';
    this.#readDeadlineMs = isSlow ? deadlineMs * 2 : READ_DEADLINE_MS;
    const tree = isActive ? await this.#withParsedNodes(accessible, context, isParserAllowed) : accessible;
    const list = isActive && need.roles === null && !menu ? this.#list : new ElementList();
    const { width, height } = this.#size;
    return { tree, elements: list.update(tree.window?.id ?? 0, tree.nodes, { x: 0, y: 0, width, height }) };
  }

  /** A longer read than usual takes the whole rest of a step that has no time for another one of its length. */
  #timeOfRead(restMs: number): number {
    const isLong = this.#readDeadlineMs > READ_DEADLINE_MS;
    return isLong && restMs < 2 * this.#readDeadlineMs ? restMs : Math.min(this.#readDeadlineMs, restMs);
  }

  /** Adds the elements that the screen parser found, where the application publishes none. */
  async #withParsedNodes(tree: WindowTree, context: Deadline, isParserAllowed: boolean): Promise<WindowTree> {
    if (!tree.window || tree.isAccessible || tree.incomplete !== null) return tree;
    const parsed = await this.#parser.read(tree.window, context, isParserAllowed);
    return parsed ? { ...tree, nodes: parsed.nodes, incomplete: parsed.isFailed ? 'parser' : null } : tree;
  }

  /** Makes the next read of a window without accessible objects ask the screen parser again. */
  markParseOutdated(): void {
    this.#parser.markOutdated();
  }

  /** All windows, the topmost last. */
  windows(context: Deadline): Promise<readonly WindowFacts[]> {
    return this.#openedWindows.list(context);
  }

  /** Remembers the window that `openApp` has opened, if it belongs to the started program. */
  rememberOpened(program: StartedProgram, window: WindowFacts, context: Deadline): Promise<void> {
    return this.#openedWindows.remember(program, window, context);
  }

  /** The active window, without its elements. */
  activeWindow(context: Deadline): Promise<WindowFacts | null> {
    return this.#session.call('activeWindow', null, optionsOf(context));
  }

  /**
   * The page of a Chromium that a window shows.
   * @param timeoutMs for the page to answer
   * @returns null if the window shows none; `unresponsive` if the page does not answer in time
   */
  shownPage(
    window: WindowFacts,
    context: Deadline,
    timeoutMs = PAGE_TIMEOUT_MS,
  ): Promise<ShownPage | 'unresponsive' | null> {
    const limits = {
      signal: context.signal,
      timeoutMs: Math.max(optionsOf(context).timeoutMs ?? 0, timeoutMs + ANSWER_MS),
    };
    return this.#session.call('shownPage', { windowId: window.id, timeoutMs }, limits);
  }

  /** Text in the screenshot of a window, for applications that publish no elements. Empty without a window. */
  async readText(window: WindowFacts | null, context: Deadline): Promise<readonly ScreenLine[]> {
    if (!window) return [];
    const timeoutMs = Math.ceil(Math.max(1_000, remainingMs(context)));
    const args = { region: window.bounds, timeoutMs };
    return this.#session.call('readScreenText', args, { signal: context.signal, timeoutMs: timeoutMs + ANSWER_MS });
  }

  /**
   * Places of an image on the screen, the most similar first.
   * @throws PilothouseError ACTION_UNSUPPORTED for a file: only actions have the files of their run
   */
  findImage({ data, threshold = IMAGE_THRESHOLD }: ImageTemplate, context: Deadline): Promise<readonly Rectangle[]> {
    if (data === undefined)
      throw new PilothouseError(
        'ACTION_UNSUPPORTED',
        'A condition outside an action cannot use an uploaded image; give the image as `data`',
      );
    const template = Buffer.from(data.replace(/^data:[a-z/]{1,20};base64,/, ''), 'base64');
    return this.#session.call('findImage', { data: template, threshold }, optionsOf(context));
  }

  /** Milliseconds since the screen changed. A blinking caret is no change. */
  unchangedMs(context: Deadline): Promise<number> {
    return this.#session.call('unchangedMs', null, optionsOf(context));
  }

  /**
   * Returns at once while the screen changes. After that, waits for its next change, at most three seconds, so that a wait costs little. A
   * blinking caret is no change. Leaves time for a last read before the deadline.
   */
  async pauseWhileUnchanged(context: Deadline): Promise<void> {
    const restMs = (await this.unchangedMs(context)) * RESTING_PART;
    const pauseMs = Math.min(MAX_RESTING_INTERVAL_MS, Math.max(RESTING_INTERVAL_MS, restMs));
    const timeoutMs = Math.min(pauseMs, remainingMs(context) - Math.max(LAST_READ_MS, this.#lastReadMs));
    if (timeoutMs <= 0) return;
    await this.#session.call('restEnd', { stableMs: RESTING_MS, timeoutMs }, optionsOf(context));
  }

  /**
   * Observes the active window.
   * @param level `page`: adds the text of the whole window
   * @param locators true: adds the unique locators to each element
   */
  async observe(context: Deadline, { level, locators = false }: ObserveOptions = {}): Promise<Observation> {
    const [{ tree, elements }, windows] = await Promise.all([
      this.read(context, {}, { isParserAllowed: true }),
      this.windows(context),
    ]);
    const applications = tree.window ? null : await this.#session.call('applications', null, optionsOf(context));
    const wholeText = level === 'page' && tree.window ? await this.#readWholeText(tree.window, tree, context) : null;
    const incomplete = tree.incomplete ?? wholeText?.incomplete;
    const focused = elements.find(({ state }) => state.focused);
    const app = tree.window?.appId;
    return {
      url: uriOf(tree.window),
      title: tree.window?.title ?? '',
      document: this.#list.document,
      ...(tree.page && { page: { url: tree.page.url } }),
      loading: tree.page !== undefined && tree.page.readyState !== 'complete',
      viewport: { width: this.#size.width, height: this.#size.height },
      screen: this.#size,
      ...(incomplete && { incomplete: { reason: incomplete, ...(app && { app }) } }),
      ...(wholeText?.text && { text: wholeText.text }),
      windows: windows.filter(({ id }) => id !== tree.window?.id).map(({ appId, title }) => ({ app: appId, title })),
      ...(applications && { applications: [...applications] }),
      scroll: { above: 0, below: 0 },
      focused: focused?.index ?? null,
      elements: elements
        .filter((element) => !isEmptyCell(element))
        .map((listed) => {
          const { node: _node, ...element } = listed;
          return locators ? { ...element, locators: locatorsOf(listed, elements) } : element;
        }),
      opaqueRegions: opaqueRegionsOf(tree),
    };
  }

  /**
   * Text of a window with what is scrolled out of view. It is recognized in the screenshot if the application publishes no objects, or does
   * not answer. A text that cannot be read in time is missing, and the reason says so.
   * @throws Error of the session, for example because tesseract is not installed
   */
  async #readWholeText(
    window: WindowFacts,
    { isAccessible }: WindowTree,
    context: Deadline,
  ): Promise<Pick<Observation, 'text'> & { readonly incomplete?: IncompleteReason | null }> {
    const deadlineMs = Math.max(READ_DEADLINE_MS, Math.min(MAX_TEXT_READ_MS, remainingMs(context)));
    try {
      const args = { deadlineMs, windowId: window.id };
      const options = { signal: context.signal, timeoutMs: deadlineMs + ANSWER_MS };
      const read = isAccessible ? await this.#session.call('readWindowText', args, options) : null;
      const incomplete = read?.incomplete ?? null;
      if (read && (read.text !== '' || incomplete === null)) return { text: cutText(read.text), incomplete };
      // The call ends before the recognition does, so that its end is known as a timeout.
      const recognition = { region: window.bounds, timeoutMs: deadlineMs + ANSWER_MS };
      const limits = { signal: context.signal, timeoutMs: deadlineMs };
      const lines = await this.#session.call('readScreenText', recognition, limits);
      return { text: { ...cutText(lines.map(textOfLine).join('\n')), isRecognized: true }, incomplete };
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof SessionTimeoutError)) throw error;
      return { incomplete: 'timeout' };
    }
  }

  /**
   * Waits until one locator of the chain finds exactly one element that is enabled.
   * @param use what the action does with the element; it decides between several matches
   * @throws PilothouseError TARGET_NOT_FOUND, TARGET_AMBIGUOUS or TARGET_NOT_ACTIONABLE at the deadline
   */
  async locate(target: Target, context: Deadline, use: TargetUse = 'pointer'): Promise<DesktopTarget> {
    const result = await this.#search(target, context, use);
    if ('error' in result) throw result.error;
    return result;
  }

  /**
   * Waits until one locator of the chain finds exactly one element, which may be disabled.
   * @param absenceMs milliseconds after which a missing element is accepted, once its window has been read whole
   * @returns null if the element is missing
   * @throws PilothouseError as `locate`; also if no read was complete
   */
  async locateForReading(target: Target, context: Deadline, absenceMs = Infinity): Promise<DesktopTarget | null> {
    const result = await this.#search(target, context, 'read', absenceMs);
    if (!('error' in result)) return result;
    if (result.isAbsent) return null;
    throw result.error;
  }

  async #search(
    target: Target,
    context: Deadline,
    use: TargetUse,
    absenceMs = Infinity,
  ): Promise<DesktopTarget | { readonly error: PilothouseError; readonly isAbsent: boolean }> {
    const chain = toLocatorChain(target);
    const timers = timersOf(context);
    const absentAt = timers.monotonic() + absenceMs;
    await this.waitUntilStable(context);
    let problem: PilothouseError | null = null;
    let lastRead: ScreenRead | null = null;
    const tried = new LocatorLog(chain);
    let isListed = false;
    const truncation = new TruncationLimit(context);
    const found = await pollStep(async () => {
      // After an incomplete read, time is missing rather than a change.
      if (isListed) await this.pauseWhileUnchanged(limitDeadline(context, absentAt - timers.monotonic()));
      const snapshot = new ScreenSnapshot(this, context, [target], (read) => (lastRead = read));
      problem = null;
      let isUnproven = absenceMs < Infinity;
      for (const [index, locator] of chain.entries()) {
        const result = await this.#match(snapshot, locator, use);
        if (result === 'unproven') isUnproven = true;
        const match = result === 'unproven' ? null : result;
        tried.add(index, match instanceof PilothouseError ? Number(match.details?.['count'] ?? 1) : match ? 1 : 0);
        if (match instanceof PilothouseError) problem = match;
        else if (match) {
          const { elements } = await snapshot.read(locator);
          const alternatives = match.element ? locatorsOf(match.element, elements).filter(snapshot.isProven) : [];
          const located = {
            locator: describeLocator(locator),
            triedCount: index + 1,
            tried: tried.entries,
            alternatives,
          };
          return { ...match, located };
        }
      }
      isListed = snapshot.incomplete === null;
      if (isListed && timers.monotonic() >= absentAt) return 'absent' as const;
      const isTruncated = isUnproven && snapshot.incomplete === 'truncated';
      return truncation.isReached(isTruncated) ? ('unproven' as const) : undefined;
    }, context);
    if (typeof found === 'object') return found;
    return { error: problem ?? notFoundError(chain, lastRead), isAbsent: found === 'absent' && problem === null };
  }

  /** Waits until the screen has not changed for a moment, at most 1.5 s. An animation or a clock never rests. */
  async waitUntilStable(context: Deadline, stableMs = STABLE_MS): Promise<boolean> {
    const timers = timersOf(context);
    const endsAt = timers.monotonic() + Math.min(MAX_STABLE_WAIT_MS, remainingMs(context));
    const options = optionsOf(context);
    let { version } = await this.#session.call('waitForChange', { version: -1, timeoutMs: 0 }, options);
    while (timers.monotonic() < endsAt) {
      const next = await this.#session.call('waitForChange', { version, timeoutMs: stableMs }, options);
      if (next.version === version) return true;
      version = next.version;
    }
    return false;
  }

  /** @returns `unproven` for a match that may be another one in the whole list */
  async #match(
    snapshot: ScreenSnapshot,
    locator: Locator,
    use: TargetUse,
  ): Promise<Omit<DesktopTarget, 'located'> | PilothouseError | 'unproven' | null> {
    const { width, height } = this.#size;
    if (locator.point) {
      const { x, y } = locator.point;
      const point = { x: Math.round((x / 1000) * (width - 1)), y: Math.round((y / 1000) * (height - 1)) };
      return { point, element: null, window: null };
    }
    const found = await snapshot.matches(locator);
    if (found.length === 0) return null;
    // A position among some of the elements may be that of another element.
    if (snapshot.incomplete !== null && (locator.nth !== undefined || locator.near)) return 'unproven';
    const match = chooseMatch(found, locator, use);
    if (match === null || match instanceof PilothouseError) return match;
    const { tree } = await snapshot.read(locator);
    const point = match.element?.node.page?.point ?? middle(match.bounds);
    return { point, element: match.element, window: tree.window };
  }
}

/** Empty cells of a sheet are found by their names, but not listed. */
const isEmptyCell = ({ node, role, value, state }: DesktopElement): boolean =>
  role === 'gridcell' && node.key !== undefined && !value && !state.focused && !state.selected;

const cutText = (text: string): { text: string; length: number } => ({
  text: text.slice(0, MAX_WINDOW_TEXT_CHARACTERS),
  length: text.length,
});

/** URI of a window: `app://<application>/<title>`. */
export const uriOf = (window: WindowFacts | null): string =>
  window === null ? EMPTY_DESKTOP_URI : applicationUri(window.appId, window.title);

/** Returns a window without accessible content as one opaque region. */
function opaqueRegionsOf({ window, isAccessible }: WindowTree): Observation['opaqueRegions'] {
  return window && !isAccessible ? [{ kind: 'application', name: window.title, bounds: window.bounds }] : [];
}
