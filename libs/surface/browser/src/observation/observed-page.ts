import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ElementView, Observation } from '@pilothouse/contract/observation/observation.schema';
import type { ObservationLevel } from '@pilothouse/contract/actions/extraction.schema';
import { diffObservations } from '@pilothouse/core/observation/observation-diff';
import { describeElement, observationText } from '@pilothouse/core/observation/observation-text';
import { type Deadline, poll, raceDeadline } from '@pilothouse/core/time/deadlines';
import type { ElementHandle, Frame, JSHandle, Page } from 'playwright-core';
import type { IsolatedWorld } from '@pilothouse/surface-page-elements';
import { randomUUID } from 'node:crypto';

/** Listed element and its location. */
export interface ListedElement {
  readonly view: ElementView;
  readonly world: IsolatedWorld;
  /** Document of its world that its id belongs to. */
  readonly document: number;
  readonly id: number;
  /** The outermost frame of its process. */
  readonly frame: Frame;
  /** True if it is in a cross-origin descendant of that frame. */
  readonly isBelow: boolean;
  /** Input goes to its label. */
  readonly isBehindLabel: boolean;
  /** Click point at the time of the observation, in CSS pixels of the page. */
  readonly point: Point;
}

/** Point in CSS pixels of the page. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

interface ElementAccess {
  check(listed: ListedElement, deadline: Deadline): Promise<void>;
  handle(listed: ListedElement, deadline: Deadline): Promise<ElementHandle<Element>>;
  point(listed: ListedElement, deadline: Deadline): Promise<Point>;
}

/** Observation of a page at one moment, with access to its elements. */
export class ObservedPage {
  readonly observation: Observation;
  readonly #elements: ReadonlyMap<number, ListedElement>;
  readonly #access: ElementAccess;

  constructor(observation: Observation, listed: ReadonlyMap<number, ListedElement>, access: ElementAccess) {
    this.observation = observation;
    this.#elements = listed;
    this.#access = access;
  }

  get elements(): readonly ElementView[] {
    return this.observation.elements;
  }

  /** Returns a listed element. @throws PilothouseError TARGET_NOT_FOUND for an unknown index */
  listed(index: number): ListedElement {
    const element = this.#elements.get(index);
    if (element) return element;
    throw new PilothouseError(
      'TARGET_NOT_FOUND',
      `Element ${index} is not in the last observation; observe the page again`,
      {
        details: { index },
      },
    );
  }

  /**
   * Returns the observation as text for a model.
   * @param level interactive elements, all elements in view, or those and the text of the page
   */
  text(level?: ObservationLevel): string {
    return observationText(this.observation, level);
  }

  /** Returns the elements added, changed and removed since an earlier observation, as text. */
  diff(previous: ObservedPage): string {
    return diffObservations(previous.observation, this.observation);
  }

  /**
   * Returns the Playwright handle of an element.
   * @throws PilothouseError TARGET_NOT_FOUND if it was removed or replaced
   */
  async handle(index: number, deadline: Deadline): Promise<ElementHandle<Element>> {
    return this.#access.handle(this.listed(index), deadline);
  }

  /** Verifies that an element was neither removed nor replaced. @throws PilothouseError TARGET_NOT_FOUND */
  async check(index: number, deadline: Deadline): Promise<void> {
    return this.#access.check(this.listed(index), deadline);
  }

  /**
   * Returns the current click point of an element and scrolls it into view if needed.
   * @throws PilothouseError TARGET_NOT_FOUND as `handle`; TARGET_NOT_ACTIONABLE if it is covered
   */
  async point(index: number, deadline: Deadline): Promise<Point> {
    return this.#access.point(this.listed(index), deadline);
  }
}

const elementChanged = (listed: ListedElement, reason: string) =>
  new PilothouseError(
    'TARGET_NOT_FOUND',
    `Element ${listed.view.index} (${describeElement(listed.view)}) ${reason}; observe the page again`,
    {
      details: { index: listed.view.index },
    },
  );

/** @throws PilothouseError TARGET_NOT_FOUND if the element was removed or replaced */
export async function assertUnchanged(listed: ListedElement, deadline: Deadline): Promise<void> {
  const { view, world, id, document } = listed;
  const current = await world.call('statusOf', [id, view.role, view.name, view.interactive], deadline);
  if (world.document !== document) throw elementChanged(listed, 'was removed with its page');
  if (current.status === 'removed') throw elementChanged(listed, 'was removed');
  if (current.status === 'changed') {
    const description = describeElement({ role: current.role, name: current.name });
    throw elementChanged(listed, `has changed since the last observation: it is now ${description}`);
  }
}

