import { inPage, type Tools } from './in-page.ts';
import { pathOf } from './path.ts';

/** What is wanted of an element. */
export interface Wanted {
  readonly css: string | null;
  readonly attribute: string | null;
}

/** What was read: the text, null when it is not there, and where it stood; or what is wrong. */
export type Raw = { readonly text: string | null; readonly from: string } | { readonly wrong: string };

/** Elements of which it is told where they stand. */
const TOLD = 100;

const readingOf = (
  elements: Element[],
  { wanted, told }: { wanted: Wanted[]; told: number },
  tools: Tools & { pathOf: typeof pathOf },
) => {
  const inside = (element: Element, css: string): Element[] => {
    const near = [...element.querySelectorAll(css)];
    if (near.length > 0) return near;
    /* Open shadow roots, as locators reach into them. */
    const hosts = [element, ...element.querySelectorAll('*')].filter((one) => one.shadowRoot instanceof ShadowRoot);
    return hosts.flatMap((host) => [...(host.shadowRoot?.querySelectorAll(css) ?? [])]);
  };
  const one = (element: Element, { css, attribute }: Wanted, index: number): Raw => {
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
export const readFields = inPage(readingOf, { pathOf });

/** What `readFields` is to read. */
export const wantedFields = (wanted: Wanted[]) => ({ wanted, told: TOLD });
