import type { ElementHandle, Locator as PageLocator } from 'playwright-core';
import { toElementFunction } from '../injected/evaluate-functions.ts';

/** Code that runs on the elements of a locator. */
type OnAll<Argument, Result> = (elements: Element[], argument: Argument) => Result;

type OnOne = (element: Element, argument: unknown) => never;

/** One element of a page: a locator that is resolved on each use, or a handle. */
export interface ElementRef {
  /** Runs code made by `pageFunction` or `elementFunction`. A removed element yields no element. */
  evaluateAll<Result, Argument>(run: OnAll<Argument, Result>, argument: Argument): Promise<Awaited<Result>>;
  /** Runs code for a single element. */
  evaluate<Result, Argument>(
    run: (element: Element, argument: Argument) => Result,
    argument: Argument,
  ): Promise<Awaited<Result>>;
  /** True if the element can only be clicked at its point. */
  readonly isOnlyPoint?: boolean;
  fill(text: string, options: { force: boolean; timeout: number }): Promise<void>;
  setInputFiles(path: string, options: { timeout: number }): Promise<void>;
  /** Returns an element that code derives from this one; null if it does not exist. */
  related<Argument>(run: OnAll<Argument, Element | null>, argument: Argument): Promise<ElementHandle<Element> | null>;
}

/** Element of a locator that matches exactly one. */
export const fromLocator = (locator: PageLocator): ElementRef => ({
  evaluateAll: (run, argument) => locator.evaluateAll(run as OnAll<unknown, never>, argument as unknown),
  evaluate: (run, argument) => locator.evaluate(run as OnOne, argument as unknown),
  fill: (text, options) => locator.fill(text, options),
  setInputFiles: (path, options) => locator.setInputFiles(path, options),
  related: async (run, argument) => {
    const related = await locator.evaluateHandle(toElementFunction(run), argument as unknown as never);
    return related.asElement() as ElementHandle<Element> | null;
  },
});

/** Element of a handle. */
export const fromHandle = (handle: ElementHandle<Element>): ElementRef => ({
  evaluateAll: (run, argument) => handle.evaluate(toElementFunction(run) as OnOne, argument as unknown),
  evaluate: (run, argument) => handle.evaluate(run as OnOne, argument as unknown),
  fill: (text, options) => handle.fill(text, options),
  setInputFiles: (path, options) => handle.setInputFiles(path, options),
  related: async (run, argument) => {
    const related = await handle.evaluateHandle(toElementFunction(run), argument as unknown as never);
    return related.asElement() as ElementHandle<Element> | null;
  },
});
