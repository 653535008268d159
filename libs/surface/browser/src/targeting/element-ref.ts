import type { ElementHandle, Locator as PageLocator } from 'playwright-core';
import { toElementFunction } from '../injected/evaluate-functions.ts';

/** Code for the elements that a locator matches. */
type OnAll<Argument, Result> = (elements: Element[], argument: Argument) => Result;

type OnOne = (element: Element, argument: unknown) => never;

/** One element of a page: by a locator, which finds it anew each time, or held as it is. */
export interface ElementRef {
  /** Runs code that was made by `pageFunction` or `elementFunction`; what is gone is no element. */
  evaluateAll<Result, Argument>(run: OnAll<Argument, Result>, argument: Argument): Promise<Awaited<Result>>;
  /** The same for code of one element. */
  evaluate<Result, Argument>(
    run: (element: Element, argument: Argument) => Result,
    argument: Argument,
  ): Promise<Awaited<Result>>;
  /** Whether it can only be clicked at its point. */
  readonly isOnlyPoint?: boolean;
  fill(text: string, options: { force: boolean; timeout: number }): Promise<void>;
  setInputFiles(path: string, options: { timeout: number }): Promise<void>;
  /** An element that code finds from this one; null where it finds none. */
  other<Argument>(run: OnAll<Argument, Element | null>, argument: Argument): Promise<ElementHandle<Element> | null>;
}

/** The element of a locator that matches one. */
export const fromLocator = (locator: PageLocator): ElementRef => ({
  evaluateAll: (run, argument) => locator.evaluateAll(run as OnAll<unknown, never>, argument as unknown),
  evaluate: (run, argument) => locator.evaluate(run as OnOne, argument as unknown),
  fill: (text, options) => locator.fill(text, options),
  setInputFiles: (path, options) => locator.setInputFiles(path, options),
  other: async (run, argument) => {
    const found = await locator.evaluateHandle(toElementFunction(run), argument as unknown as never);
    return found.asElement() as ElementHandle<Element> | null;
  },
});

/** An element that is held. */
export const fromHandle = (handle: ElementHandle<Element>): ElementRef => ({
  evaluateAll: (run, argument) => handle.evaluate(toElementFunction(run) as OnOne, argument as unknown),
  evaluate: (run, argument) => handle.evaluate(run as OnOne, argument as unknown),
  fill: (text, options) => handle.fill(text, options),
  setInputFiles: (path, options) => handle.setInputFiles(path, options),
  other: async (run, argument) => {
    const found = await handle.evaluateHandle(toElementFunction(run), argument as unknown as never);
    return found.asElement() as ElementHandle<Element> | null;
  },
});
