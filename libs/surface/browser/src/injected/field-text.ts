import { pageFunction, elementFunction } from './evaluate-functions.ts';

/** Text of a field after input. */
export interface FieldText {
  /** False when the page took the element away. */
  readonly connected: boolean;
  readonly text: string;
  /** The text is exact for native fields and editor models. Otherwise it is the rendered text, with approximate white space. */
  readonly exact: boolean;
  /** Number of selected characters at the end: the part that an inline completion added. */
  readonly completed: number;
  /** -1 when the field has no limit. */
  readonly maxLength: number;
  /** Texts of the following fields of a code that has one field per character. */
  readonly following: string;
  /** The text of the whole editor, when the element is a part of it. */
  readonly whole: string | null;
}

/** An element with its editor, held in the page's own world. */
export interface HeldField {
  readonly element: Element;
  readonly host: Element;
}

/** The outermost element that is edited together with this one. */
const hostOf = (element: Element): Element => {
  let host = element;
  for (let up = element.parentElement; up instanceof HTMLElement && up.isContentEditable; up = up.parentElement)
    host = up;
  return host;
};

/** The text of a code editor: by its model, otherwise by its lines. Null for any other element. */
const editorText = (element: Element): { text: string; exact: boolean } | null => {
  /* Names that the editors give to their own objects. */
  type Expando = {
    monaco?: { editor?: { getEditors?(): { getDomNode(): Node | null; getValue(): string }[] } };
    cmTile?: { root?: { view?: { state: { doc: unknown } } } };
    cmView?: { view?: { state: { doc: unknown } }; rootView?: { view?: { state: { doc: unknown } } } };
    CodeMirror?: { getValue(): string };
    env?: { editor?: { getValue(): string } };
  };
  const expando = (of: unknown) => (of ?? {}) as Expando;
  const rendered = (root: Element, line: string) =>
    [...root.querySelectorAll(line)]
      .map((one) => ({ top: one.getBoundingClientRect().top, text: one.textContent ?? '' }))
      .sort((one, other) => one.top - other.top)
      .map(({ text }) => text.replace(/\u00a0/g, ' ').replace(/[\u200b\ufeff]/g, ''))
      .join('\n');
  const monaco = element.closest('.monaco-editor');
  if (monaco) {
    const editors = expando(globalThis).monaco?.editor?.getEditors?.() ?? [];
    const editor = editors.find((one) => one.getDomNode() === monaco);
    if (editor) return { text: editor.getValue(), exact: true };
    return { text: rendered(monaco, '.view-line'), exact: false };
  }
  const content = element.closest('.cm-content');
  if (content) {
    const { cmTile, cmView } = expando(content);
    const view = cmTile?.root?.view ?? cmView?.view ?? cmView?.rootView?.view;
    if (view) return { text: String(view.state.doc), exact: true };
    return { text: rendered(content, '.cm-line'), exact: false };
  }
  const older = element.closest('.CodeMirror');
  const model = older ? expando(older).CodeMirror : expando(element.closest('.ace_editor')).env?.editor;
  return model ? { text: model.getValue(), exact: true } : null;
};

/** Gives the element the focus and sets its selection. */
const selectIn = (element: Element, host: Element, part: 'all' | 'end'): void => {
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    if (part === 'all') element.select();
    element.focus();
    /* Fields for numbers and addresses have no settable selection; their caret is at the end after focus. */
    if (part === 'end' && element.selectionStart !== null)
      element.setSelectionRange(element.value.length, element.value.length);
    return;
  }
  if (host instanceof HTMLElement) host.focus();
  const range = document.createRange();
  range.selectNodeContents(element);
  if (part === 'end') range.collapse(false);
  getSelection()?.removeAllRanges();
  getSelection()?.addRange(range);
};

const own = (element: Element): string => {
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return element.value;
  /* Where letters are drawn as discs, so are they in `innerText`. */
  const { webkitTextSecurity = 'none' } = getComputedStyle(element) as unknown as { webkitTextSecurity?: string };
  return element instanceof HTMLElement && webkitTextSecurity === 'none'
    ? element.innerText
    : (element.textContent ?? '');
};

