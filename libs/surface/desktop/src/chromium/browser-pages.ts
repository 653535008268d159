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
import { findWebAreas } from '../accessibility/web-area.ts';
import type { Rectangle } from '../x/rectangle.ts';
import type { WindowFacts } from '../x/window-manager.ts';
import { ChromiumTabs, deadlineAt, type ChromiumTab } from './chromium-tabs.ts';
import { pageNodes, parsePageElementPath, pidOfPageBus, scaleOf } from './page-nodes.ts';

/** Milliseconds for a page to be read. Later the window is read through AT-SPI. */
const PAGE_DEADLINE_MS = 400;

/** Characters of a field or another element above which its text is not read. */
const MAX_FIELD_CHARACTERS = 1_000_000;

/** Milliseconds between two checks of the focus. */
const FOCUS_INTERVAL_MS = 10;

/** Pixels by which the bounds of a window may differ from those that its page reports. */
const MAX_WINDOW_DIFFERENCE_PX = 60;

/** Minimum lead in pixels of the best match over the second-best match. */
const MIN_ADVANTAGE_PX = 3;

interface VisiblePage {
  readonly tab: ChromiumTab;
  readonly facts: PageWindowFacts;
  /** Difference between the bounds of the window and those that the page reports, in pixels. */
  readonly differencePx: number;
}

export interface BrowserPagesOptions {
  /** Milliseconds for a page to be read. */
  readonly deadlineMs?: number;
  readonly timers?: Timers;
}

/**
 * The pages of browsers that this session started with a debugging pipe. Reading a page over the pipe is faster and gives more facts than
 * AT-SPI. AT-SPI provides the browser's own bars.
 */
export class BrowserPages {
  readonly #browsers = new Map<number, ChromiumTabs>();
  readonly #deadlineMs: number;
  readonly #timers: Timers;

