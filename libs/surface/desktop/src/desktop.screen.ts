import {
  toLocatorChain,
  type ImageTemplate,
  type Locator,
  type Target,
} from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Observation, Screen } from '@pilothouse/contract/observation/observation.schema';
import { applicationUri, EMPTY_DESKTOP_URI } from '@pilothouse/core/origin/uri-origin';
import type { ScreenParser } from '@pilothouse/core/ports/screen-parser.port';
import type { LocatedElement } from '@pilothouse/core/ports/surface-action.port';
import { newDeadline, poll, remainingMs, timersOf, type Deadline } from '@pilothouse/core/time/deadlines';
import { LocatorLog } from '@pilothouse/core/workflow/locator-log';
import { describeLocator } from '@pilothouse/core/workflow/step-titles';
import type { DesktopElement } from './accessibility/accessible-node.ts';
import { ElementList } from './accessibility/element-list.ts';
import { locatorsOf } from './targeting/element-locators.ts';
import { middle } from './targeting/element-match.ts';
import type { ScreenPoint } from './input/nut-input.ts';
import type { SessionClient } from './session/session-client.ts';
import type { ScreenLine } from './screen/screen-text.ts';
import { WindowParser } from './observation/window-parser.ts';
import { ScreenSnapshot, type ScreenRead, type ScreenReader } from './observation/screen-snapshot.ts';
import type { WindowTree } from './session/session-protocol.ts';
import { describeScope, findScopedWindow, type WindowScope } from './targeting/window-match.ts';
import type { Rectangle } from './x/rectangle.ts';
import type { WindowFacts } from './x/window-manager.ts';

/** Milliseconds for one read of the active window. At the deadline, the elements read so far are returned. */
const READ_DEADLINE_MS = 1_000;

/** Milliseconds for reading the text of a window. */
const OCR_TIMEOUT_MS = 10_000;

/** Elements that a message names. */
const MAX_LISTED_ELEMENTS = 8;

/** Least similarity of an image, and milliseconds to find it. */
const IMAGE_THRESHOLD = 0.9;
const IMAGE_TIMEOUT_MS = 10_000;

