import { elementFunction, pageFunction } from './evaluate-functions.ts';
import { fieldReaders, type FieldText, type StoredField } from './field-text.ts';

/** A field that a step entered, stored in the main world of its document. */
interface EnteredField extends StoredField {
  /** True if the value changed while the page handled a later click or choice. */
  isOverwritten: boolean;
  /** Text after the field lost the focus; null until then. */
  blurText: string | null;
  /** Text that was entered; empty for a secret and for other values. */
  readonly expected: string;
  /** How often the page contained the text outside of the field when it was entered. */
  readonly shownCount: number;
}

/** Fields of a document by their keys. */
interface EnteredFields {
  readonly fields: Map<string, EnteredField>;
  /** Comparisons that wait for the page to handle an event. */
  readonly pending: Set<() => void>;
}

/** Value of a field that a step entered. */
export interface EnteredState {
  readonly connected: boolean;
  readonly isOverwritten: boolean;
  readonly blurText: string | null;
  readonly text: FieldText | null;
  /** True if the field is empty, and the page shows its text elsewhere, for example as a tag or in a list. */
  readonly isShown: boolean;
  /** State of a checkbox, radio button or switch; null for other elements. */
  readonly checked: boolean | null;
  /** Keys of the selected options of a native list; null for other elements. */
  readonly selected: string[] | null;
  /** Keys of all options of a native list. */
  readonly options: string[];
}

interface Readers extends Record<string, (...args: never[]) => unknown> {
  readonly textOf: (typeof fieldReaders)['textOf'];
  readonly editorText: (typeof fieldReaders)['editorText'];
  readonly elementText: (typeof fieldReaders)['elementText'];
  readonly hostOf: (typeof fieldReaders)['hostOf'];
  readonly plainText: (element: Element | null) => string;
  readonly controlOf: (element: Element) => Element;
  readonly stateOf: (field: EnteredField, tools: Readers) => EnteredState;
  readonly watch: (entered: EnteredFields, tools: Readers) => void;
  readonly schedule: (pending: Set<() => void>, compare: () => void) => void;
  readonly shownCount: (host: Element, expected: string, tools: Readers) => number;
}

/** Returns the visible text of an element; empty without an element. */
const plainText = (element: Element | null): string =>
  element ? String(Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'innerText')?.get?.call(element) ?? '') : '';

/** Returns the control of a label. */
const controlOf = (element: Element): Element =>
  element instanceof HTMLLabelElement ? (element.control ?? element) : element;

/**
 * Counts a text as whole words outside of a field: in its form, dialog, main part or page. A short text is counted next
 * to the field only.
 */
const shownCount = (host: Element, expected: string, tools: Readers): number => {
  if (expected === '') return 0;
  const parent = Object.getOwnPropertyDescriptor(Node.prototype, 'parentElement')?.get;
  const up = (node: Element | null) => node && (parent?.call(node) as Element | null);
  const container =
    expected.length < 4 ? up(up(host)) : (host.closest('form, dialog, main, body') ?? host.ownerDocument.body);
  const count = (element: Element | null) => {
    const text = tools.plainText(element);
    let words = 0;
    for (let start = text.indexOf(expected); start >= 0; start = text.indexOf(expected, start + 1)) {
      const end = start + expected.length;
      const isStart = start === 0 || !/[\p{L}\p{N}_]/u.test(text.charAt(start - 1));
      if (isStart && !/[\p{L}\p{N}_]/u.test(text.charAt(end))) words += 1;
    }
    return words;
  };
  return container?.contains(host) === true ? count(container) - count(host) : 0;
};

