/// <reference lib="dom" />
import { plain } from '@pilothouse/surface-page-elements/page';
import type { ElementKind } from './actionability-result.ts';

const NON_TEXT_TYPES = new Set(['button', 'checkbox', 'file', 'hidden', 'image', 'radio', 'reset', 'submit']);

/** True if its content can be edited as rich text. */
export const isRichText = (element: Element): boolean =>
  element instanceof HTMLElement && plain(element).isContentEditable;

/** Returns the properties of an element that input depends on. */
export function elementKindOf(element: Element): ElementKind {
  const native = plain(element);
  const tag = native.localName.toLowerCase();
  const type = element instanceof HTMLInputElement ? element.type : '';
  const isTextField = tag === 'input' && !NON_TEXT_TYPES.has(type);
  const editable = isTextField ? 'field' : tag === 'textarea' ? 'lines' : isRichText(element) ? 'rich' : null;
  const multiple = (element instanceof HTMLSelectElement || element instanceof HTMLInputElement) && element.multiple;
  const saves = native.closest('a[download][href]') !== null;
  return { tag, type, editable, multiple, saves };
}
