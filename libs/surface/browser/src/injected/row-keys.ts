/// <reference lib="dom" />
import { plain } from '@pilothouse/surface-page-elements/page';

/** Maximum number of texts that are read of an item. */
const MAX_TEXTS = 12;
export const MAX_KEY_CHARS = 80;
const SILENT = 'button, select, textarea, script, style, svg, template, [role="button"]';

export const tidyTextOf = (element: Element): string => (plain(element).textContent ?? '').replace(/\s+/g, ' ').trim();

/** True for counters, amounts, dates and times: they change while the item stays the same. */
export function isVolatile(text: string): boolean {
  const isNumeric = /\d/.test(text) && !/\p{L}{2,}/u.test(text.replace(/\b[A-Z]{3}\b/g, ''));
  if (isNumeric && (/[.,%:/\p{Sc}]/u.test(text) || text.replace(/\D/g, '').length < 4)) return true;
  return /\d{1,2}:\d{2}|\d{4}-\d{2}-\d{2}|\d[./]\d{1,2}[./]\d{2}|\b(?:ago|today|yesterday)\b/i.test(text);
}

/**
 * Returns the texts of an item that no sibling has, the best first. A text that differs in every item is more likely a
 * name than a state.
 * @param textsBySibling texts of all siblings, the item included
 */
export function distinctKeys(ownTexts: readonly string[], textsBySibling: readonly (readonly string[])[]): string[] {
  const isKey = (text: string, index: number) =>
    text.length <= MAX_KEY_CHARS &&
    !isVolatile(text) &&
    ownTexts.indexOf(text) === index &&
    textsBySibling.filter((texts) => texts[index] === text).length === 1 &&
    textsBySibling.filter((texts) => texts.includes(text)).length === 1;
  const isDistinct = (text: string) => {
    const column = textsBySibling.flatMap((texts) => texts[ownTexts.indexOf(text)] ?? []);
    return new Set(column).size === column.length;
  };
  const keys = ownTexts.filter(isKey);
  return [...keys.filter(isDistinct), ...keys.filter((text) => !isDistinct(text))];
}

/** Returns the texts that identify an item among its siblings, the best first. */
export const rowKeys = (row: Element, siblings: readonly Element[]): string[] =>
  distinctKeys(textsOf(row), siblings.map(textsOf));

/** Returns the texts of an item in order. Each is the complete text of one element, as `text` with `exact` matches it. */
function textsOf(item: Element): string[] {
  const texts: string[] = [];
  const walk = (node: Element) => {
    if (texts.length >= MAX_TEXTS || plain(node).matches(SILENT) || tidyTextOf(node) === '') return;
    const inner = [...plain(node).children].filter((child) => tidyTextOf(child) !== '');
    if (node !== item && inner.length === 0) texts.push(tidyTextOf(node));
    for (const child of inner) walk(child);
  };
  walk(item);
  return texts;
}
