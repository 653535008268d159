import { pageFunction, type PageHelpers } from './in-page.ts';
import { cssPath } from './path.ts';

/** What is wanted of an element. */
export interface FieldQuery {
  readonly css: string | null;
  readonly attribute: string | null;
}

/** What was read: the text, null when it is not there, and where it stood; or what is wrong. */
export type FieldText = { readonly text: string | null; readonly from: string } | { readonly wrong: string };

/** Elements of which it is told where they stand. */
const TOLD = 100;

const readingOf = (
  elements: Element[],
  { wanted, told }: { wanted: FieldQuery[]; told: number },
  tools: PageHelpers & { pathOf: typeof cssPath },
) => {
  const inside = (element: Element, css: string): Element[] => {
    const near = [...element.querySelectorAll(css)];
    if (near.length > 0) return near;
    /* Open shadow roots, as locators reach into them. */
    const hosts = [element, ...element.querySelectorAll('*')].filter((one) => one.shadowRoot instanceof ShadowRoot);
    return hosts.flatMap((host) => [...(host.shadowRoot?.querySelectorAll(css) ?? [])]);
  };
  const one = (element: Element, { css, attribute }: FieldQuery, index: number): FieldText => {
    let at: Element | undefined = element;
    if (css !== null) {
      let found: Element[];
      try {
        found = inside(element, css);
      } catch {
        return { wrong: `${css} is no CSS selector` };
      }
      const shown = found.length > 1 ? found.filter((candidate) => tools.visible(candidate)) : found;
      if (shown.length > 1) {
        const seen = shown.slice(0, 5).map((candidate) => tools.describe(candidate));
        return { wrong: `${css} matches ${shown.length} elements: ${seen.join(', ')}; make it more exact` };
      }
      at = shown[0] ?? found[0];
    }
    const from =
      index < told ? tools.pathOf(at ?? element, tools.plain) + (attribute === null ? '' : ` @${attribute}`) : '';
    if (!at) return { text: null, from };
    return { text: attribute === null ? tools.read(at) : tools.attribute(at, attribute), from };
  };
  return {
    language: elements[0]?.closest('[lang]')?.getAttribute('lang') || document.documentElement.lang,
    rows: elements.map((element, index) => wanted.map((field) => one(element, field, index))),
  };
};

/** Reads some texts of each element, and the language of the page. */
export const readFields = pageFunction(readingOf, { pathOf: cssPath });

/** What `readFields` is to read. */
export const fieldQuery = (wanted: FieldQuery[]) => ({ wanted, told: TOLD });
