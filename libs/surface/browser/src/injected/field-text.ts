import { pageFunction, elementFunction } from './evaluate-functions.ts';
import { focusedIn, pathOf } from './focus-target.ts';
import type { ArmCommand } from './hit-result.ts';
import { armHitTarget } from './hit-target-interceptor.ts';
import { receivesKeys } from './key-destination.ts';

/** Text of a field after input. */
export interface FieldText {
  /** False if the page removed the element. */
  readonly connected: boolean;
  readonly text: string;
  /** True for native fields and editor models. Otherwise the text is rendered text with approximate white space. */
  readonly exact: boolean;
  /** Number of selected characters at the end, added by an inline completion. */
  readonly completionLength: number;
  /** -1 if the field has no limit. */
  readonly maxLength: number;
  /** Text of the following fields of a code with one field per character. */
  readonly following: string;
  /** Text of the whole editor if the element is a part of it. */
  readonly surroundingText: string | null;
}

/** Element with its editor, stored in the main world of the page. */
export interface StoredField {
  readonly element: Element;
  readonly host: Element;
}

/** Returns the outermost element that is edited together with this one. */
const hostOf = (element: Element): Element => {
  let host = element;
  for (let up = element.parentElement; up instanceof HTMLElement && up.isContentEditable; up = up.parentElement)
    host = up;
  return host;
};

/** Returns the text of a code editor from its model or its lines; null for any other element. */
const editorText = (element: Element): { text: string; exact: boolean } | null => {
  // Properties that editors add to their elements.
  type Expando = {
    monaco?: { editor?: { getEditors?(): { getDomNode(): Node | null; getValue(): string }[] } };
    cmTile?: { root?: { view?: { state: { doc: unknown } } } };
    cmView?: { view?: { state: { doc: unknown } }; rootView?: { view?: { state: { doc: unknown } } } };
    CodeMirror?: { getValue(): string };
    env?: { editor?: { getValue(): string } };
  };
  const expando = (owner: unknown) => (owner ?? {}) as Expando;
  const renderedText = (root: Element, line: string) =>
    [...root.querySelectorAll(line)]
      .map((lineElement) => ({ top: lineElement.getBoundingClientRect().top, text: lineElement.textContent ?? '' }))
      .sort((first, second) => first.top - second.top)
      .map(({ text }) => text.replace(/\u00a0/g, ' ').replace(/[\u200b\ufeff]/g, ''))
      .join('\n');
  const monaco = element.closest('.monaco-editor');
  if (monaco) {
    const editors = expando(globalThis).monaco?.editor?.getEditors?.() ?? [];
    const editor = editors.find((candidate) => candidate.getDomNode() === monaco);
    if (editor) return { text: editor.getValue(), exact: true };
    return { text: renderedText(monaco, '.view-line'), exact: false };
  }
  const content = element.closest('.cm-content');
  if (content) {
    const { cmTile, cmView } = expando(content);
    const view = cmTile?.root?.view ?? cmView?.view ?? cmView?.rootView?.view;
    if (view) return { text: String(view.state.doc), exact: true };
    return { text: renderedText(content, '.cm-line'), exact: false };
  }
  const legacyEditor = element.closest('.CodeMirror');
  const model = legacyEditor ? expando(legacyEditor).CodeMirror : expando(element.closest('.ace_editor')).env?.editor;
  return model ? { text: model.getValue(), exact: true } : null;
};

/** Selection of a field before input: all text, the end of the text, or as it is. */
export type FieldSelection = 'all' | 'end' | 'unchanged';

/** Focuses the element and sets its selection. */
const selectIn = (element: Element, host: Element, selection: FieldSelection): void => {
  if (selection === 'unchanged') return;
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    if (selection === 'all') element.select();
    element.focus();
    // Number and email fields have no settable selection. After focus, their caret is at the end.
    if (selection === 'end' && element.selectionStart !== null)
      element.setSelectionRange(element.value.length, element.value.length);
    return;
  }
  if (host instanceof HTMLElement) host.focus();
  const range = document.createRange();
  range.selectNodeContents(element);
  if (selection === 'end') range.collapse(false);
  getSelection()?.removeAllRanges();
  getSelection()?.addRange(range);
};

const elementText = (element: Element): string => {
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return element.value;
  // If letters are rendered as discs, `innerText` contains discs.
  const { webkitTextSecurity = 'none' } = getComputedStyle(element) as unknown as { webkitTextSecurity?: string };
  return element instanceof HTMLElement && webkitTextSecurity === 'none'
    ? element.innerText
    : (element.textContent ?? '');
};

/** State of a field before input. */
export interface FieldState {
  readonly initialText: string;
  readonly isEditor: boolean;
  /** True for a field that may be a part of a code: a short one, or one beside a field of its kind. */
  readonly isPart: boolean;
  /** Text around the selection; null if the field has none that can be read. */
  readonly surrounding: { readonly start: string; readonly end: string } | null;
  /** Element that has the focus instead; null if the field has it. */
  readonly holder: string | null;
  /** False if no interceptor answered. */
  readonly isArmed: boolean;
}

/**
 * Stores the element under a random key until a handle replaces the key. Sets the selection, arms the interceptor, and
 * returns the text before input.
 */
