import { elementFunction } from './evaluate-functions.ts';
import { receivesKeys } from './key-destination.ts';

/** Returns the element that receives keys, down into open shadow roots. */
export const focusedIn = (element: Element): Element | null => {
  let focused = element.ownerDocument.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  return focused;
};

/** Returns an element and all its ancestors, through shadow roots. */
export const pathOf = (element: Element | null): EventTarget[] => {
  const path: EventTarget[] = [];
  for (let node: Node | null = element; node;) {
    path.push(node);
    const slot: HTMLSlotElement | null = node instanceof Element ? node.assignedSlot : null;
    node = slot ?? (node instanceof ShadowRoot ? node.host : node.parentNode);
  }
  return path;
};

/**
 * Focuses an element, the control of a label, or the input of a code editor.
 * @returns the element that receives keys instead; null if the element receives them
 */
export const focusForKeys = elementFunction(
  (element, _: undefined, tools): string | null => {
    const hasFocus = () => tools.receivesKeys(element, tools.pathOf(tools.focusedIn(element)));
    const focus = (candidate: Element | null | undefined) => {
      if (candidate instanceof HTMLElement || candidate instanceof SVGElement) candidate.focus();
    };
    focus(element);
    if (hasFocus()) return null;
    const editors = '.monaco-editor, .cm-editor, .CodeMirror, .ace_editor';
    const editor = element.closest(editors) ?? element.querySelector(editors);
    const input = editor?.querySelector('.native-edit-context, textarea, .cm-content');
    focus(element instanceof HTMLLabelElement ? element.control : input);
    if (hasFocus()) return null;
    const focused = tools.focusedIn(element);
    return focused && focused !== element.ownerDocument.body ? tools.describe(focused) : 'the page';
  },
  { focusedIn, pathOf, receivesKeys },
);

/** Resolves after the tasks of the page that are due. */
export function endOfTask(): Promise<void> {
  return new Promise<void>((resolve) => {
    setTimeout(resolve);
  });
}
