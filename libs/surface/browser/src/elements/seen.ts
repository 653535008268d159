import { PilothouseError, type ElementView, type Observation, type ObservationLevel } from '@pilothouse/contract';
import { diffObservations, observationText } from '@pilothouse/core';
import type { ElementHandle, Frame } from 'playwright-core';
import type { Deadline } from '../wait.ts';
import type { IsolatedWorld } from './world.ts';

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
   * @throws PilothouseError TARGET_NOT_FOUND as `handle`; TARGET_NOT_READY when something lies over it
   */
  async point(index: number, bound: Deadline): Promise<Point> {
    return this.#reach.point(this.listed(index), bound);
  }
}
