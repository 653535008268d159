import { type ElementView, type Observation, type ObservationLevel, PilothouseError } from '@pilothouse/contract';
import {
  type Deadline,
  describeElement,
  diffObservations,
  observationText,
  poll,
  raceDeadline,
} from '@pilothouse/core';
import type { ElementHandle, Frame, JSHandle, Page } from 'playwright-core';
import type { IsolatedWorld } from './isolated-world.ts';
import { randomUUID } from 'node:crypto';

/** An entry of the list, and where the element is. */
export interface ListedElement {
  readonly view: ElementView;
  readonly world: IsolatedWorld;
  /** The document of its world that its number is of. */
  readonly document: number;
  readonly id: number;
  /** The outermost frame of its process. */
  readonly frame: Frame;
  /** Whether it is in a frame below that one, of another origin. */
  readonly isBelow: boolean;
  /** Input goes to its label. */
  readonly isBehindLabel: boolean;
  /** Where a click hits it, in CSS pixels of the page, when it was seen. */
  readonly point: Point;
}

/** A place in CSS pixels of the page. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

interface Reach {
  check(one: ListedElement, bound: Deadline): Promise<void>;
  handle(one: ListedElement, bound: Deadline): Promise<ElementHandle<Element>>;
  point(one: ListedElement, bound: Deadline): Promise<Point>;
}

/** What was seen of a page at one moment, and the way back to its elements. */
export class ObservedPage {
  readonly observation: Observation;
  readonly #listed: ReadonlyMap<number, ListedElement>;
  readonly #reach: Reach;

  constructor(observation: Observation, listed: ReadonlyMap<number, ListedElement>, reach: Reach) {
    this.observation = observation;
    this.#listed = listed;
    this.#reach = reach;
  }

  get elements(): readonly ElementView[] {
    return this.observation.elements;
  }

  /** Where it was, with what a click needs. @throws PilothouseError TARGET_NOT_FOUND when the list has no such number */
  listed(index: number): ListedElement {
    const one = this.#listed.get(index);
    if (one) return one;
    throw new PilothouseError('TARGET_NOT_FOUND', `There is no element ${index} in what was seen last`, {
      details: { index },
    });
  }

  /** As a text for a model. @param level how much of it: what takes input, all in view, or that and the text of the page */
  text(level?: ObservationLevel): string {
    return observationText(this.observation, level);
  }

  /** What is new, other and gone since an earlier observation, as a text. */
  diff(previous: ObservedPage): string {
    return diffObservations(previous.observation, this.observation);
  }

  /**
   * The element as Playwright has it.
   * @throws PilothouseError TARGET_NOT_FOUND when it is gone, or has become something else since it was seen
   */
  async handle(index: number, bound: Deadline): Promise<ElementHandle<Element>> {
    return this.#reach.handle(this.listed(index), bound);
  }

  /** Fails when the element is gone, or has become something else since it was seen. @throws PilothouseError TARGET_NOT_FOUND */
  async check(index: number, bound: Deadline): Promise<void> {
    return this.#reach.check(this.listed(index), bound);
  }

  /**
   * Where a click hits it now; it is brought into view where it is not.
   * @throws PilothouseError TARGET_NOT_FOUND as `handle`; TARGET_NOT_ACTIONABLE when something lies over it
   */
  async point(index: number, bound: Deadline): Promise<Point> {
    return this.#reach.point(this.listed(index), bound);
  }
}

const notFound = (one: ListedElement, why: string) =>
  new PilothouseError(
    'TARGET_NOT_FOUND',
    `Element ${one.view.index} (${describeElement(one.view)}) ${why}; look again`,
    {
      details: { index: one.view.index },
    },
  );

