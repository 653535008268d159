import { PilothouseError, type Observation, type ObservationLevel } from '@pilothouse/contract';
import type { ObserveOptions, Deadline } from '@pilothouse/core';
import type { CDPSession, Frame, Page } from 'playwright-core';
import {
  type ListedElement,
  ObservedPage,
  assertUnchanged,
  clickablePoint,
  elementHandle,
} from './observation/observed-page.ts';
import type { Snapshot, SnapshotElement, SnapshotFrame } from './injected/snapshot/snapshot-result.ts';
import { IsolatedWorld } from './observation/isolated-world.ts';

const MAX_PAGE_TEXT_CHARS = 50_000;

/** Maximum nesting depth of cross-site frames. */
const MAX_FRAME_DEPTH = 5;

/** Document with its own snapshot script, and its position in the page. */
interface SnapshotSource {
  readonly world: IsolatedWorld;
  /** The outermost frame of its process. */
  readonly frame: Frame;
  /** True if it is in a descendant of that frame. */
  readonly isBelow: boolean;
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** Results that all frames of one observation contribute to. */
interface SharedResults extends Pick<Snapshot, 'opaqueRegions' | 'texts'> {
  readonly worlds: IsolatedWorld[];
  /** Focused elements outside the list, one entry per document. */
  readonly focus: (SnapshotElement | null)[];
}

/** Element of one frame before it gets a number. */
interface FrameElement {
  readonly source: SnapshotSource;
  readonly element: SnapshotElement;
}

/**
 * Observes the elements of one page and keeps their numbers: an element has the same number as long as it stays on
 * the page. One observation is one call into the page plus one per cross-origin frame.
 */
export class BrowserObserver {
  static readonly #observers = new WeakMap<Page, BrowserObserver>();
  readonly #page: Page;
  readonly #worlds = new Map<Frame, Promise<IsolatedWorld | null>>();
  readonly #frames = new Map<string, Promise<string | null>>();
  /** Numbers by world, document and element id. */
  #numbers = new Map<string, number>();
  #document = 0;
  /** Worlds of the last observation: the document and its cross-origin frames. */
  #observedWorlds: readonly IsolatedWorld[] = [];
  #last: ObservedPage | null = null;

