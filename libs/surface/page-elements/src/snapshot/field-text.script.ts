/// <reference lib="dom" />
import type { ElementFacts } from './element-facts.script.ts';
import type { ElementRegistry } from './element-registry.script.ts';

interface NativeFieldText {
  /** One dot for each character of a password. */
  readonly text: string;
  /** Selection in UTF-16 units; null for fields without one, such as numbers. */
  readonly selection: { readonly start: number; readonly end: number } | null;
  /** It is, or was at an earlier read, a password field. */
  readonly isPassword: boolean;
}

/** Reads the text of fields and other elements. */
export function fieldTexts(registry: ElementRegistry, facts: Pick<ElementFacts, 'isOrWasPasswordField'>) {
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

  /** @returns text of an element that is no native field; null for a password, a native field, or above the limit */
  const elementText = (id: number, maxCharacters: number): string | null => {
    const element = registry.elementOf(id);
    if (!element || facts.isOrWasPasswordField(element)) return null;
    if (['input', 'textarea', 'select'].includes(element.localName)) return null;
    const text = (element instanceof HTMLElement ? element.innerText : (element.textContent ?? '')).trim();
    return text.length > maxCharacters ? null : text;
  };
  return { fieldText, elementText };
}

export type FieldTexts = ReturnType<typeof fieldTexts>;
