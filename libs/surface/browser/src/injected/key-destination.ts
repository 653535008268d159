/// <reference lib="dom" />

// Runs in the isolated world of the interceptor. Each function is sent as source and may use only its arguments.
// Methods come from the prototypes, because the fields of a form are properties of the form.

/**
 * True if a key whose event has this path goes to an element: to the element itself, to a part of it, to the editor
 * around it, or to the widget that manages its focus.
 * @param path the node with the focus and all its ancestors, through shadow roots
 */
export function receivesKeys(element: Element, path: readonly EventTarget[]): boolean {
  const closest = (selector: string) => Element.prototype.closest.call(element, selector);
  const keyOf = (node: Element) =>
    [node.localName, ...['id', 'name'].map((name) => Element.prototype.getAttribute.call(node, name))].join(' ');
  if (path.includes(element)) return true;
  const [focused] = path;
  // The page may have replaced the field. The text is read back later.
  if (!element.isConnected) return focused instanceof Element && keyOf(focused) === keyOf(element);
  let host: Element | null = null;
  for (let up: Element | null = element; up instanceof HTMLElement && up.isContentEditable; up = up.parentElement)
    host = up;
  const editor = closest('.monaco-editor, .cm-editor, .CodeMirror, .ace_editor');
  if ((host && path.includes(host)) || (editor && path.includes(editor))) return true;
  if (!(focused instanceof Element)) return false;
  if (element instanceof HTMLLabelElement && element.control === focused) return true;
  const active = Element.prototype.getAttribute.call(focused, 'aria-activedescendant');
  return active !== null && active !== '' && Element.prototype.getAttribute.call(element, 'id') === active;
}

/** A field to which the page moved the focus while a text was typed. */
export interface NextField {
  /** True if the previous field was full. */
  readonly isLimited: boolean;
}

/**
 * Returns how a field continues the previous field of a code; null if it is not a part of the same code.
 * @param isReaction true if the page moved the focus while it handled the input
 */
export function continuationOf(previous: Element, field: Element, isReaction: boolean): NextField | null {
  const types = ['text', 'tel', 'number', 'password', 'search', 'url', 'email'];
  if (!(previous instanceof HTMLInputElement && field instanceof HTMLInputElement)) return null;
  const root = Node.prototype.getRootNode.call(previous) as Document | ShadowRoot;
  const isSameGroup =
    previous.type === field.type &&
    types.includes(field.type) &&
    previous.form === field.form &&
    root === Node.prototype.getRootNode.call(field);
  if (!isSameGroup || previous.value === '' || field.readOnly || field.disabled) return null;
  // The text of a part is replaced, not continued.
  const isEmpty = field.value === '' || (field.selectionStart === 0 && field.selectionEnd === field.value.length);
  if (!isEmpty && field.value.length > 1) return null;
  const inputs = [...root.querySelectorAll('input')].filter(
    (input) => input === field || input === previous || (types.includes(input.type) && input.checkVisibility()),
  );
  if (inputs.indexOf(field) !== inputs.indexOf(previous) + 1) return null;
  const isLimited =
    previous.value.length === 1 || (previous.maxLength > 0 && previous.value.length >= previous.maxLength);
  return isLimited || isReaction ? { isLimited } : null;
}