  private constructor(page: Page) {
    this.#page = page;
    page.on('framedetached', (frame) => this.#worlds.delete(frame));
  }

  /** Returns the observer of a page. Each page has one. */
  static of(page: Page): BrowserObserver {
    const list = this.#observers.get(page) ?? new BrowserObserver(page);
    this.#observers.set(page, list);
    return list;
  }

  /** The last observation. Element numbers of actions refer to it. */
  get last(): ObservedPage | null {
    return this.#last;
  }

  /** Observes the current page. @throws PilothouseError STEP_TIMED_OUT if the page does not answer in time */
  async observe(options: ObserveOptions, deadline: Deadline): Promise<ObservedPage> {
    const { level = 'view' } = options;
    const top = await this.#world(this.#page.mainFrame());
    if (!top) throw new PilothouseError('SURFACE_LOST', 'The page does not listen');
    const worlds = [top];
    const snapshot = await top.snapshot({ level, view: null }, deadline);
    if (top.document !== this.#document) this.#numbers = new Map();
    this.#document = top.document;
    const part: SnapshotSource = { world: top, frame: this.#page.mainFrame(), isBelow: false, x: 0, y: 0, scale: 1 };
    const opaqueRegions = [...snapshot.opaqueRegions];
    const texts = [...snapshot.texts];
    const focus: (SnapshotElement | null)[] = [];
    const frameElements = await this.#collect(snapshot, part, level, deadline, 0, {
      opaqueRegions,
      texts,
      worlds,
      focus,
    });
    this.#observedWorlds = worlds;
    const listed = frameElements.map(({ source: from, element }) => this.#toListed(from, element));
    const focused = listed.find(({ view }) => view.state.focused)?.view.index ?? null;
    const text = texts.join('\n');
    const { url, title, loading, busy, viewport, scroll } = snapshot;
    const observation: Observation = {
      url,
      title,
      document: this.#document,
      loading,
      ...(busy && { busy }),
      viewport,
      scroll,
      focused,
      ...(focused === null && focus.length > 0 && { focus: focusOutsideList(focus) }),
      elements: listed.map(({ view }) => view),
      opaqueRegions,
      ...(level === 'page' && { text: { text: text.slice(0, MAX_PAGE_TEXT_CHARS), length: text.length } }),
    };
    const observeAgain = (next: Deadline) => this.observe({ level }, next);
    this.#last = new ObservedPage(observation, new Map(listed.map((one) => [one.view.index, one])), {
      check: assertUnchanged,
      handle: (one, until) => elementHandle(this.#page, one, until),
      point: (one, until) => clickablePoint(one, until, observeAgain),
    });
    return this.#last;
  }

  /**
   * True if nothing in the last observed documents is about to change them.
   * @returns false also if the page does not answer in time
   */
  async isIdle(deadline: Deadline): Promise<boolean> {
    const answers = this.#observedWorlds.map((world) => world.isIdle(deadline).catch(() => false));
    const idle = await Promise.all(answers);
    deadline.signal.throwIfAborted();
    return idle.length > 0 && !idle.includes(false);
  }

  #toListed({ world, frame, isBelow, x, y, scale }: SnapshotSource, element: SnapshotElement): ListedElement {
    const { id, point, isBehindLabel = false, ...idle } = element;
    const key = `${world.frame}/${world.document}/${id}`;
    const index = this.#numbers.get(key) ?? this.#numbers.size;
    this.#numbers.set(key, index);
    const view = { index, ...idle, bounds: toPageBounds(element.bounds, { x, y, scale }) };
    return {
      view,
      world,
      document: world.document,
      id,
      frame,
      isBelow,
      isBehindLabel,
      point: { x: x + point.x * scale, y: y + point.y * scale },
    };
  }

  /** Collects the elements of a document and of the frames below it, in document order. */
  async #collect(
    snapshot: Snapshot,
    source: SnapshotSource,
    level: ObservationLevel,
    deadline: Deadline,
    depth: number,
    shared: SharedResults,
  ): Promise<FrameElement[]> {
    const ownElements = snapshot.elements.map((element): FrameElement => ({ source, element }));
    const { focus } = snapshot;
    if (depth === 0 && focus === null) shared.focus.push(null);
    // The focus of a frame counts only if the parent document has its focus in a frame.
    if (focus && focus !== 'frame' && shared.focus.length === 0)
      shared.focus.push({ ...focus, ...(depth > 0 && { frame: focus.frame ?? snapshot.url.slice(0, 300) }) });
    if (snapshot.frames.length === 0) return ownElements;
    const childFrames = await Promise.all(
      snapshot.frames.map(async (frame) => {
        const frameElements =
          depth < MAX_FRAME_DEPTH ? await this.#collectFrame(frame, source, level, deadline, depth, shared) : null;
        if (!frameElements)
          shared.opaqueRegions.push({ kind: 'frame', name: frame.name, bounds: toPageBounds(frame.bounds, source) });
        return { insertIndex: frame.insertIndex, frameElements: frameElements ?? [] };
      }),
    );
    const result: FrameElement[] = [];
    for (let index = 0; index <= ownElements.length; index += 1) {
      for (const child of childFrames) if (child.insertIndex === index) result.push(...child.frameElements);
      const next = ownElements[index];
      if (next) result.push(next);
    }
    return result;
  }

