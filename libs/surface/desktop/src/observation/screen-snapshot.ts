import {
  toLocatorChain,
  type ImageTemplate,
  type Locator,
  type Target,
} from '@pilothouse/contract/actions/locator.schema';
import type { IncompleteReason } from '@pilothouse/contract/observation/observation.schema';
import { compilePattern } from '@pilothouse/core/regex/linear-regex';
import type { Deadline } from '@pilothouse/core/time/deadlines';
import type { AccessibleRef } from '../accessibility/accessibility-bus.ts';
import type { DesktopElement } from '../accessibility/accessible-node.ts';
import { needOf, WHOLE_WINDOW, type ReadNeed } from '../accessibility/read-need.ts';
import { matchElements, narrowMatches, type ScreenMatch } from '../targeting/element-match.ts';
import { findScreenText, textOfLine, type ScreenLine } from '../screen/screen-text.ts';
import type { WindowTree } from '../session/session-protocol.ts';
import type { WindowScope } from '../targeting/window-match.ts';
import type { WindowFacts } from '../x/window-manager.ts';
import type { Rectangle } from '../x/rectangle.ts';

/** A read of a window. */
export interface ScreenRead {
  readonly tree: WindowTree;
  readonly elements: readonly DesktopElement[];
}

/** Limits of a read. */
export interface ReadOptions {
  /**
   * true: asks the screen parser if the window changed and the last parse is at least 1 s old.
   * false: uses the elements of the last parse. Only for an active window without accessible objects.
   */
  readonly isParserAllowed?: boolean;
  /** Default: every object of the window. The numbers of elements are stable only then. */
  readonly need?: ReadNeed;
  /** Reads only the shown entries below this menu of the active window. Empty for toolkits whose menus are read with their window. */
  readonly menu?: AccessibleRef;
}

/** Reads windows and screenshots of a desktop. */
export interface ScreenReader {
  read(context: Deadline, scope: WindowScope, options: ReadOptions): Promise<ScreenRead>;
  readText(window: WindowFacts | null, context: Deadline): Promise<readonly ScreenLine[]>;
  findImage(template: ImageTemplate, context: Deadline): Promise<readonly Rectangle[]>;
}

/** The windows of a desktop at one moment. Each scope is read at most once without the screen parser, and once with it. */
export class ScreenSnapshot {
  readonly #screen: ScreenReader;
  readonly #context: Deadline;
  readonly #onRead: (read: ScreenRead) => void;
  readonly #need: ReadNeed;
  #incomplete: IncompleteReason | null = null;
  readonly #reads = new Map<string, Promise<ScreenRead>>();
  readonly #texts = new Map<string, Promise<readonly ScreenLine[]>>();

  /**
   * @param targets the only locators that are searched; null: any
   * @param onRead receives each window that was read
   */
  constructor(
    screen: ScreenReader,
    context: Deadline,
    targets: readonly Target[] | null = null,
    onRead: (read: ScreenRead) => void = () => undefined,
  ) {
    this.#onRead = onRead;
    this.#need = targets ? needOf(targets.flatMap(toLocatorChain)) : WHOLE_WINDOW;
    this.#screen = screen;
    this.#context = context;
  }

  /** Reads the window of a locator, by default the active window. Asks the screen parser only if the locator has role, label or text. */
  read(locator: Locator = {}): Promise<ScreenRead> {
    const isParserAllowed = hasElementDescription(locator);
    const key = JSON.stringify([locator.app, locator.window, isParserAllowed]);
    const pendingRead = this.#reads.get(key) ?? this.#startRead(locator, isParserAllowed);
    this.#reads.set(key, pendingRead);
    return pendingRead;
  }

  async #startRead(locator: Locator, isParserAllowed: boolean): Promise<ScreenRead> {
    const read = await this.#screen.read(this.#context, locator, { isParserAllowed, need: this.#need });
    this.#onRead(read);
    const { incomplete } = read.tree;
    // Another reason may be gone at the next read.
    if (incomplete !== null && (this.#incomplete ?? 'truncated') === 'truncated') this.#incomplete = incomplete;
    return read;
  }

  /** Reason why a list that was read has not all elements of its window; null: it has. A missing element proves nothing then. */
  get incomplete(): IncompleteReason | null {
    return this.#incomplete;
  }

  /** True for a locator that matches no element which was left out. */
  readonly isProven = ({ role, name, label }: Locator): boolean => {
    if (name !== undefined || label !== undefined) return true;
    const { roles, cells } = this.#need;
    // Without a limit of roles, only cells can be left out.
    return roles === null && (cells === 'all' || (role !== undefined && role !== 'gridcell'));
  };

  /** Matches of a chain's first locator that has any. */
  async findAll(target: Target): Promise<ScreenMatch[]> {
    for (const locator of toLocatorChain(target)) {
      const matches = await this.matches(locator);
      if (matches.length > 0) return matches;
    }
    return [];
  }

  /** Everything that a locator matches, in reading order. */
  async matches(locator: Locator): Promise<ScreenMatch[]> {
    const { app, window, within, near } = locator;
    const [matches, scope, anchor] = await Promise.all([
      this.#candidates(locator),
      within ? this.#soleBounds({ ...within, app, window }) : null,
      near ? this.#soleBounds({ ...near, app, window }) : null,
    ]);
    return narrowMatches(matches, locator, scope, anchor);
  }

  /** Text in the screenshot of a scope's window. */
  async readText(scope: WindowScope = {}): Promise<readonly ScreenLine[]> {
    const key = JSON.stringify([scope.app, scope.window]);
    const pendingRead =
      this.#texts.get(key) ?? this.read(scope).then(({ tree }) => this.#screen.readText(tree.window, this.#context));
    this.#texts.set(key, pendingRead);
    return pendingRead;
  }

  async #candidates(locator: Locator): Promise<ScreenMatch[]> {
    if (locator.screenText !== undefined) {
      const pattern = locator.pattern === undefined ? null : compilePattern(locator.pattern);
      const lines = (await this.readText(locator)).filter((line) => pattern === null || pattern.test(textOfLine(line)));
      const places = findScreenText(lines, locator.screenText, locator.exact === true);
      return places.map((bounds) => ({ element: null, bounds }));
    }
    if (locator.image) {
      const places = await this.#screen.findImage(locator.image, this.#context);
      return places.map((bounds) => ({ element: null, bounds }));
    }
    const { elements } = await this.read(locator);
    const found =
      locator.elementIndex !== undefined
        ? elements.filter(({ index }) => index === locator.elementIndex)
        : locator.focus
          ? elements.filter(({ state }) => state.focused)
          : matchElements(elements, locator);
    return found.map((element) => ({ element, bounds: element.bounds }));
  }

  async #soleBounds(locator: Locator): Promise<Rectangle | null> {
    const matches = await this.matches(locator);
    return matches.length === 1 ? (matches[0]?.bounds ?? null) : null;
  }
}

/** True if the locator describes an element, which a screen parser may find. */
const hasElementDescription = ({ role, label, text }: Locator): boolean =>
  role !== undefined || label !== undefined || text !== undefined;
