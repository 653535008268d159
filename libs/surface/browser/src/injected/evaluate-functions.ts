/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { describe } from './describe-element.ts';
import { textOf } from './element-text.ts';
import { plain } from '@pilothouse/surface-page-elements';

// Code that runs in the page. Playwright sends the source of a function, so it may use only its arguments, the
// globals of the page, and `tools`. Closures are not available. The bundler's `__name` is defined.

/** Helpers of page functions. Each one is sent as source, so they must not call each other. */
const tools = {
  describe,
  plain,
  textOf,

  /** True if the element is visible: it has a box and is not hidden by style. */
  visible(element: Element): boolean {
    const style = getComputedStyle(element);
    if (style.display === 'contents') return [...element.childNodes].some((node) => node.textContent?.trim());
    const { width, height } = element.getBoundingClientRect();
    return style.visibility === 'visible' && width > 0 && height > 0;
  },

  /** Value of an attribute. URLs are absolute, and `value` is the current value of a field. */
  attribute(element: Element, name: string): string | null {
    if (!element.hasAttribute(name) && name !== 'value') return null;
    const live = (element as unknown as Record<string, unknown>)[name];
    const asProperty = ['href', 'src', 'action', 'value'].includes(name) && typeof live === 'string';
    return asProperty ? live : element.getAttribute(name);
  },
};

/** Third argument of functions in the page. */
export type PageHelpers = typeof tools;

const methodOf = (name: keyof PageHelpers) => {
  const text = tools[name].toString();
  return text.startsWith('function') || text.startsWith('(') ? `${name}: ${text}` : text;
};

const prelude = `const __name = (it) => it; const tools = { ${(Object.keys(tools) as (keyof PageHelpers)[]).map(methodOf).join(', ')} };`;

/** Additional functions by the name that page code uses. Each one is sent as source. */
type ExtraHelpers = Readonly<Record<string, (...args: never[]) => unknown>>;

const declareHelpers = (extraHelpers: ExtraHelpers) =>
  Object.entries(extraHelpers).map(([name, run]) => `tools.${name} = ${run.toString()};`);

/**
 * Wraps a function for Playwright's `evaluate` and `evaluateAll` and provides its helpers in the page.
 * @param extraHelpers additional helpers
 */
export function pageFunction<Subject, Argument, Result, Extra extends ExtraHelpers = Record<never, never>>(
  run: (subject: Subject, argument: Argument, tools: PageHelpers & Extra) => Result,
  extraHelpers?: Extra,
): (subject: Subject, argument: Argument) => Result {
  const declarations = declareHelpers(extraHelpers ?? {}).join(' ');
  return functionFromSource(
    () => `(subject, argument) => { ${prelude} ${declarations} return (${run.toString()})(subject, argument, tools); }`,
  );
}

/**
 * Wraps a function of one element for `evaluateAll`. It returns null unless there is exactly one element. The function
 * may be asynchronous.
 * Playwright's `evaluate` would load its own code into each document a second time, which takes longer than the rest
 * of a step.
 */
export function elementFunction<Argument, Result, Extra extends ExtraHelpers = Record<never, never>>(
  run: (element: Element, argument: Argument, tools: PageHelpers & Extra) => Result,
  extraHelpers?: Extra,
): (elements: Element[], argument: Argument) => { value: Awaited<Result> } | null {
  const declarations = declareHelpers(extraHelpers ?? {}).join(' ');
  return functionFromSource(
    () =>
      `(all, argument) => { ${prelude} ${declarations} if (all.length !== 1) return null; const value = (${run.toString()})(all[0], argument, tools); return typeof value?.then === 'function' ? value.then((result) => ({ value: result })) : { value }; }`,
  );
}

/** Returns the function of a page script. It runs in the page only. @param source source of the script */
export function scriptFunction<Run extends (subject: never, argument: never) => unknown>(source: () => string): Run {
  return functionFromSource(() => `(subject, argument) => (${source()})(subject, argument)`) as unknown as Run;
}

/** Converts code for all matches of a locator to code for one element. A detached element counts as no match. */
export function toElementFunction<Argument, Result>(
  run: (elements: Element[], argument: Argument) => Result,
): (element: Element, argument: Argument) => Result {
  return functionFromSource(
    () => `(element, argument) => (${run.toString()})(element.isConnected ? [element] : [], argument)`,
  );
}

/** Returns a function whose source is sent to the page. */
function functionFromSource<Argument extends unknown[], Result>(source: () => string): (...args: Argument) => Result {
  const carrier = (): Result => {
    throw new Error('This function runs in a page only');
  };
  carrier.toString = source;
  return carrier;
}
