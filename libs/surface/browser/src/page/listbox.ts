import { pageFunction, elementFunction } from './in-page.ts';

/** An option of an ARIA listbox. */
export interface ListboxOption {
  readonly label: string;
  readonly value: string;
  readonly selected: boolean;
  readonly off: boolean;
}

/** What an element is to `select`. */
export const listWidget = elementFunction((element: Element) => {
  const role = element.getAttribute('role') ?? '';
  const opens =
    role === 'combobox' ||
    ['listbox', 'true'].includes(element.getAttribute('aria-haspopup') ?? '') ||
    role === 'button';
  const is: 'listbox' | 'combobox' | null = role === 'listbox' ? 'listbox' : opens ? 'combobox' : null;
  const multiple = element.getAttribute('aria-multiselectable') === 'true';
  const writable = element instanceof HTMLInputElement && !element.readOnly;
  return { is, open: element.getAttribute('aria-expanded') === 'true', multiple, writable };
});

/**
 * Elements of the options that belong to a listbox, or to what opens one: the list it names, else one that is shown inside of it or
 * around it, else the only ones that are shown.
 */
const optionsOf = (element: Element | undefined): Element[] => {
  if (!element) return [];
  const root = element.getRootNode() as Document | ShadowRoot;
  const shown = (one: Element) => one.checkVisibility() && one.getBoundingClientRect().height > 0;
  const inside = (list: Element | ShadowRoot | Document) => [...list.querySelectorAll('[role=option]')].filter(shown);
  if (element.getAttribute('role') === 'listbox') return inside(element);
  for (const name of ['aria-controls', 'aria-owns']) {
    for (const id of (element.getAttribute(name) ?? '').split(/\s+/)) {
      const list = id ? root.getElementById(id) : null;
      const options = list ? inside(list) : [];
      if (options.length > 0) return options;
    }
  }
  for (let near: Element | null = element, steps = 0; near && steps < 4; near = near.parentElement, steps += 1) {
    const options = inside(near);
    if (options.length > 0) return options;
  }
  return inside(root);
};

/** The options there are now. */
export const readOptions = pageFunction(
  (elements: Element[], _: undefined, tools): ListboxOption[] => {
    const tidy = (text: string) => text.replace(/\s+/g, ' ').trim();
    return tools.optionsOf(elements[0]).map((one) => ({
      label: tidy(one.getAttribute('aria-label') ?? (one instanceof HTMLElement ? one.innerText : one.textContent)),
      value: one.getAttribute('data-value') ?? one.getAttribute('value') ?? one.id,
      selected: one.getAttribute('aria-selected') === 'true' || one.getAttribute('aria-checked') === 'true',
      off: one.getAttribute('aria-disabled') === 'true',
    }));
  },
  { optionsOf },
);

/** The option at an index. */
export const optionAt = pageFunction(
  (elements: Element[], index: number, tools): Element | null => tools.optionsOf(elements[0])[index] ?? null,
  { optionsOf },
);