/** @throws PilothouseError TARGET_NOT_FOUND when it is not what it was when it was seen */
export async function checked(one: ListedElement, bound: Deadline): Promise<void> {
  const { view, world, id, document } = one;
  const fate = await world.ask('fateOf', [id, view.role, view.name, view.interactive], bound);
  if (world.document !== document) throw notFound(one, 'went away with its page');
  if (fate.is === 'gone') throw notFound(one, 'is gone');
  if (fate.is === 'other') {
    const now = describeElement({ role: fate.role, name: fate.name });
    throw notFound(one, `has changed since it was seen: it is ${now} now`);
  }
}

/** Runs in the page: waits until the eye shows an element by an event, and keeps it. */
const meet = (event: string): Promise<Element | null> =>
  new Promise((resolve) => {
    const onShown = (shown: Event) => {
      shown.stopImmediatePropagation();
      shown.preventDefault();
      const [element] = shown.composedPath();
      resolve((element as Element | undefined) ?? null);
    };
    window.addEventListener(event, onShown, { capture: true, once: true });
    /* Nobody waits for longer, and a page that nobody asks keeps nothing. */
    setTimeout(() => {
      window.removeEventListener(event, onShown, { capture: true });
      resolve(null);
    }, 3000);
  });

/**
 * The element as Playwright has it. Worlds of a page share no objects, only its elements: the eye shows it by an event that nobody
 * else can know.
 */
export async function elementHandle(page: Page, one: ListedElement, bound: Deadline): Promise<ElementHandle<Element>> {
  await checked(one, bound);
  const event = `ph-${randomUUID()}`;
  const waiting = framesOf(page, one).map((frame) => frame.evaluateHandle(meet, event));
  for (const each of waiting) each.catch(() => undefined);
  const met = await poll(async () => {
    const shown = await one.world.ask('show', [one.id, event], bound);
    return shown === false ? undefined : shown;
  }, bound);
  if (met === 'closed') {
    throw new PilothouseError(
      'TARGET_NOT_ACTIONABLE',
      `Element ${one.view.index} is in a closed shadow root: it can be clicked at its point, and no script gets hold of it`,
    );
  }
  if (met === undefined) throw notFound(one, 'did not answer');
  return raceDeadline(firstElement(waiting), bound, `Element ${one.view.index}`);
}

/** Resolves with the first that is an element; the others are let go. */
async function firstElement(waiting: readonly Promise<JSHandle<Element | null>>[]): Promise<ElementHandle<Element>> {
  return Promise.any(
    waiting.map(async (each) => {
      const handle = await each;
      const element = handle.asElement();
      if (element) return element as ElementHandle<Element>;
      await handle.dispose();
      throw new Error('It was shown to another frame');
    }),
  );
}

/** The frames whose scripts may see it: it is in one that has the address it was seen at. */
function framesOf(page: Page, { view, frame, isBelow }: ListedElement): Frame[] {
  const { frame: address } = view;
  if (address === undefined || (!isBelow && frame.url().startsWith(address))) return [frame];
  const under = (one: Frame): boolean =>
    one === frame || (one.parentFrame() !== null && under(one.parentFrame() as Frame));
  const all = page.frames().filter((one) => one !== frame && under(one));
  const same = all.filter((one) => one.url().startsWith(address));
  return same.length > 0 ? same : all;
}

/** Where a click hits it now. @param again looks at the page once more */
export async function clickablePoint(
  one: ListedElement,
  bound: Deadline,
  again: (bound: Deadline) => Promise<ObservedPage>,
): Promise<Point> {
  await checked(one, bound);
  const { index } = one.view;
  const now = (seen: ObservedPage) => {
    const found = seen.elements.some((view) => view.index === index);
    return found ? seen.listed(index).point : null;
  };
  const point = now(await again(bound));
  if (point) return point;
  await one.world.ask('reveal', [one.id], bound);
  const later = now(await again(bound));
  if (later) return later;
  await checked(one, bound);
  throw new PilothouseError(
    'TARGET_NOT_ACTIONABLE',
    `Element ${index} (${describeElement(one.view)}) is there, but hidden or covered`,
    {
      details: { index },
    },
  );
}
