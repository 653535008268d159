import { inPage } from './in-page.ts';

/** What is wanted of an element. */
export interface Wanted {
  readonly css: string | null;
  readonly attribute: string | null;
}

/** What was read: the text, null when it is not there, or what is wrong. */
export type Raw = { readonly text: string | null } | { readonly wrong: string };

/** Reads some texts of each element, and the language of the page. */
export const readFields = inPage((elements: Element[], wanted: Wanted[], tools) => {
  const inside = (element: Element, css: string): Element[] => {
    const near = [...element.querySelectorAll(css)];
    if (near.length > 0) return near;
    /* Open shadow roots, as locators reach into them. */
    const hosts = [element, ...element.querySelectorAll('*')].filter((one) => one.shadowRoot);
    return hosts.flatMap((host) => [...(host.shadowRoot?.querySelectorAll(css) ?? [])]);
  };
  const one = (element: Element, { css, attribute }: Wanted): Raw => {
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
    if (!at) return { text: null };
    return { text: attribute === null ? tools.read(at) : tools.attribute(at, attribute) };
  };
  return {
    language: document.documentElement.lang,
    rows: elements.map((element) => wanted.map((field) => one(element, field))),
  };
});