/** Milliseconds without a change after which the screen counts as stable, and the longest wait for that. */
const STABLE_MS = 60;
const MAX_STABLE_WAIT_MS = 1_500;

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

  constructor(session: SessionClient, size: Screen, parser?: ScreenParser) {
    this.#session = session;
    this.#parser = new WindowParser(session, parser);
    this.#size = size;
  }

  /**
   * Reads the window of a scope, by default the active window. Only elements of the active window have stable numbers.
   * @param isParserAllowed true: asks the screen parser if the window changed and the last parse is at least 1 s old.
   * false: uses the elements of the last parse. Only for an active window without accessible objects.
   */
  async read(context: Deadline, scope: WindowScope = {}, isParserAllowed = false): Promise<ScreenRead> {
    const { signal } = context;
    const isScoped = scope.app !== undefined || scope.window !== undefined;
    const scoped = isScoped ? findScopedWindow(await this.windows({ signal }), scope) : undefined;
    if (isScoped && !scoped)
      return { tree: { window: null, nodes: [], incomplete: null, isAccessible: false }, elements: [] };
    const isActive = scoped === undefined || scoped.isActive;
    const args = { deadlineMs: READ_DEADLINE_MS, windowId: isActive ? null : scoped.id };
    const accessible = await this.#session.call('observe', args, { signal, timeoutMs: READ_DEADLINE_MS + 2_000 });
    const tree = isActive ? await this.#withParsedNodes(accessible, context, isParserAllowed) : accessible;
    const list = isActive ? this.#list : new ElementList();
    const { width, height } = this.#size;
    return { tree, elements: list.update(tree.window?.id ?? 0, tree.nodes, { x: 0, y: 0, width, height }) };
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
  windows({ signal }: Pick<Deadline, 'signal'>): Promise<readonly WindowFacts[]> {
    return this.#session.call('windows', null, { signal });
  }

  /** Text in the screenshot of a window, for applications that publish no elements. Empty without a window. */
  async readText(window: WindowFacts | null, context: Deadline): Promise<readonly ScreenLine[]> {
    if (!window) return [];
    const timeoutMs = Math.ceil(Math.min(OCR_TIMEOUT_MS, Math.max(1_000, remainingMs(context))));
    const args = { region: window.bounds, timeoutMs };
    return this.#session.call('readScreenText', args, { signal: context.signal, timeoutMs: timeoutMs + 1_000 });
  }

  /**
   * Places of an image on the screen, the most similar first.
   * @throws PilothouseError ACTION_UNSUPPORTED for a file: only actions have the files of their run
   */
  findImage({ data, threshold = IMAGE_THRESHOLD }: ImageTemplate, { signal }: Deadline): Promise<readonly Rectangle[]> {
    if (data === undefined)
      throw new PilothouseError(
        'ACTION_UNSUPPORTED',
        'A condition outside an action cannot use an uploaded image; give the image as `data`',
      );
    const template = Buffer.from(data.replace(/^data:[a-z/]{1,20};base64,/, ''), 'base64');
    return this.#session.call('findImage', { data: template, threshold }, { signal, timeoutMs: IMAGE_TIMEOUT_MS });
  }

  /** Milliseconds since the screen changed. A blinking caret is no change. */
  unchangedMs({ signal }: Pick<Deadline, 'signal'>): Promise<number> {
    return this.#session.call('unchangedMs', null, { signal });
  }

  /** @param withLocators adds the unique locators to each element */
  async observe(context: Deadline, withLocators = false): Promise<Observation> {
    const [{ tree, elements }, windows] = await Promise.all([this.read(context, {}, true), this.windows(context)]);
    const { signal } = context;
    const applications = tree.window ? null : await this.#session.call('applications', null, { signal });
    const focused = elements.find(({ state }) => state.focused);
    const app = tree.window?.appId;
    return {
      url: uriOf(tree.window),
      title: tree.window?.title ?? '',
      document: this.#list.document,
      loading: false,
      viewport: { width: this.#size.width, height: this.#size.height },
      screen: this.#size,
      ...(tree.incomplete && { incomplete: { reason: tree.incomplete, ...(app && { app }) } }),
      windows: windows.filter(({ id }) => id !== tree.window?.id).map(({ appId, title }) => ({ app: appId, title })),
      ...(applications && { applications: [...applications] }),
      scroll: { above: 0, below: 0 },
      focused: focused?.index ?? null,
      elements: elements
        .filter((element) => !isEmptyCell(element))
        .map((listed) => {
          const { node: _node, ...element } = listed;
          return withLocators ? { ...element, locators: locatorsOf(listed, elements) } : element;
        }),
      opaqueRegions: opaqueRegionsOf(tree),
    };
  }

  /**
   * Waits until one locator of the chain finds exactly one element that is enabled.
   * @param allowsDisabled for an element that is only read
   * @throws PilothouseError TARGET_NOT_FOUND, TARGET_AMBIGUOUS or TARGET_NOT_ACTIONABLE at the deadline
   */
  async locate(target: Target, context: Deadline, allowsDisabled = false): Promise<DesktopTarget> {
    const chain = toLocatorChain(target);
    await this.waitUntilStable(context);
    let problem: PilothouseError | null = null;
    const tried = new LocatorLog(chain);
    const found = await poll(async () => {
      const snapshot = new ScreenSnapshot(this, context);
      for (const [index, locator] of chain.entries()) {
        const match = await this.#match(snapshot, locator, allowsDisabled);
        tried.add(index, match instanceof PilothouseError ? Number(match.details?.['count'] ?? 1) : match ? 1 : 0);
        if (match instanceof PilothouseError) problem = match;
        else if (match) {
          const { elements } = await snapshot.read(locator);
          const alternatives = match.element ? locatorsOf(match.element, elements) : [];
          const located = {
            locator: describeLocator(locator),
            triedCount: index + 1,
            tried: tried.entries,
            alternatives,
          };
          return { ...match, located };
        }
      }
      return undefined;
    }, context);
    if (found) return found;
    throw problem ?? (await this.#notFound(chain, context));
  }

  /**
   * Creates the error of a chain without a match. It lists the elements of the window with the role of the first
   * locator.
   */
  async #notFound(chain: readonly Locator[], context: Deadline): Promise<PilothouseError> {
    const [locator = {}] = chain;
    const scope = describeScope(locator);
    const windowName = scope === '' ? 'the active window' : `the window ${scope}`;
    const limits = newDeadline(context, READ_DEADLINE_MS);
    const noElements: Pick<ScreenRead, 'elements'> = { elements: [] };
    // The read may fail. The message then has no list.
    const { elements } = await this.read(limits, locator).catch(() => noElements);
    const names = elements
      .filter(({ role, name, state }) => name !== '' && !state.disabled && role === (locator.role ?? role))
      .slice(0, MAX_LISTED_ELEMENTS)
      .map(({ role, name }) => `${role} ${JSON.stringify(name)}`);
    const present = names.length === 0 ? '' : `. It has ${names.join(', ')}`;
    const tried = chain.map((chainLocator) => ({ locator: describeLocator(chainLocator), found: 'nothing' }));
    return new PilothouseError('TARGET_NOT_FOUND', `${describeLocator(locator)} is not in ${windowName}${present}`, {
      details: { tried },
    });
  }

  /** Waits until the screen has not changed for a moment, at most 1.5 s. An animation or a clock never rests. */
  async waitUntilStable(context: Deadline, stableMs = STABLE_MS): Promise<boolean> {
    const timers = timersOf(context);
    const endsAt = timers.monotonic() + Math.min(MAX_STABLE_WAIT_MS, remainingMs(context));
    const { signal } = context;
    let { version } = await this.#session.call('waitForChange', { version: -1, timeoutMs: 0 }, { signal });
    while (timers.monotonic() < endsAt) {
      const next = await this.#session.call('waitForChange', { version, timeoutMs: stableMs }, { signal });
      if (next.version === version) return true;
      version = next.version;
    }
    return false;
  }

  async #match(
    snapshot: ScreenSnapshot,
    locator: Locator,
    allowsDisabled: boolean,
  ): Promise<Omit<DesktopTarget, 'located'> | PilothouseError | null> {
    const { width, height } = this.#size;
    if (locator.point) {
      const { x, y } = locator.point;
      const point = { x: Math.round((x / 1000) * (width - 1)), y: Math.round((y / 1000) * (height - 1)) };
      return { point, element: null, window: null };
    }
    const matches = await snapshot.matches(locator);
    const [match, ...others] = matches;
    if (!match) return null;
    const description = describeLocator(locator);
    if (others.length > 0)
      return new PilothouseError(
        'TARGET_AMBIGUOUS',
        `${description} matches ${matches.length} elements; add \`nth\` or \`within\``,
        { details: { locator: description, count: matches.length } },
      );
    if (match.element?.state.disabled && !allowsDisabled)
      return new PilothouseError('TARGET_NOT_ACTIONABLE', `${description} is disabled`);
    const { tree } = await snapshot.read(locator);
    const point = match.element?.node.page?.point ?? middle(match.bounds);
    return { point, element: match.element, window: tree.window };
  }
}

/** Empty cells of a sheet are found by their names, but not listed. */
const isEmptyCell = ({ node, role, value, state }: DesktopElement): boolean =>
  role === 'gridcell' && node.key !== undefined && !value && !state.focused && !state.selected;

/** URI of a window: `app://<application>/<title>`. */
export const uriOf = (window: WindowFacts | null): string =>
  window === null ? EMPTY_DESKTOP_URI : applicationUri(window.appId, window.title);

/** Returns a window without accessible content as one opaque region. */
function opaqueRegionsOf({ window, isAccessible }: WindowTree): Observation['opaqueRegions'] {
  return window && !isAccessible ? [{ kind: 'application', name: window.title, bounds: window.bounds }] : [];
}
