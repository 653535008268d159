/// <reference lib="dom" />
import type { ElementFacts } from './element-facts.ts';
import type { ElementRegistry } from './element-registry.ts';

interface NativeFieldText {
  /** One dot for each character of a password. */
  readonly text: string;
  /** Selection in UTF-16 units; null for fields without one, such as numbers. */
  readonly selection: { readonly start: number; readonly end: number } | null;
  /** It is, or was at an earlier read, a password field. */
  readonly isPassword: boolean;
}

/** Reads the text of fields and other elements. */
export function fieldTexts(registry: ElementRegistry, facts: Pick<ElementFacts, 'isOrWasPasswordField' | 'valueOf'>) {
  /** @returns null if the element is not a native text field, or its text exceeds the limit */
  const fieldText = (id: number, maxCharacters: number): NativeFieldText | null => {
    const element = registry.elementOf(id);
    const name = element?.localName;
    if (!element || (name !== 'input' && name !== 'textarea')) return null;
    const { type, value, selectionStart, selectionEnd } = element as HTMLInputElement;
    if (['button', 'checkbox', 'file', 'image', 'radio', 'reset', 'submit'].includes(type)) return null;
    if (value.length > maxCharacters) return null;
    const isPassword = facts.isOrWasPasswordField(element);
    const selection =
      selectionStart === null || selectionEnd === null ? null : { start: selectionStart, end: selectionEnd };
    return { text: isPassword ? '•'.repeat([...value].length) : value, selection, isPassword };
  };

  /**
   * @returns chosen options of a list, value of a meter or slider, else the text; null for a password, a native text
   * field, or above the limit
   */
  const elementText = (id: number, maxCharacters: number): string | null => {
    const element = registry.elementOf(id);
    if (!element || facts.isOrWasPasswordField(element)) return null;
    if (['input', 'textarea'].includes(element.localName)) return null;
    // With the role of a text field, the value would be the text with spaces collapsed.
    const value = facts.valueOf(element, '');
    const text = value ?? (element instanceof HTMLElement ? element.innerText : (element.textContent ?? '')).trim();
    return text.length > maxCharacters ? null : text;
  };

  /** True if an element has the keyboard focus. The document of a frame keeps its active element when it loses the focus. */
  const hasFocus = (id: number): boolean => {
    const element = registry.elementOf(id);
    const root = element?.getRootNode() as Document | ShadowRoot | undefined;
    return element?.ownerDocument.hasFocus() === true && root?.activeElement === element;
  };
  return { fieldText, elementText, hasFocus };
}
