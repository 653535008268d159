import { elementFunction, pageFunction } from './evaluate-functions.ts';

/** Selected option of a drop-down list, and how a step names it. */
export interface SelectedOption {
  readonly index: number;
  readonly option: string;
  readonly matchedBy?: 'index';
}

/** Content of a drop-down list, and its position in pixels of its frame. */
export interface DropdownContent {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly options: { label: string; group: string | null; disabled: boolean; selected: boolean }[];
}

/** Maximum number of options and maximum length of a label. */
export interface DropdownLimits {
  readonly options: number;
  readonly label: number;
}

/** Keeps a list closed that the next mouse or key press would open. An open list is a native window of the browser. */
export const preventListOpening = elementFunction((element: Element, press: 'mousedown' | 'keydown') => {
  const focusOnly = (event: Event) => {
    event.preventDefault();
    if (element instanceof HTMLElement) element.focus();
  };
  element.addEventListener(press, focusOnly, { once: true });
});

/** Returns the selected option of a drop-down list; null for other elements or without a selection. */
export const selectedOption = elementFunction((element: Element): SelectedOption | null => {
  if (!(element instanceof HTMLSelectElement) || element.multiple || element.size > 1) return null;
  const tidy = (text: string) => text.replace(/\s+/g, ' ').trim();
  const index = element.selectedIndex;
  const label = tidy(element.options[index]?.label ?? '');
  const same = [...element.options].filter((option) => tidy(option.label) === label);
  return label !== '' && same.length === 1
    ? { index, option: label }
    : { index, option: String(index), matchedBy: 'index' as const };
});

/**
 * Selects one option and dispatches the events that a browser dispatches.
 * @returns false if the option is missing or disabled
 */
export const selectOption = elementFunction(
  (element: Element, requested: { index: number; label: string }): boolean => {
    const tidy = (text: string) => text.replace(/\s+/g, ' ').trim();
    if (!(element instanceof HTMLSelectElement)) return false;
    const option = element.options[requested.index];
    if (!option || !tidy(option.label).startsWith(requested.label)) return false;
    if (element.matches(':disabled') || option.matches(':disabled')) return false;
    if (element.selectedIndex === requested.index) return true;
    element.selectedIndex = requested.index;
    element.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    element.dispatchEvent(new Event('change', { bubbles: true }));
    return true;
  },
);

/** Returns the content of a drop-down list; null for any other element. */
export const dropdownContent = elementFunction((element: Element, limits: DropdownLimits): DropdownContent | null => {
  if (!(element instanceof HTMLSelectElement) || element.multiple || element.size > 1) return null;
  const tidy = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, limits.label);
  const { x, y, width, height } = element.getBoundingClientRect();
  const options = [...element.options].slice(0, limits.options).map((option) => ({
    label: tidy(option.label),
    group: option.parentElement instanceof HTMLOptGroupElement ? tidy(option.parentElement.label) : null,
    disabled: element.matches(':disabled') || option.matches(':disabled'),
    selected: option.selected,
  }));
  return { x, y, width, height, options };
});

/** Option of an ARIA listbox. */
export interface ListboxOption {
  readonly label: string;
  readonly value: string;
  readonly selected: boolean;
  readonly isDisabled: boolean;
}

/** Describes how `selectOption` can operate an element. */
export const listWidget = elementFunction((element: Element) => {
  const role = element.getAttribute('role') ?? '';
  const opensList =
    role === 'combobox' ||
    ['listbox', 'true'].includes(element.getAttribute('aria-haspopup') ?? '') ||
    role === 'button';
  const is: 'listbox' | 'combobox' | null = role === 'listbox' ? 'listbox' : opensList ? 'combobox' : null;
  const multiple = element.getAttribute('aria-multiselectable') === 'true';
  const writable = element instanceof HTMLInputElement && !element.readOnly;
  return { is, open: element.getAttribute('aria-expanded') === 'true', multiple, writable };
});

/**
 * Returns the options of a listbox or of the control that opens it. In order of preference: those of the referenced
 * list, visible ones inside or around the element, all visible ones.
 */
const optionsOf = (element: Element | undefined): Element[] => {
  if (!element) return [];
  const root = element.getRootNode() as Document | ShadowRoot;
  const isRendered = (item: Element) => item.checkVisibility() && item.getBoundingClientRect().height > 0;
  const inside = (list: Element | ShadowRoot | Document) =>
    [...list.querySelectorAll('[role=option]')].filter(isRendered);
  if (element.getAttribute('role') === 'listbox') return inside(element);
  for (const name of ['aria-controls', 'aria-owns']) {
    for (const id of (element.getAttribute(name) ?? '').split(/\s+/)) {
      const list = id ? root.getElementById(id) : null;
      const options = list ? inside(list) : [];
      if (options.length > 0) return options;
    }
  }
  for (
    let ancestor: Element | null = element, steps = 0;
    ancestor && steps < 4;
    ancestor = ancestor.parentElement, steps += 1
  ) {
    const options = inside(ancestor);
    if (options.length > 0) return options;
  }
  return inside(root);
};

/** Texts and field values of a control that opens a list, and of its ancestors. */
export const textsAround = elementFunction((element: Element, levels: number): string => {
  const texts: string[] = [];
  let ancestor: Element | null = element;
  for (
    let level = 0;
    ancestor && ancestor !== document.body && level < levels;
    level += 1, ancestor = ancestor.parentElement
  ) {
    const fields = [...(ancestor.matches('input') ? [ancestor] : []), ...ancestor.querySelectorAll('input')];
    texts.push((ancestor as HTMLElement).innerText, ...fields.map((field) => (field as HTMLInputElement).value));
  }
  return texts.join('\n').replace(/\s+/g, ' ');
});

/** Reads the current options. */
export const readOptions = pageFunction(
  (elements: Element[], _: undefined, tools): ListboxOption[] => {
    const tidy = (text: string) => text.replace(/\s+/g, ' ').trim();
    return tools.optionsOf(elements[0]).map((option) => ({
      label: tidy(
        option.getAttribute('aria-label') ?? (option instanceof HTMLElement ? option.innerText : option.textContent),
      ),
      value: option.getAttribute('data-value') ?? option.getAttribute('value') ?? option.id,
      selected: option.getAttribute('aria-selected') === 'true' || option.getAttribute('aria-checked') === 'true',
      isDisabled: option.getAttribute('aria-disabled') === 'true',
    }));
  },
  { optionsOf },
);

/** Returns the option at an index. */
export const optionAt = pageFunction(
  (elements: Element[], index: number, tools): Element | null => tools.optionsOf(elements[0])[index] ?? null,
  { optionsOf },
);

/// <reference lib="dom" />

/**
 * True if a control is disabled in one of the usual ways. The attribute, ARIA, style or class may be on the control, or
 * on the list item around it. Runs in the page and may use only its argument.
 */
export function isDisabled(element: Element): boolean {
  const hasDisabledClass = (candidate: Element | null) =>
    [...(candidate?.classList ?? [])].some((name) => /(?:^|[-_])disabled$/i.test(name));
  const parent = element.parentElement;
  return (
    element.matches(':disabled') ||
    element.closest('[aria-disabled="true"], [inert]') !== null ||
    getComputedStyle(element).pointerEvents === 'none' ||
    hasDisabledClass(element) ||
    (parent?.localName === 'li' && hasDisabledClass(parent))
  );
}
