/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/**
 * Returns the text of an element as a person reads it; the value of a form field. Joiners shape emoji and words, so they
 * stay. Sent as source, too: it uses only its argument.
 */
export function textOf(element: Element): string {
  const tidy = (text: string) =>
    text
      .normalize('NFC')
      .replace(
        /[\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uE000-\uF8FF\uFEFF]|[\uDB80-\uDBFF][\uDC00-\uDFFF]/g,
        '',
      )
      .replace(/[^\S\n]+/g, ' ')
      .replace(/ ?\n ?/g, '\n')
      .trim();
  if (element instanceof HTMLInputElement && ['checkbox', 'radio'].includes(element.type))
    return String(element.checked);
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return element.value;
  if (element instanceof HTMLSelectElement) return [...element.selectedOptions].map(({ label }) => label).join(', ');
  return tidy(element instanceof HTMLElement ? element.innerText : (element.textContent ?? ''));
}
