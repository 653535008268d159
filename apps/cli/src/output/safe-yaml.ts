import { Document, visit } from 'yaml';

const controlCharacter = /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const controlCharacters = /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** YAML of a value, with control characters escaped: YAML itself allows C1 controls. */
export function yaml(value: unknown): string {
  const document = new Document(value);
  visit(document, {
    Scalar(_key, node) {
      // Only double-quoted strings have escapes.
      if (typeof node.value === 'string' && controlCharacter.test(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return document
    .toString({ lineWidth: 120 })
    .trimEnd()
    .replace(controlCharacters, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** YAML source, or null if it contains control characters, which cannot be escaped outside of values. */
export const safeSource = (text: string): string | null =>
  /[^\P{Cc}\t\n\r]|\r(?!\n)/u.test(text) || controlCharacter.test(text) ? null : text.trimEnd();
