import type { ObservationLevel } from '@pilothouse/contract/actions/extraction.schema';
import { remainingMs, withTimeout, type Deadline } from '@pilothouse/core/time/deadlines';
import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import type { IsolatedWorld, PageRead, PageWindowFacts } from '@pilothouse/surface-page-elements';
import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { AccessibilityBus, AccessibleRef } from '../accessibility/accessibility-bus.ts';
import type { AccessibleNode } from '../accessibility/accessible-node.ts';
import type { FieldText } from '../accessibility/accessible-text.ts';
import type { ActiveFrame } from '../accessibility/active-frame.ts';
import { atspiRoles } from '../accessibility/roles.ts';
import { readTree, type AccessibleTree } from '../accessibility/tree-reader.ts';
import type { WindowText } from '../accessibility/window-text.ts';
import { findWebAreas } from '../accessibility/web-area.ts';
import type { Rectangle } from '../x/rectangle.ts';
import type { WindowFacts, WindowManager } from '../x/window-manager.ts';
import type { ShownPage } from '../session/session-protocol.ts';
import { ChromiumTabs, deadlineAt } from './chromium-tabs.ts';
import { pageNodes, pageTextParts, parsePageElementPath, pidOfPageBus, scaleOf } from './page-nodes.ts';
import { findVisiblePage, type VisiblePage } from './visible-page.ts';

/** Part of a read's time for its page. Later the window is read through AT-SPI. */
const PAGE_PART = 0.4;

/** Longest read of a page in milliseconds. */
const MAX_PAGE_MS = 2_000;

/** Milliseconds for the field with the focus to be read. */
const FOCUS_DEADLINE_MS = 400;

/** Characters of a field or another element above which its text is not read. */
const MAX_FIELD_CHARACTERS = 1_000_000;

/** Characters of an address. */
const MAX_URL_CHARACTERS = 2_000;

/** Milliseconds between two checks of the focus. */
const FOCUS_INTERVAL_MS = 10;

export interface BrowserPagesOptions {
  /** Lists the windows of the screen. */
  readonly windows: Pick<WindowManager, 'list'>;
  readonly timers?: Timers;
}

/**
 * The pages of browsers that this session started with a debugging pipe. Reading a page over the pipe is faster and gives more facts than
 * AT-SPI. AT-SPI provides the browser's own bars.
 */
export class BrowserPages {
  readonly #browsers = new Map<number, ChromiumTabs>();
  readonly #windows: BrowserPagesOptions['windows'];
  readonly #timers: Timers;

  constructor({ windows, timers = systemTimers }: BrowserPagesOptions) {
    this.#windows = windows;
    this.#timers = timers;
  }