/** Waits until the snapshot script passes an element by an event. Runs in the page. */
const receiveElement = (event: string): Promise<Element | null> =>
  new Promise((resolve) => {
    const onEvent = (dispatched: Event) => {
      dispatched.stopImmediatePropagation();
      dispatched.preventDefault();
      const [element] = dispatched.composedPath();
      resolve((element as Element | undefined) ?? null);
    };
    window.addEventListener(event, onEvent, { capture: true, once: true });
    // Limits the wait, so that a page without an answer keeps no listener.
    setTimeout(() => {
      window.removeEventListener(event, onEvent, { capture: true });
      resolve(null);
    }, 3000);
  });

/**
 * Returns the Playwright handle of an element. Worlds of a page share elements but no objects, so the snapshot script
 * passes the element by an event with a secret name.
 */
export async function elementHandle(
  page: Page,
  listed: ListedElement,
  deadline: Deadline,
): Promise<ElementHandle<Element>> {
  await assertUnchanged(listed, deadline);
  const event = `ph-${randomUUID()}`;
  const receivers = framesOf(page, listed).map((frame) => frame.evaluateHandle(receiveElement, event));
  for (const receiver of receivers) receiver.catch(() => undefined);
  const outcome = await poll(async () => {
    const result = await listed.world.call('dispatchTo', [listed.id, event], deadline);
    return result === false ? undefined : result;
  }, deadline);
  if (outcome === 'closed') {
    throw new PilothouseError(
      'TARGET_NOT_ACTIONABLE',
      `Element ${listed.view.index} is in a closed shadow root, which scripts cannot access; click it instead`,
    );
  }
  if (outcome === undefined) throw elementChanged(listed, 'did not answer');
  return raceDeadline(firstElement(receivers), deadline, `Element ${listed.view.index}`);
}

/** Resolves with the first handle of an element and disposes of the others. */
async function firstElement(receivers: readonly Promise<JSHandle<Element | null>>[]): Promise<ElementHandle<Element>> {
  return Promise.any(
    receivers.map(async (receiver) => {
      const handle = await receiver;
      const element = handle.asElement();
      if (element) return element as ElementHandle<Element>;
      await handle.dispose();
      throw new Error('It was shown to another frame');
    }),
  );
}

/** Returns the frames that may contain the element: those with the URL of the observation. */
function framesOf(page: Page, { view, frame, isBelow }: ListedElement): Frame[] {
  const { frame: address } = view;
  if (address === undefined || (!isBelow && frame.url().startsWith(address))) return [frame];
  const isBelowFrame = (listed: Frame): boolean =>
    listed === frame || (listed.parentFrame() !== null && isBelowFrame(listed.parentFrame() as Frame));
  const framesBelow = page.frames().filter((listed) => listed !== frame && isBelowFrame(listed));
  const sameUrl = framesBelow.filter((listed) => listed.url().startsWith(address));
  return sameUrl.length > 0 ? sameUrl : framesBelow;
}

/** Returns the current click point of an element. @param observeAgain observes the page once more */
export async function clickablePoint(
  listed: ListedElement,
  deadline: Deadline,
  observeAgain: (deadline: Deadline) => Promise<ObservedPage>,
): Promise<Point> {
  await assertUnchanged(listed, deadline);
  const { index } = listed.view;
  const pointIn = (observed: ObservedPage) => {
    const isListed = observed.elements.some((view) => view.index === index);
    return isListed ? observed.listed(index).point : null;
  };
  const point = pointIn(await observeAgain(deadline));
  if (point) return point;
  await listed.world.call('scrollIntoView', [listed.id], deadline);
  const revealedPoint = pointIn(await observeAgain(deadline));
  if (revealedPoint) return revealedPoint;
  await assertUnchanged(listed, deadline);
  throw new PilothouseError(
    'TARGET_NOT_ACTIONABLE',
    `Element ${index} (${describeElement(listed.view)}) exists but is hidden or covered; scroll to it, or close the element that covers it`,
    {
      details: { index },
    },
  );
}
