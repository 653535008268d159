import { Document, visit } from 'yaml';

const acted = /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const everyActed = /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** YAML that is the value again, with everything that a terminal would act on escaped: YAML itself lets C1 controls stand. */
export function yaml(value: unknown): string {
  const document = new Document(value);
  visit(document, {
    Scalar(_key, node) {
      // only between double quotes an escape is one
      if (typeof node.value === 'string' && acted.test(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return document
    .toString({ lineWidth: 120 })
    .trimEnd()
    .replace(everyActed, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** YAML as somebody wrote it, or null where it holds what a terminal would act on: what is no value cannot be escaped. */
export const shown = (text: string): string | null =>
  /[^\P{Cc}\t\n\r]|\r(?!\n)/u.test(text) || acted.test(text) ? null : text.trimEnd();
