/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { describe } from './describe-element.ts';
import { plain } from './native-properties.ts';

/*
 * Code that runs in the page. Playwright sends the text of a function, so such a function may use only its arguments, the globals
 * of a page, and `tools`: whatever else it closes over is not there. The bundler's `__name` is given too.
 */

/** What functions in the page may use. Each is text in the page, so they must not use each other. */
const tools = {
  describe,
  plain,

  /** Whether a person could see it: it has a box and is not hidden by style. */
  visible(element: Element): boolean {
    const style = getComputedStyle(element);
    if (style.display === 'contents') return [...element.childNodes].some((node) => node.textContent?.trim());
    const { width, height } = element.getBoundingClientRect();
    return style.visibility === 'visible' && width > 0 && height > 0;
  },

  /** The text a person reads in an element; of a form field what is in it. */
  read(element: Element): string {
    const tidy = (text: string) =>
      text
        .replace(/[^\S\n]+/g, ' ')
        .replace(/ ?\n ?/g, '\n')
        .trim();
    if (element instanceof HTMLInputElement && ['checkbox', 'radio'].includes(element.type))
      return String(element.checked);
    if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return element.value;
    if (element instanceof HTMLSelectElement) return [...element.selectedOptions].map(({ label }) => label).join(', ');
    return tidy(element instanceof HTMLElement ? element.innerText : (element.textContent ?? ''));
  },

  /** An attribute; addresses come absolute, the value of a field is what is in it now. */
  attribute(element: Element, name: string): string | null {
    if (!element.hasAttribute(name) && name !== 'value') return null;
    const live = (element as unknown as Record<string, unknown>)[name];
    const asProperty = ['href', 'src', 'action', 'value'].includes(name) && typeof live === 'string';
    return asProperty ? live : element.getAttribute(name);
  },
};

/** What functions in the page get as their third argument. */
export type PageHelpers = typeof tools;

const methodOf = (name: keyof PageHelpers) => {
  const text = tools[name].toString();
  return text.startsWith('function') || text.startsWith('(') ? `${name}: ${text}` : text;
};

const prelude = `const __name = (it) => it; const tools = { ${(Object.keys(tools) as (keyof PageHelpers)[]).map(methodOf).join(', ')} };`;

/** Functions that code in the page uses besides, by the names it knows them under; each is text, too. */
type More = Readonly<Record<string, (...given: never[]) => unknown>>;

const declared = (more: More) => Object.entries(more).map(([name, run]) => `tools.${name} = ${run.toString()};`);

/**
 * A function as Playwright's `evaluate` and `evaluateAll` take it, that finds its tools in the page.
 * @param more further tools
 */
export function pageFunction<Subject, Argument, Result, Others extends More = Record<never, never>>(
  run: (subject: Subject, argument: Argument, tools: PageHelpers & Others) => Result,
  more?: Others,
): (subject: Subject, argument: Argument) => Result {
  const others = declared(more ?? {}).join(' ');
  return sent(`(subject, argument) => { ${prelude} ${others} return (${run.toString()})(subject, argument, tools); }`);
}

/**
 * A function of one element, for `evaluateAll`; null when there is not exactly one. Playwright's `evaluate` does the same, but loads
 * its own code into each document a second time for it, which takes longer than all the rest of a step.
 */
export function elementFunction<Argument, Result, Others extends More = Record<never, never>>(
  run: (element: Element, argument: Argument, tools: PageHelpers & Others) => Result,
  more?: Others,
): (elements: Element[], argument: Argument) => { value: Result } | null {
  const others = declared(more ?? {}).join(' ');
  return sent(
    `(all, argument) => { ${prelude} ${others} return all.length === 1 ? { value: (${run.toString()})(all[0], argument, tools) } : null; }`,
  );
}

/** Code for all matches of a locator as code for one element; what is not on the page any more is none. */
export function toElementFunction<Argument, Result>(
  run: (elements: Element[], argument: Argument) => Result,
): (element: Element, argument: Argument) => Result {
  return sent(`(element, argument) => (${run.toString()})(element.isConnected ? [element] : [], argument)`);
}

/** What is sent to the page as this text. */
function sent<Argument extends unknown[], Result>(source: string): (...given: Argument) => Result {
  const carrier = (): Result => {
    throw new Error('This function runs in a page only');
  };
  carrier.toString = () => source;
  return carrier;
}