  constructor({ deadlineMs = PAGE_DEADLINE_MS, timers = systemTimers }: BrowserPagesOptions = {}) {
    this.#deadlineMs = deadlineMs;
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
  ): Promise<AccessibleTree | null> {
    const browser = this.#browser(window.pid);
    if (!browser || active.strategy.method !== 'collection') return null;
    try {
      const [page, areas] = await Promise.all([
        this.#readPage(browser, window, Math.min(this.#deadlineMs, remainingMs())),
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
            readTree(bus, each, active.strategy, remainingMs(), null, excluded),
          ),
        );
        const nodes: AccessibleNode[] = [
          ...trees.flatMap((tree) => tree.nodes),
          ...pageNodes(window.pid ?? 0, read, area.extents, scale, facts.isFocused),
        ];
        return { nodes, incomplete: trees.find(({ incomplete }) => incomplete !== null)?.incomplete ?? null };
      }
      return null;
    } catch {
      // The page hangs, has gone, or shows a dialog that stops its scripts.
      return null;
    }
  }

  /** Text of a page's field. @returns null if it is no native field, has gone, or does not answer */
  async fieldText({ bus, path }: AccessibleRef, timeoutMs: number): Promise<FieldText | null> {
    const found = await this.#elementAt({ bus, path }).catch(() => null);
    if (!found) return null;
    const deadline = deadlineAt(this.#timers.monotonic() + timeoutMs);
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
    const found = await this.#elementAt({ bus, path }).catch(() => null);
    if (!found) return null;
    const deadline = deadlineAt(this.#timers.monotonic() + timeoutMs);
    return found.world.call('elementText', [found.id, MAX_FIELD_CHARACTERS], deadline).catch(() => null);
  }

  /**
   * Waits until a field of a page has the keyboard focus. Chromium sends keys to the frame with the focus, which may be
   * the one before until the click has been processed.
   * @returns false if it has no focus at the timeout, has gone, or does not answer
   */
  async waitForFocus({ bus, path }: AccessibleRef, timeoutMs: number): Promise<boolean> {
    const found = await this.#elementAt({ bus, path }).catch(() => null);
    if (!found) return false;
    const deadline = deadlineAt(this.#timers.monotonic() + timeoutMs);
    while (!(await found.world.call('hasFocus', [found.id], deadline).catch(() => false))) {
      if (this.#timers.monotonic() >= deadline.deadline) return false;
      await this.#timers.delay(FOCUS_INTERVAL_MS);
    }
    return true;
  }

  /** The world of an element and its id there. @returns null if its document has gone */
  async #elementAt({
    bus,
    path,
  }: AccessibleRef): Promise<{ readonly world: IsolatedWorld; readonly id: number } | null> {
    const browser = this.#browser(pidOfPageBus(bus));
    if (!browser) return null;
    const { frame, document, id } = parsePageElementPath(path);
    for (const tab of browser.tabs) {
      const world = await tab.worldOf(frame);
      if (world?.document === document) return { world, id };
    }
    return null;
  }

  /** The native field of a page with the keyboard focus. @returns null if it does not exist, or the page does not answer */
  async focusedField(window: WindowFacts): Promise<AccessibleRef | null> {
    const browser = this.#browser(window.pid);
    if (!browser) return null;
    try {
      const page = await this.#readPage(browser, window, this.#deadlineMs);
      if (!page?.facts.isFocused) return null;
      const nodes = pageNodes(window.pid ?? 0, page.read, { x: 0, y: 0, width: 0, height: 0 }, 1, true);
      const focused = nodes.find(({ page }) => page?.state.focused);
      return focused && (await this.fieldText(focused, this.#deadlineMs)) ? focused : null;
    } catch {
      return null;
    }
  }

  #browser(pid: number | null): ChromiumTabs | null {
    const browser = pid === null ? undefined : this.#browsers.get(pid);
    return browser && !browser.isClosed ? browser : null;
  }

  async #readPage(
    browser: ChromiumTabs,
    window: WindowFacts,
    timeoutMs: number,
  ): Promise<{ readonly facts: PageWindowFacts; readonly read: PageRead<null> } | null> {
    const deadline = this.#timers.monotonic() + timeoutMs;
    const visible = await findVisiblePage(browser, window, deadline, this.#timers);
    if (!visible || visible.facts.pinchScale !== 1) return null;
    const read = await visible.tab.read(deadline);
    return { facts: visible.facts, read: { ...read, elements: await withoutStaleFocus(read, deadline) } };
  }
}

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

/**
 * Finds the tab that a window shows. First asks tabs whose title begins the title of the window: a tab in the background may hang.
 * @returns null if no tab, or more than one, can be it
 */
async function findVisiblePage(
  browser: ChromiumTabs,
  window: WindowFacts,
  deadline: number,
  timers: Timers,
): Promise<VisiblePage | null> {
  const titles = await browser.titles(deadline - timers.monotonic());
  const isNamed = ({ targetId }: ChromiumTab) => {
    const title = (titles.get(targetId) ?? '').trim();
    return title !== '' && window.title.startsWith(title);
  };
  const named = browser.tabs.filter(isNamed);
  const others = browser.tabs.filter((tab) => !isNamed(tab));
  for (const tabs of [named, others]) {
    const pages = await Promise.all(tabs.map((tab) => visiblePage(tab, window, deadline).catch(() => null)));
    const found = pages
      .filter((page) => page !== null)
      .toSorted((first, second) => first.differencePx - second.differencePx);
    const [nearest] = found;
    if (!nearest) continue;
    // Several windows can have the same bounds. Takes the one with the focus.
    const alike = found.filter(({ differencePx }) => differencePx < nearest.differencePx + MIN_ADVANTAGE_PX);
    return alike.length === 1 ? nearest : (alike.find(({ facts }) => facts.isFocused) ?? null);
  }
  return null;
}

async function visiblePage(tab: ChromiumTab, window: WindowFacts, deadline: number): Promise<VisiblePage | null> {
  const world = await tab.world;
  const facts = await world.call('windowFacts', [], deadlineAt(deadline));
  const differencePx = differenceOf(facts.window, window.bounds);
  return facts.isVisible && differencePx <= MAX_WINDOW_DIFFERENCE_PX ? { tab, facts, differencePx } : null;
}

/** Compares bounds independent of scale. The page does not know the scale of the screen. */
function differenceOf(page: PageWindowFacts['window'], bounds: WindowFacts['bounds']): number {
  if (page.width <= 0) return Infinity;
  const scale = bounds.width / page.width;
  const differences = [page.height * scale - bounds.height, page.x * scale - bounds.x, page.y * scale - bounds.y];
  return Math.max(...differences.map(Math.abs));
}