  /** Returns the elements of a cross-origin frame; null if they cannot be read. */
  async #collectFrame(
    element: SnapshotFrame,
    parent: SnapshotSource,
    level: ObservationLevel,
    deadline: Deadline,
    depth: number,
    shared: SharedResults,
  ): Promise<FrameElement[] | null> {
    try {
      const key = `${parent.world.frame}/${parent.world.document}/${element.id}`;
      const frameId = this.#frames.get(key) ?? parent.world.frameIn(element.id, deadline);
      this.#frames.set(key, frameId);
      const frameSource = await this.#findSource(await frameId, parent);
      if (!frameSource) return null;
      shared.worlds.push(frameSource.world);
      const snapshot = await frameSource.world.snapshot({ level, view: element.view }, deadline);
      const source: SnapshotSource = {
        ...frameSource,
        x: parent.x + element.x * parent.scale,
        y: parent.y + element.y * parent.scale,
        scale: parent.scale * element.scale,
      };
      const elements = snapshot.elements.map((one) => ({ ...one, frame: one.frame ?? snapshot.url.slice(0, 300) }));
      const hits = await this.#withoutCovered(elements, element, parent, deadline);
      shared.opaqueRegions.push(
        ...snapshot.opaqueRegions.map((one) => ({ ...one, bounds: toPageBounds(one.bounds, source) })),
      );
      shared.texts.push(...snapshot.texts);
      return await this.#collect({ ...snapshot, elements: hits }, source, level, deadline, depth + 1, shared);
    } catch {
      deadline.signal.throwIfAborted();
      return null;
    }
  }

  /** Removes elements that are covered by the page around the frame. */
  async #withoutCovered(
    elements: SnapshotElement[],
    { id, x, y, scale }: SnapshotFrame,
    parent: SnapshotSource,
    deadline: Deadline,
  ): Promise<SnapshotElement[]> {
    const points = elements.map(({ point }) => ({ x: x + point.x * scale, y: y + point.y * scale }));
    const hits = await parent.world.call('hits', [id, points], deadline);
    return elements.filter((_, index) => hits[index]);
  }

  /** Finds the snapshot script of a frame: that of its own process, or of its parent's. */
  async #findSource(
    id: string | null,
    parent: SnapshotSource,
  ): Promise<Pick<SnapshotSource, 'world' | 'frame' | 'isBelow'> | null> {
    if (!id) return null;
    for (const frame of this.#page.frames()) {
      const world = await this.#world(frame);
      if (world?.frame === id) return { world, frame, isBelow: false };
    }
    return { world: parent.world.childWorld(id), frame: parent.frame, isBelow: true };
  }

  /** Returns the isolated world of a frame; null if the frame shares the process of its parent. */
  #world(frame: Frame): Promise<IsolatedWorld | null> {
    const existing = this.#worlds.get(frame);
    if (existing) return existing;
    const created = this.#connect(frame);
    this.#worlds.set(frame, created);
    return created;
  }

  async #connect(frame: Frame): Promise<IsolatedWorld | null> {
    const isTop = frame === this.#page.mainFrame();
    const forget = () => void this.#worlds.delete(frame);
    try {
      const cdp: CDPSession = await this.#page.context().newCDPSession(isTop ? this.#page : frame);
      cdp.on('close', forget);
      return await IsolatedWorld.on(cdp);
    } catch (error) {
      forget();
      if (isTop) throw error;
      return null;
    }
  }
}

/** Returns the focused element that is not in the list; null if there is none. */
function focusOutsideList(
  focusedElements: readonly (SnapshotElement | null)[],
): NonNullable<Observation['focus']> | null {
  const focusedElement = focusedElements.find((each) => each !== null);
  if (!focusedElement) return null;
  const { id: _id, point: _point, isBehindLabel: _isBehindLabel, ...view } = focusedElement;
  return view;
}

const toPageBounds = (
  { x, y, width, height }: SnapshotElement['bounds'],
  by: Pick<SnapshotSource, 'x' | 'y' | 'scale'>,
): SnapshotElement['bounds'] => ({
  x: Math.round(by.x + x * by.scale),
  y: Math.round(by.y + y * by.scale),
  width: Math.round(width * by.scale),
  height: Math.round(height * by.scale),
});
