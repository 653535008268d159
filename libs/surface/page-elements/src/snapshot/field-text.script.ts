/// <reference lib="dom" />
import type { ElementRegistry } from './element-registry.script.ts';

/** Text of a native field. */
export interface NativeFieldText {
  /** One dot for each character of a password. */
  readonly text: string;
  /** Selection in UTF-16 units; null for fields without one, such as numbers. */
  readonly selection: { readonly start: number; readonly end: number } | null;
  readonly isPassword: boolean;
}

/** Reads the text of fields. */
export function fieldTexts(registry: ElementRegistry) {
  /** @returns null if the element is no native text field, or longer than the limit */
  const fieldText = (id: number, maxCharacters: number): NativeFieldText | null => {
    const element = registry.elementOf(id);
    const name = element?.localName;
    if (!element || (name !== 'input' && name !== 'textarea')) return null;
    const { type, value, selectionStart, selectionEnd } = element as HTMLInputElement;
    if (['button', 'checkbox', 'file', 'image', 'radio', 'reset', 'submit'].includes(type)) return null;
    if (value.length > maxCharacters) return null;
    const isPassword = name === 'input' && type === 'password';
    const selection =
      selectionStart === null || selectionEnd === null ? null : { start: selectionStart, end: selectionEnd };
    return { text: isPassword ? '•'.repeat([...value].length) : value, selection, isPassword };
  };
  return { fieldText };
}

export type FieldTexts = ReturnType<typeof fieldTexts>;