/** Keeps the element under a random key until a handle replaces the key. Sets the selection. Tells the text before input. */
export const takeField = elementFunction(
  (element, { key, part }: { key: string; part: 'all' | 'end' }, tools) => {
    const host = tools.hostOf(element);
    Object.defineProperty(globalThis, key, { value: { element, host }, configurable: true });
    tools.selectIn(element, host, part);
    const isEditor = element.closest('.monaco-editor, .cm-editor, .CodeMirror, .ace_editor') !== null;
    return { before: tools.editorText(element)?.text ?? tools.own(element), isEditor };
  },
  { hostOf, selectIn, editorText, own },
);

/** The element that `takeField` kept; the key is deleted. */
export const heldField = pageFunction((key: string, _: undefined): HeldField | null => {
  const kept = (globalThis as unknown as Record<string, HeldField | undefined>)[key] ?? null;
  delete (globalThis as unknown as Record<string, unknown>)[key];
  return kept;
}) as (key: string) => HeldField | null;

/** Selects all text of a held field. */
export const selectField = pageFunction(
  ({ element, host }: HeldField, _: undefined, tools) => tools.selectIn(element, host, 'all'),
  { selectIn },
);

/** Pastes a text where the focus is. An editor types lines with an indentation of its own, and pastes them as they are. */
export const pasteText = pageFunction((text: string, _: undefined): boolean => {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  let target = document.activeElement;
  while (target?.shadowRoot?.activeElement) target = target.shadowRoot.activeElement;
  const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true });
  return target !== null && !target.dispatchEvent(event);
}) as (text: string) => boolean;

type Reading = { editorText: typeof editorText; own: typeof own };

const textOf = ({ element, host }: HeldField, tools: Reading): FieldText => {
  const editor = tools.editorText(element);
  const seen = {
    connected: element.isConnected || host.isConnected,
    completed: 0,
    maxLength: -1,
    following: '',
    whole: null,
  };
  if (editor) return { ...seen, ...editor };
  if (!(element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement)) {
    const whole = host === element ? null : tools.own(host);
    return { ...seen, text: element.isConnected ? tools.own(element) : '', exact: false, whole };
  }
  const { value, maxLength, selectionStart, selectionEnd } = element;
  const completed = selectionEnd === value.length ? value.length - (selectionStart ?? value.length) : 0;
  /* Six fields for six digits: each has the same small limit. */
  let following = '';
  if (maxLength > 0 && maxLength <= 4) {
    const root = element.form ?? element.parentElement?.parentElement ?? document;
    const all = [...root.querySelectorAll('input')].filter((one) => one.maxLength === maxLength);
    following = all
      .slice(all.indexOf(element as HTMLInputElement) + 1)
      .map((one) => one.value)
      .join('');
  }
  return { ...seen, text: value, exact: true, completed, maxLength, following };
};

/** Reads the text of a held field. */
export const readField = pageFunction((held: HeldField, _: undefined, tools): FieldText => tools.textOf(held, tools), {
  editorText,
  own,
  textOf,
});

/** Reads the text of the field that `takeField` kept. The key is deleted when it is the wanted text. */
export const readKept = pageFunction(
  ({ key, wanted }: { key: string; wanted: string }, _: undefined, tools): FieldText | null => {
    const page = globalThis as unknown as Record<string, HeldField | undefined>;
    const seen = page[key] ? tools.textOf(page[key], tools) : null;
    if (seen?.text === wanted) delete page[key];
    return seen;
  },
  { editorText, own, textOf },
) as (kept: { key: string; wanted: string }) => FieldText | null;

/** Whether the page shows a text outside of this field: the page took it as a message or a tag. */
export const showsTaken = pageFunction(({ element }: HeldField, wanted: string): boolean => {
  const tidy = (text: string) => text.replace(/\s+/g, ' ').trim();
  const near = element.isConnected ? element.closest('form, dialog, main, body') : null;
  const root = near instanceof HTMLElement ? near : document.body;
  return tidy(wanted) !== '' && tidy(root.innerText).includes(tidy(wanted));
});

/** The field that takes the text for an element that is no field itself: the control of a label, the input of a code editor. */
export const fieldFor = pageFunction((elements: Element[]): Element | null => {
  const [element] = elements;
  if (!element) return null;
  if (element instanceof HTMLLabelElement) return element.control;
  const editors = '.monaco-editor, .cm-editor, .CodeMirror, .ace_editor';
  const inside = [...element.querySelectorAll(editors)];
  const editor = element.closest(editors) ?? (inside.length === 1 ? inside[0] : null);
  return editor?.querySelector('.native-edit-context, textarea, .cm-content') ?? null;
});
