import { elementFunction, pageFunction } from './evaluate-functions.ts';

/** What is chosen in a drop-down list: its number, and how a step says it. */
export interface SelectedOption {
  readonly index: number;
  readonly option: string;
  readonly by?: 'index';
}

/** What a drop-down list offers, and where it is, in pixels of its frame. */
export interface DropdownContent {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly options: { label: string; group: string | null; disabled: boolean; selected: boolean }[];
}

/** Most options that are told, and characters of a label. */
export interface DropdownLimits {
  readonly options: number;
  readonly label: number;
}

/** Keeps a list shut that the next press of a button, or of a key, would open: what opens is a window of the browser's own. */
export const preventDropdown = elementFunction((element: Element, press: 'mousedown' | 'keydown') => {
  const instead = (event: Event) => {
    event.preventDefault();
    if (element instanceof HTMLElement) element.focus();
  };
  element.addEventListener(press, instead, { once: true });
});

/** What is chosen in a list; null: it is none that drops down, or nothing is. */
export const selectedOption = elementFunction((element: Element): SelectedOption | null => {
  if (!(element instanceof HTMLSelectElement) || element.multiple || element.size > 1) return null;
  const tidy = (text: string) => text.replace(/\s+/g, ' ').trim();
  const index = element.selectedIndex;
  const label = tidy(element.options[index]?.label ?? '');
  const same = [...element.options].filter((one) => tidy(one.label) === label);
  return label !== '' && same.length === 1
    ? { index, option: label }
    : { index, option: String(index), by: 'index' as const };
});

/** Chooses one option, and says so to the page as a browser does. @returns whether it is there and can be chosen */
export const selectOption = elementFunction((element: Element, wanted: { index: number; label: string }): boolean => {
  const tidy = (text: string) => text.replace(/\s+/g, ' ').trim();
  if (!(element instanceof HTMLSelectElement)) return false;
  const option = element.options[wanted.index];
  if (!option || !tidy(option.label).startsWith(wanted.label)) return false;
  if (element.matches(':disabled') || option.matches(':disabled')) return false;
  if (element.selectedIndex === wanted.index) return true;
  element.selectedIndex = wanted.index;
  element.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
  return true;
});

/** What a list offers; null: it is none that drops down. */
export const dropdownContent = elementFunction((element: Element, most: DropdownLimits): DropdownContent | null => {
  if (!(element instanceof HTMLSelectElement) || element.multiple || element.size > 1) return null;
  const tidy = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, most.label);
  const { x, y, width, height } = element.getBoundingClientRect();
  const options = [...element.options].slice(0, most.options).map((one) => ({
    label: tidy(one.label),
    group: one.parentElement instanceof HTMLOptGroupElement ? tidy(one.parentElement.label) : null,
    disabled: element.matches(':disabled') || one.matches(':disabled'),
    selected: one.selected,
  }));
  return { x, y, width, height, options };
});

/** An option of an ARIA listbox. */
export interface ListboxOption {
  readonly label: string;
  readonly value: string;
  readonly selected: boolean;
  readonly off: boolean;
}

/** What an element is to `selectOption`. */
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

/// <reference lib="dom" />

/**
 * Whether a control is disabled, in one of the ways sites write that: by attribute, by ARIA, by its style, or by a class of its own or of the
 * list item that it is all of. Runs in the page: it may use nothing but its argument.
 */
export function isDisabled(element: Element): boolean {
  const named = (one: Element | null) => [...(one?.classList ?? [])].some((name) => /(?:^|[-_])disabled$/i.test(name));
  const parent = element.parentElement;
  return (
    element.matches(':disabled') ||
    element.closest('[aria-disabled="true"], [inert]') !== null ||
    getComputedStyle(element).pointerEvents === 'none' ||
    named(element) ||
    (parent?.localName === 'li' && named(parent))
  );
}