const stateOf = (field: EnteredField, tools: Readers): EnteredState => {
  const { element, host, isOverwritten, blurText, expected, shownCount } = field;
  const base = { connected: element.isConnected, isOverwritten, blurText, isShown: false };
  const empty = { text: null, checked: null, selected: null, options: [] };
  const key = ({ value, label }: HTMLOptionElement) => JSON.stringify([value, label.replace(/\s+/g, ' ').trim()]);
  if (element instanceof HTMLSelectElement) {
    const selected = [...element.selectedOptions].map(key).sort();
    return { ...base, ...empty, selected, options: [...element.options].map(key) };
  }
  const isBox = element instanceof HTMLInputElement && ['checkbox', 'radio'].includes(element.type);
  if (isBox) return { ...base, ...empty, checked: element.checked };
  const ariaChecked = element.getAttribute('aria-checked');
  if (ariaChecked !== null) return { ...base, ...empty, checked: ariaChecked === 'true' };
  const text = tools.textOf({ element, host }, tools);
  let isShown = false;
  if (expected !== '' && text.text.trim() === '') {
    // The fields of a form are properties of the form.
    const parent = Object.getOwnPropertyDescriptor(Node.prototype, 'parentElement')?.get;
    const around = [host, host].reduce<Element | null>((node) => node && (parent?.call(node) as Element | null), host);
    const isNear = expected.length >= 4 && tools.plainText(around).includes(expected);
    isShown = isNear || tools.shownCount(host, expected, tools) > shownCount;
  }
  return { ...base, ...empty, text, isShown };
};

/** Runs a comparison in 50 ms. Reading the fields earlier runs it as well. */
const schedule = (pending: Set<() => void>, compare: () => void): void => {
  pending.add(compare);
  setTimeout(() => {
    pending.delete(compare);
    compare();
  }, 50);
};

/** Marks fields whose value changes within 50 ms after a press, change, submit or reset. */
const watch = ({ fields, pending }: EnteredFields, tools: Readers): void => {
  const valueOf = (field: EnteredField) => {
    const { text, checked, selected } = tools.stateOf(field, tools);
    return JSON.stringify([text?.text, checked, selected]);
  };
  const onInput = (event: Event) => {
    const values = [...fields.values()]
      .filter(({ element }) => event.type !== 'change' || !event.composedPath().includes(element))
      .map((field) => ({ field, value: valueOf(field) }));
    const compare = () => {
      for (const { field, value } of values) if (valueOf(field) !== value) field.isOverwritten = true;
    };
    if (values.length > 0) tools.schedule(pending, compare);
  };
  for (const type of ['pointerdown', 'click', 'change', 'submit', 'reset']) addEventListener(type, onInput, true);
};

const readers: Readers = { ...fieldReaders, plainText, controlOf, stateOf, watch, schedule, shownCount };

/** Stores a field under a key, and replaces an earlier entry of the same field. Returns its state. */
export const storeEntered = elementFunction(
  (element, { registry, key, expected }: { registry: string; key: string; expected: string }, tools): EnteredState => {
    const page = globalThis as unknown as Record<string, EnteredFields | undefined>;
    let entered = page[registry];
    if (!entered) {
      entered = { fields: new Map(), pending: new Set() };
      Object.defineProperty(globalThis, registry, { value: entered });
      tools.watch(entered, tools);
    }
    const { fields, pending } = entered;
    const control = tools.controlOf(element);
    for (const [storedKey, field] of fields) if (field.element === control) fields.delete(storedKey);
    const host = tools.hostOf(control);
    const shownCount = tools.shownCount(host, expected, tools);
    const field: EnteredField = {
      ...{ element: control, host, isOverwritten: false, blurText: null, expected, shownCount },
    };
    fields.set(key, field);
    const readBlurred = () => void (field.blurText = tools.stateOf(field, tools).text?.text ?? null);
    control.addEventListener('blur', () => tools.schedule(pending, readBlurred));
    return tools.stateOf(field, tools);
  },
  readers,
);

/** Returns the states of all stored fields of a document by their keys; null if the document has none. */
export const readEntered = pageFunction((registry: string, _: undefined, tools): [string, EnteredState][] | null => {
  const entered = (globalThis as unknown as Record<string, EnteredFields | undefined>)[registry];
  if (!entered) return null;
  for (const compare of entered.pending) compare();
  return [...entered.fields].map(([key, field]) => [key, tools.stateOf(field, tools)]);
}, readers) as (registry: string) => [string, EnteredState][] | null;
