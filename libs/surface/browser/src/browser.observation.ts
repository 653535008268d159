import { PilothouseError, type Observation, type ObservationLevel } from '@pilothouse/contract';
import type { ObserveOptions, Deadline } from '@pilothouse/core';
import type { CDPSession, Frame, Page } from 'playwright-core';
import {
  type ListedElement,
  ObservedPage,
  checked,
  clickablePoint,
  elementHandle,
} from './observation/observed-page.ts';
import type { Snapshot, SnapshotElement, SnapshotFrame } from './injected/snapshot/snapshot.script.ts';
import { IsolatedWorld } from './observation/isolated-world.ts';

/** Characters of the text of a page that are kept. */
const PAGE_TEXT = 50_000;

/** How deep frames of other sites may lie in each other. */
const DEEPEST = 5;

/** A document that has an eye of its own, and where it is in the page. */
interface Part {
  readonly world: IsolatedWorld;
  /** The outermost frame of its process. */
  readonly frame: Frame;
  /** Whether it is in a frame below that one. */
  readonly isBelow: boolean;
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** What is gathered besides, of all eyes. */
interface More extends Pick<Snapshot, 'opaqueRegions' | 'texts'> {
  readonly looked: IsolatedWorld[];
  /** What has the focus and is not in the list, as each eye has it. */
  readonly focus: (SnapshotElement | null)[];
}

/** What one eye saw, before it is numbered. */
interface Gathered {
  readonly part: Part;
  readonly seen: SnapshotElement;
}

/**
 * The list of the elements of one page. It keeps the numbers: an element has the same one as long as it stays on the page. One look
 * is one call into the page; frames of other origins take one more each.
 */
export class BrowserObserver {
  static readonly #lists = new WeakMap<Page, BrowserObserver>();
  readonly #page: Page;
  readonly #worlds = new Map<Frame, Promise<IsolatedWorld | null>>();
  readonly #frames = new Map<string, Promise<string | null>>();
  /** Numbers by world, document and number in there. */
  #numbers = new Map<string, number>();
  #document = 0;
  /** Where the last look went: the document, and frames of other origins. */
  #looked: readonly IsolatedWorld[] = [];
  #last: ObservedPage | null = null;

