import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import type { ObserveOptions } from '@pilothouse/core/ports/surface.port';
import { type Deadline, raceDeadline } from '@pilothouse/core/time/deadlines';
import {
  elementViewOf,
  IsolatedWorld,
  PageReader,
  type PageDocument,
  type PageElement,
  type SnapshotElement,
  type CdpCommands,
  type CdpEvents,
  type CdpSession,
  type ReadLimit,
} from '@pilothouse/surface-page-elements';
import type { CDPSession, Frame, Page } from 'playwright-core';
import {
  type ListedElement,
  ObservedPage,
  assertUnchanged,
  clickablePoint,
  elementHandle,
} from './observation/observed-page.ts';

/** Adapts a CDP session of Playwright to `CdpSession`. An expired deadline throws a PilothouseError. */
const playwrightCdpSession = (session: CDPSession): CdpSession => ({
  send: <Method extends keyof CdpCommands>(
    method: Method,
    params?: CdpCommands[Method]['params'],
    limit?: ReadLimit,
  ) => {
    const answer = session.send(method, params as never) as Promise<CdpCommands[Method]['result']>;
    return limit ? raceDeadline(answer, limit.deadline, limit.activity) : answer;
  },
  on: <Event extends keyof CdpEvents>(event: Event, listener: (data: CdpEvents[Event]) => void) => {
    session.on(event, listener as never);
  },
  isProtocolError: (error) => !(error instanceof PilothouseError),
});

const MAX_PAGE_TEXT_CHARS = 50_000;

/**
 * Observes the elements of one page and keeps their numbers: an element has the same number as long as it stays on
 * the page. One observation is one call into the page plus one per cross-origin frame.
 */
export class BrowserObserver {
  static readonly #observers = new WeakMap<Page, BrowserObserver>();
  readonly #page: Page;
  readonly #worlds = new Map<Frame, Promise<IsolatedWorld | null>>();
  readonly #reader = new PageReader<Frame>((id, parent) => this.#findDocument(id, parent));
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
  static forPage(page: Page): BrowserObserver {
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
    if (!top) throw new PilothouseError('SURFACE_LOST', 'The page does not respond');
    const source = { world: top, frame: this.#page.mainFrame(), isBelow: false };
    const read = await this.#reader.read(source, level, deadline);
    if (top.document !== this.#document) this.#numbers = new Map();
    this.#document = top.document;
    this.#observedWorlds = read.worlds;
    const listed = read.elements.map((element) => this.#toListed(element));
    const focused = listed.find(({ view }) => view.state.focused)?.view.index ?? null;
    const { url, title, loading, busy, viewport, scroll, focus, opaqueRegions } = read;
    const text = read.texts.join('\n');
    const observation: Observation = {
      url,
      title,
      document: this.#document,
      loading,
      ...(busy && { busy }),
      viewport,
      scroll,
      focused,
      ...(focused === null && focus !== undefined && { focus: focus && focusView(focus) }),
      elements: listed.map(({ view }) => view),
      opaqueRegions: [...opaqueRegions],
      ...(level === 'page' && { text: { text: text.slice(0, MAX_PAGE_TEXT_CHARS), length: text.length } }),
    };
    const observeAgain = (next: Deadline) => this.observe({ level }, next);
    this.#last = new ObservedPage(observation, new Map(listed.map((element) => [element.view.index, element])), {
      check: assertUnchanged,
      handle: (element, limit) => elementHandle(this.#page, element, limit),
      point: (element, limit) => clickablePoint(element, limit, observeAgain),
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

  #toListed({ element, source }: PageElement<Frame>): ListedElement {
    const { world, frame, isBelow } = source;
    const { id, point, isBehindLabel = false } = element;
    const key = `${world.frame}/${world.document}/${id}`;
    const index = this.#numbers.get(key) ?? this.#numbers.size;
    this.#numbers.set(key, index);
    const view = elementViewOf(element, index);
    return { view, world, document: world.document, id, frame, isBelow, isBehindLabel, point };
  }

  /** Finds the snapshot script of a frame: that of its process, or of its parent's. */
  async #findDocument(id: string, parent: PageDocument<Frame>): Promise<PageDocument<Frame>> {
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
      return await IsolatedWorld.open(playwrightCdpSession(cdp));
    } catch (error) {
      forget();
      if (isTop) throw error;
      return null;
    }
  }
}

/** A focused element outside the list has no number. */
function focusView(element: SnapshotElement): NonNullable<Observation['focus']> {
  const { index: _index, ...view } = elementViewOf(element, 0);
  return view;
}
