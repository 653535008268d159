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
}

type EnteredFields = Map<string, EnteredField>;

/** Value of a field that a step entered. */
export interface EnteredState {
  readonly connected: boolean;
  readonly isOverwritten: boolean;
  readonly blurText: string | null;
  readonly text: FieldText | null;
  /** True if the field is empty, and the page shows its text next to it, for example as a tag. */
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
  readonly watch: (fields: EnteredFields, tools: Readers) => void;
}

/** Returns the visible text of an element; empty without an element. */
const plainText = (element: Element | null): string =>
  element ? String(Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'innerText')?.get?.call(element) ?? '') : '';

/** Returns the control of a label. */
const controlOf = (element: Element): Element =>
  element instanceof HTMLLabelElement ? (element.control ?? element) : element;

const stateOf = (field: EnteredField, tools: Readers): EnteredState => {
  const { element, host, isOverwritten, blurText, expected } = field;
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
  // The fields of a form are properties of the form.
  const parent = Object.getOwnPropertyDescriptor(Node.prototype, 'parentElement')?.get;
  const around = [host, host].reduce<Element | null>((node) => node && (parent?.call(node) as Element | null), host);
  const isShown = expected !== '' && text.text.trim() === '' && tools.plainText(around).includes(expected);
  return { ...base, ...empty, text, isShown };
};

/** Marks fields whose value changes within 50 ms after a press, change, submit or reset. */
const watch = (fields: EnteredFields, tools: Readers): void => {
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
    if (values.length > 0) setTimeout(compare, 50);
  };
  for (const type of ['pointerdown', 'click', 'change', 'submit', 'reset']) addEventListener(type, onInput, true);
};

const readers: Readers = { ...fieldReaders, plainText, controlOf, stateOf, watch };

/** Stores a field under a key, and replaces an earlier entry of the same field. Returns its state. */
export const storeEntered = elementFunction(
  (element, { registry, key, expected }: { registry: string; key: string; expected: string }, tools): EnteredState => {
    const page = globalThis as unknown as Record<string, EnteredFields | undefined>;
    let fields = page[registry];
    if (!fields) {
      fields = new Map();
      Object.defineProperty(globalThis, registry, { value: fields });
      tools.watch(fields, tools);
    }
    const control = tools.controlOf(element);
    for (const [storedKey, field] of fields) if (field.element === control) fields.delete(storedKey);
    const field: EnteredField = {
      ...{ element: control, host: tools.hostOf(control), isOverwritten: false, blurText: null, expected },
    };
    fields.set(key, field);
    const onBlur = () => setTimeout(() => (field.blurText = tools.stateOf(field, tools).text?.text ?? null), 50);
    control.addEventListener('blur', onBlur);
    return tools.stateOf(field, tools);
  },
  readers,
);

/** Returns the states of all stored fields of a document by their keys; null if the document has none. */
export const readEntered = pageFunction((registry: string, _: undefined, tools): [string, EnteredState][] | null => {
  const fields = (globalThis as unknown as Record<string, EnteredFields | undefined>)[registry];
  return fields ? [...fields].map(([key, field]) => [key, tools.stateOf(field, tools)]) : null;
}, readers) as (registry: string) => [string, EnteredState][] | null;