  private constructor(page: Page) {
    this.#page = page;
    page.on('framedetached', (frame) => this.#worlds.delete(frame));
  }

  /** The list of a page; always the same one. */
  static of(page: Page): BrowserObserver {
    const list = this.#lists.get(page) ?? new BrowserObserver(page);
    this.#lists.set(page, list);
    return list;
  }

  /** What was seen last: the numbers of actions are of it. */
  get last(): ObservedPage | null {
    return this.#last;
  }

  /**
   * Looks at the page as it is now.
   * @throws PilothouseError STEP_TIMED_OUT when the page does not answer in time
   */
  async observe(options: ObserveOptions, bound: Deadline): Promise<ObservedPage> {
    const { level = 'view' } = options;
    const top = await this.#world(this.#page.mainFrame());
    if (!top) throw new PilothouseError('SURFACE_LOST', 'The page does not listen');
    const looked = [top];
    const look = await top.look({ level, view: null }, bound);
    if (top.document !== this.#document) this.#numbers = new Map();
    this.#document = top.document;
    const part: Part = { world: top, frame: this.#page.mainFrame(), isBelow: false, x: 0, y: 0, scale: 1 };
    const opaqueRegions = [...look.opaqueRegions];
    const texts = [...look.texts];
    const focus: (SnapshotElement | null)[] = [];
    const gathered = await this.#gather(look, part, level, bound, 0, { opaqueRegions, texts, looked, focus });
    this.#looked = looked;
    const listed = gathered.map(({ part: from, seen }) => this.#listed(from, seen));
    const focused = listed.find(({ view }) => view.state.focused)?.view.index ?? null;
    const text = texts.join('\n');
    const { url, title, loading, busy, viewport, scroll } = look;
    const observation: Observation = {
      url,
      title,
      document: this.#document,
      loading,
      ...(busy && { busy }),
      viewport,
      scroll,
      focused,
      ...(focused === null && focus.length > 0 && { focus: unlisted(focus) }),
      elements: listed.map(({ view }) => view),
      opaqueRegions,
      ...(level === 'page' && { text: { text: text.slice(0, PAGE_TEXT), length: text.length } }),
    };
    const again = (next: Deadline) => this.observe({ level }, next);
    this.#last = new ObservedPage(observation, new Map(listed.map((one) => [one.view.index, one])), {
      check: checked,
      handle: (one, until) => elementHandle(this.#page, one, until),
      point: (one, until) => clickablePoint(one, until, again),
    });
    return this.#last;
  }

  /** Whether nothing that was looked at last has anything to do that would soon change it. @returns false also when that is not known in time */
  async rests(bound: Deadline): Promise<boolean> {
    const asked = this.#looked.map((world) => world.rests(bound).catch(() => false));
    const rest = await Promise.all(asked);
    bound.signal.throwIfAborted();
    return rest.length > 0 && !rest.includes(false);
  }

  #listed({ world, frame, isBelow, x, y, scale }: Part, seen: SnapshotElement): ListedElement {
    const { id, point, isBehindLabel = false, ...rest } = seen;
    const key = `${world.frame}/${world.document}/${id}`;
    const index = this.#numbers.get(key) ?? this.#numbers.size;
    this.#numbers.set(key, index);
    const view = { index, ...rest, bounds: placed(seen.bounds, { x, y, scale }) };
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

  /** What an eye saw, and what those in the frames below it did, in their order. */
  async #gather(
    look: Snapshot,
    part: Part,
    level: ObservationLevel,
    bound: Deadline,
    depth: number,
    more: More,
  ): Promise<Gathered[]> {
    const own = look.elements.map((seen): Gathered => ({ part, seen }));
    const { focus } = look;
    if (depth === 0 && focus === null) more.focus.push(null);
    // The focus of a frame counts only where the page around it has the focus in a frame.
    if (focus && focus !== 'frame' && more.focus.length === 0)
      more.focus.push({ ...focus, ...(depth > 0 && { frame: focus.frame ?? look.url.slice(0, 300) }) });
    if (look.frames.length === 0) return own;
    const inner = await Promise.all(
      look.frames.map(async (frame) => {
        const gathered = depth < DEEPEST ? await this.#inside(frame, part, level, bound, depth, more) : null;
        if (!gathered) more.opaqueRegions.push({ kind: 'frame', name: frame.name, bounds: placed(frame.bounds, part) });
        return { at: frame.at, gathered: gathered ?? [] };
      }),
    );
    const result: Gathered[] = [];
    for (let at = 0; at <= own.length; at += 1) {
      for (const one of inner) if (one.at === at) result.push(...one.gathered);
      const next = own[at];
      if (next) result.push(next);
    }
    return result;
  }

  /** What a frame of another origin shows; null when that cannot be known. */
  async #inside(
    seen: SnapshotFrame,
    outer: Part,
    level: ObservationLevel,
    bound: Deadline,
    depth: number,
    more: More,
  ): Promise<Gathered[] | null> {
    try {
      const key = `${outer.world.frame}/${outer.world.document}/${seen.id}`;
      const asked = this.#frames.get(key) ?? outer.world.frameIn(seen.id, bound);
      this.#frames.set(key, asked);
      const found = await this.#eyeIn(await asked, outer);
      if (!found) return null;
      more.looked.push(found.world);
      const look = await found.world.look({ level, view: seen.view }, bound);
      const part: Part = {
        ...found,
        x: outer.x + seen.x * outer.scale,
        y: outer.y + seen.y * outer.scale,
        scale: outer.scale * seen.scale,
      };
      const elements = look.elements.map((one) => ({ ...one, frame: one.frame ?? look.url.slice(0, 300) }));
      const open = await this.#uncovered(elements, seen, outer, bound);
      more.opaqueRegions.push(...look.opaqueRegions.map((one) => ({ ...one, bounds: placed(one.bounds, part) })));
      more.texts.push(...look.texts);
      return await this.#gather({ ...look, elements: open }, part, level, bound, depth + 1, more);
    } catch {
      bound.signal.throwIfAborted();
      return null;
    }
  }

  /** Without what lies under something of the page around the frame. */
  async #uncovered(
    elements: SnapshotElement[],
    { id, x, y, scale }: SnapshotFrame,
    outer: Part,
    bound: Deadline,
  ): Promise<SnapshotElement[]> {
    const points = elements.map(({ point }) => ({ x: x + point.x * scale, y: y + point.y * scale }));
    const open = await outer.world.ask('hits', [id, points], bound);
    return elements.filter((_, index) => open[index]);
  }

  /** The eye in a frame: of its own process, else in that of the frame around it. */
  async #eyeIn(id: string | null, outer: Part): Promise<Pick<Part, 'world' | 'frame' | 'isBelow'> | null> {
    if (!id) return null;
    for (const frame of this.#page.frames()) {
      const world = await this.#world(frame);
      if (world?.frame === id) return { world, frame, isBelow: false };
    }
    return { world: outer.world.inside(id), frame: outer.frame, isBelow: true };
  }

  /** The eye of a frame; null for a frame that is in its parent's process. */
  #world(frame: Frame): Promise<IsolatedWorld | null> {
    const known = this.#worlds.get(frame);
    if (known) return known;
    const made = this.#enter(frame);
    this.#worlds.set(frame, made);
    return made;
  }

  async #enter(frame: Frame): Promise<IsolatedWorld | null> {
    const isTop = frame === this.#page.mainFrame();
    const forget = () => void this.#worlds.delete(frame);
    try {
      const wire: CDPSession = await this.#page.context().newCDPSession(isTop ? this.#page : frame);
      wire.on('close', forget);
      return await IsolatedWorld.on(wire);
    } catch (thrown) {
      forget();
      if (isTop) throw thrown;
      return null;
    }
  }
}

/** What has the focus without being in the list; null: nothing has. */
function unlisted(found: readonly (SnapshotElement | null)[]): NonNullable<Observation['focus']> | null {
  const one = found.find((each) => each !== null);
  if (!one) return null;
  const { id: _id, point: _point, isBehindLabel: _isBehindLabel, ...view } = one;
  return view;
}

const placed = (
  { x, y, width, height }: SnapshotElement['bounds'],
  by: Pick<Part, 'x' | 'y' | 'scale'>,
): SnapshotElement['bounds'] => ({
  x: Math.round(by.x + x * by.scale),
  y: Math.round(by.y + y * by.scale),
  width: Math.round(width * by.scale),
  height: Math.round(height * by.scale),
});