  /** Connects to a browser. @param child with pipes as descriptors 3 and 4 */
  add(child: ChildProcess): void {
    const { pid, stdio } = child;
    if (pid === undefined) return;
    this.#browsers.set(pid, new ChromiumTabs(stdio[3] as Writable, stdio[4] as Readable, this.#timers));
    child.once('exit', () => this.#browsers.delete(pid));
  }

  /** True for the process of a browser with a pipe. */
  has(pid: number | null): boolean {
    return this.#browser(pid) !== null;
  }

  /**
   * Reads a window of a browser: its page over the pipe, the rest through the accessibility bus.
   * @param popups reads the places of menus on the screen
   * @returns null if the window shows no page, or the page does not answer in time: read it through the accessibility bus
   */
  async read(
    bus: AccessibilityBus,
    window: WindowFacts,
    active: ActiveFrame,
    remainingMs: () => number,
    popups: () => Promise<readonly Rectangle[]>,
  ): Promise<(AccessibleTree & { readonly page: ShownPage }) | null> {
    const browser = this.#browser(window.pid);
    if (!browser || active.strategy.method !== 'collection') return null;
    try {
      const [page, areas] = await Promise.all([
        this.#readPage(browser, window, Math.min(remainingMs() * PAGE_PART, MAX_PAGE_MS)),
        findWebAreas(bus, active.frame, remainingMs),
      ]);
      if (!page) return null;
      const { facts, read } = page;
      for (const area of areas) {
        const scale = scaleOf(area.extents, facts.viewport);
        if (scale === null) continue;
        const excluded = await area.descendantPaths(await popups());
        const trees = await Promise.all(
          [active.frame, ...active.popups].map((each) =>
            readTree(bus, each, active.strategy, remainingMs(), { excluded }),
          ),
        );
        const nodes: AccessibleNode[] = [
          ...trees.flatMap((tree) => tree.nodes),
          ...pageNodes(window.pid ?? 0, read, area.extents, scale, facts.isFocused),
        ];
        const { incomplete = null } = trees.find((tree) => tree.incomplete !== null) ?? {};
        return { nodes, incomplete: read.hasLateFrame ? 'timeout' : incomplete, page: shownPageOf(facts) };
      }
      return null;
    } catch {
      // The page hangs, has gone, or shows a dialog that stops its scripts.
      return null;
    }
  }

  /** The page that a window shows. @returns null if it shows none, as a dialog; `unresponsive` if it does not answer in time */
  async shownPage(window: WindowFacts, timeoutMs: number): Promise<ShownPage | 'unresponsive' | null> {
    const browser = this.#browser(window.pid);
    if (!browser || window.isDialog) return null;
    try {
      const visible = await this.#visiblePage(browser, window, this.#timers.monotonic() + timeoutMs);
      return visible && shownPageOf(visible.facts);
    } catch {
      return 'unresponsive';
    }
  }

  /** Text of the whole page that a window shows. @returns null if it shows no page, or the page does not answer in time */
  async text(window: WindowFacts, timeoutMs: number): Promise<WindowText | null> {
    const browser = this.#browser(window.pid);
    if (!browser) return null;
    try {
      const page = await this.#readPage(browser, window, timeoutMs, 'page');
      if (!page) return null;
      return {
        parts: pageTextParts(window.pid ?? 0, page.read.texts),
        incomplete: page.read.hasLateFrame ? 'timeout' : null,
      };
    } catch {
      return null;
    }
  }

  /** Text of a page's field. @returns null if it is no native field, has gone, or does not answer */
  async fieldText({ bus, path }: AccessibleRef, timeoutMs: number): Promise<FieldText | null> {
    const deadline = deadlineAt(this.#timers.monotonic() + timeoutMs);
    const found = await this.#elementAt({ bus, path }, deadline);
    if (!found) return null;
    const field = await found.world.call('fieldText', [found.id, MAX_FIELD_CHARACTERS], deadline).catch(() => null);
    if (!field) return null;
    const { text, selection, isPassword } = field;
    return {
      role: isPassword ? atspiRoles.passwordText : atspiRoles.entry,
      text,
      caret: selection?.end ?? -1,
      selection: selection && selection.start !== selection.end ? selection : null,
      isSecret: isPassword,
    };
  }

  /** Text of a page's element that is no native field, e.g. of an editor. @returns null if it has gone, or does not answer */
  async elementText({ bus, path }: AccessibleRef, timeoutMs: number): Promise<string | null> {
    const deadline = deadlineAt(this.#timers.monotonic() + timeoutMs);
    const found = await this.#elementAt({ bus, path }, deadline);
    if (!found) return null;
    return found.world.call('elementText', [found.id, MAX_FIELD_CHARACTERS], deadline).catch(() => null);
  }

  /**
   * Waits until a field of a page has the keyboard focus. Chromium sends keys to the frame with the focus, which may be
   * the one before until the click has been processed.
   * @returns false if it has no focus at the timeout, has gone, or does not answer
   */
  async waitForFocus({ bus, path }: AccessibleRef, timeoutMs: number): Promise<boolean> {
    const deadline = deadlineAt(this.#timers.monotonic() + timeoutMs);
    const found = await this.#elementAt({ bus, path }, deadline);
    if (!found) return false;
    while (!(await found.world.call('hasFocus', [found.id], deadline).catch(() => false))) {
      if (this.#timers.monotonic() >= deadline.deadline) return false;
      await this.#timers.delay(FOCUS_INTERVAL_MS);
    }
    return true;
  }

  /**
   * The world of an element and its id there. Asks all tabs at once, because a tab in the background may hang.
   * @returns null if its document has gone, or does not answer before the deadline
   */
  async #elementAt(
    { bus, path }: AccessibleRef,
    deadline: Deadline,
  ): Promise<{ readonly world: IsolatedWorld; readonly id: number } | null> {
    const browser = this.#browser(pidOfPageBus(bus));
    if (!browser) return null;
    const { frame, document, id } = parsePageElementPath(path);
    const worlds = browser.tabs.map(async (tab) => {
      const world = await withTimeout(tab.worldOf(frame), remainingMs(deadline, this.#timers), {
        timers: this.#timers,
      });
      if (world?.document !== document) throw new Error('The element is in another tab');
      return { world, id };
    });
    return Promise.any(worlds).catch(() => null);
  }

  /** The native field of a page with the keyboard focus. @returns null if it does not exist, or the page does not answer */
  async focusedField(window: WindowFacts): Promise<AccessibleRef | null> {
    const browser = this.#browser(window.pid);
    if (!browser) return null;
    try {
      const page = await this.#readPage(browser, window, FOCUS_DEADLINE_MS);
      if (!page?.facts.isFocused) return null;
      const nodes = pageNodes(window.pid ?? 0, page.read, { x: 0, y: 0, width: 0, height: 0 }, 1, true);
      const focused = nodes.find(({ page }) => page?.state.focused);
      return focused && (await this.fieldText(focused, FOCUS_DEADLINE_MS)) ? focused : null;
    } catch {
      return null;
    }
  }

  #browser(pid: number | null): ChromiumTabs | null {
    const browser = pid === null ? undefined : this.#browsers.get(pid);
    return browser && !browser.isClosed ? browser : null;
  }

  async #visiblePage(browser: ChromiumTabs, window: WindowFacts, deadline: number): Promise<VisiblePage | null> {
    const siblings = (await this.#windows.list()).filter(
      ({ id, pid, isMinimized }) => id !== window.id && pid === window.pid && !isMinimized,
    );
    return findVisiblePage(browser, window, siblings, deadline, this.#timers);
  }

  async #readPage(
    browser: ChromiumTabs,
    window: WindowFacts,
    timeoutMs: number,
    level: ObservationLevel = 'view',
  ): Promise<{ readonly facts: PageWindowFacts; readonly read: PageRead<null> } | null> {
    const deadline = this.#timers.monotonic() + timeoutMs;
    const visible = await this.#visiblePage(browser, window, deadline);
    if (!visible || visible.facts.pinchScale !== 1) return null;
    const read = await visible.tab.read(deadline, level);
    return { facts: visible.facts, read: { ...read, elements: await withoutStaleFocus(read, deadline) } };
  }
}

const shownPageOf = ({ url, readyState }: PageWindowFacts): ShownPage => ({
  url: url.slice(0, MAX_URL_CHARACTERS),
  readyState,
});

/** Removes the focus from elements of frames without the focus. */
async function withoutStaleFocus({ elements, worlds: [top] }: PageRead<null>, deadline: number) {
  return Promise.all(
    elements.map(async (item) => {
      const { element, source } = item;
      if (!element.state.focused || source.world === top) return item;
      if (await source.world.call('hasFocus', [element.id], deadlineAt(deadline))) return item;
      const { focused: _focused, ...state } = element.state;
      return { ...item, element: { ...element, state } };
    }),
  );
}
