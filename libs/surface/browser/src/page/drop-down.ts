import { elementFunction } from './in-page.ts';

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
  readonly options: { label: string; group: string | null; off: boolean; chosen: boolean }[];
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
export const selectOption = elementFunction((element: Element, wanted: { choice: number; label: string }): boolean => {
  const tidy = (text: string) => text.replace(/\s+/g, ' ').trim();
  if (!(element instanceof HTMLSelectElement)) return false;
  const option = element.options[wanted.choice];
  if (!option || !tidy(option.label).startsWith(wanted.label)) return false;
  if (element.matches(':disabled') || option.matches(':disabled')) return false;
  if (element.selectedIndex === wanted.choice) return true;
  element.selectedIndex = wanted.choice;
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
    off: element.matches(':disabled') || one.matches(':disabled'),
    chosen: one.selected,
  }));
  return { x, y, width, height, options };
});