export const storeField = elementFunction(
  (
    element,
    { key, selection, arm }: { key: string; selection: FieldSelection; arm: ArmCommand },
    tools,
  ): FieldState => {
    const host = tools.hostOf(element);
    Object.defineProperty(globalThis, key, { value: { element, host }, configurable: true });
    tools.selectIn(element, host, selection);
    const isEditor = element.closest('.monaco-editor, .cm-editor, .CodeMirror, .ace_editor') !== null;
    const initialText = tools.editorText(element)?.text ?? tools.elementText(element);
    const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
    const { selectionStart = null, selectionEnd = null } = isField ? element : {};
    const surrounding =
      selectionStart === null || selectionEnd === null
        ? null
        : { start: initialText.slice(0, selectionStart), end: initialText.slice(selectionEnd) };
    const focused = tools.focusedIn(element);
    const hasFocus = tools.receivesKeys(element, tools.pathOf(focused));
    const isNothing = focused === null || focused === element.ownerDocument.body;
    const holder = hasFocus ? null : isNothing ? 'nothing' : tools.describe(focused);
    const isLike = (node: Element | null | undefined) =>
      node instanceof HTMLInputElement && node.type === (element as HTMLInputElement).type;
    const parent = element.parentElement;
    const isWrapped = parent?.textContent?.trim() === '' && isLike(parent.nextElementSibling?.querySelector('input'));
    const isPart =
      element instanceof HTMLInputElement &&
      (element.autocomplete === 'one-time-code' ||
        (element.maxLength > 0 && element.maxLength <= 8) ||
        isLike(element.nextElementSibling) ||
        isWrapped);
    return { initialText, isEditor, surrounding, holder, isPart, isArmed: tools.armHitTarget(element, arm) };
  },
  { hostOf, selectIn, editorText, elementText, focusedIn, pathOf, receivesKeys, armHitTarget },
);

/** Returns the element that `storeField` stored and deletes the key. */
export const popStoredField = pageFunction((key: string, _: undefined): StoredField | null => {
  const field = (globalThis as unknown as Record<string, StoredField | undefined>)[key] ?? null;
  delete (globalThis as unknown as Record<string, unknown>)[key];
  return field;
}) as (key: string) => StoredField | null;

/** Selects all text of a stored field, and arms the interceptor again. */
export const selectField = pageFunction(
  ({ element, host }: StoredField, arm: ArmCommand, tools): void => {
    tools.selectIn(element, host, 'all');
    tools.armHitTarget(element, arm);
  },
  { selectIn, armHitTarget },
);

/** Pastes text into the focused element. An editor indents typed lines and leaves pasted lines unchanged. */
export const pasteText = pageFunction((text: string, _: undefined): boolean => {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  let target = document.activeElement;
  while (target?.shadowRoot?.activeElement) target = target.shadowRoot.activeElement;
  const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true });
  return target !== null && !target.dispatchEvent(event);
}) as (text: string) => boolean;

type Reading = { editorText: typeof editorText; elementText: typeof elementText };

const textOf = ({ element, host }: StoredField, tools: Reading): FieldText => {
  const editor = tools.editorText(element);
  const base = {
    connected: element.isConnected || host.isConnected,
    completionLength: 0,
    maxLength: -1,
    following: '',
    surroundingText: null,
  };
  if (editor) return { ...base, ...editor };
  if (!(element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement)) {
    const surroundingText = host === element ? null : tools.elementText(host);
    return { ...base, text: element.isConnected ? tools.elementText(element) : '', exact: false, surroundingText };
  }
  const { value, maxLength, selectionStart, selectionEnd } = element;
  const completionLength = selectionEnd === value.length ? value.length - (selectionStart ?? value.length) : 0;
  // A code with one field per digit: all fields have the same small limit.
  let following = '';
  if (maxLength > 0 && maxLength <= 4) {
    const root = element.form ?? element.parentElement?.parentElement ?? document;
    const parts = [...root.querySelectorAll('input')].filter((input) => input.maxLength === maxLength);
    following = parts
      .slice(parts.indexOf(element as HTMLInputElement) + 1)
      .map((input) => input.value)
      .join('');
  }
  return { ...base, text: value, exact: true, completionLength, maxLength, following };
};

/** Functions that read the text of a field. */
export const fieldReaders = { hostOf, editorText, elementText, textOf };

/** Reads the text of a stored field. */
export const readField = pageFunction(
  (field: StoredField, _: undefined, tools): FieldText => tools.textOf(field, tools),
  {
    editorText,
    elementText,
    textOf,
  },
);

/** Reads the text of a stored field by its key. Deletes the key if the field has the expected text. */
export const readStoredField = pageFunction(
  ({ key, expected }: { key: string; expected: string }, _: undefined, tools): FieldText | null => {
    const page = globalThis as unknown as Record<string, StoredField | undefined>;
    const base = page[key] ? tools.textOf(page[key], tools) : null;
    if (base?.text === expected) delete page[key];
    return base;
  },
  { editorText, elementText, textOf },
) as (query: { key: string; expected: string }) => FieldText | null;

/** True if the page shows the text outside of this field, for example as a sent message or a tag. */
export const containsSubmittedText = pageFunction(({ element }: StoredField, expected: string): boolean => {
  const tidy = (text: string) => text.replace(/\s+/g, ' ').trim();
  const container = element.isConnected ? element.closest('form, dialog, main, body') : null;
  const root = container instanceof HTMLElement ? container : document.body;
  return tidy(expected) !== '' && tidy(root.innerText).includes(tidy(expected));
});

/** Returns the field that belongs to another element: the control of a label, or the input of a code editor. */
export const fieldFor = pageFunction((elements: Element[]): Element | null => {
  const [element] = elements;
  if (!element) return null;
  if (element instanceof HTMLLabelElement) return element.control;
  const editors = '.monaco-editor, .cm-editor, .CodeMirror, .ace_editor';
  const inside = [...element.querySelectorAll(editors)];
  const editor = element.closest(editors) ?? (inside.length === 1 ? inside[0] : null);
  return editor?.querySelector('.native-edit-context, textarea, .cm-content') ?? null;
});
