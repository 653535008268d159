/// <reference lib="dom" />
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { plain } from '@pilothouse/surface-page-elements/page';
import { rowKeys, tidyTextOf, isVolatile, MAX_KEY_CHARS } from './row-keys.ts';

/** List item that contains an element. */
export interface Row {
  /** The item: a table row, a list item, a card. */
  readonly row: Element;
  /** Locates the item by its key, wherever it is in the list; null if nothing identifies it. */
  readonly locator: Locator | null;
  /** Texts that identify the item; empty if an attribute does. */
  readonly keys: readonly string[];
  /** Locates the item by its position in the list. */
  readonly position: Locator;
}

/** How the item of an element is found. */
interface RowContext {
  readonly element: Element;
  readonly row: Element;
  /** Selector of all items. */
  readonly css: string;
}

type RowKey = Pick<Row, 'row' | 'locator' | 'keys'>;

const MAX_ROWS = 200;
const MAX_ELEMENTS = 5000;
/** Maximum number of ancestors that are searched for an item. */
const MAX_DEPTH = 12;
/** With fewer items, a text may be unique by chance. */
const MIN_DISTINCTIVE_ROWS = 4;
const ITEMS = 'tr, li, article, [role="row"], [role="listitem"], [role="treeitem"], [role="article"]';
const FIXED = 'nav, menu, [role="navigation"], [role="menu"], [role="menubar"], [role="tablist"], [role="toolbar"]';
const KEY_ATTRIBUTES = ['data-id', 'data-key', 'data-row-key', 'data-row-id', 'data-item-id', 'data-pk', 'data-uuid'];

const isGenerated = (name: string) => /\d{3,}|[:«»]|^[0-9a-f-]{8,}$/i.test(name);
const isHeadRow = (item: Element) => item.localName === 'tr' && !item.querySelector('td');
const stableClass = (element: Element) => [...plain(element).classList].find((name) => /^[a-z][a-z_-]*$/i.test(name));

/**
 * Returns the innermost list item of an element and its key: a text that differs in each sibling, otherwise a key
 * attribute, otherwise its complete text. Returns null if the element is in no list.
 */
export function rowOf(element: Element): Row | null {
  const row = itemOf(element);
  if (!row) return null;
  const css = itemSelector(row);
  const scoped = scopedSelector(row, css);
  const items = [...plain(row).ownerDocument.querySelectorAll(scoped)];
  const position: Locator = { css: scoped, nth: items.indexOf(row) };
  const siblings = siblingsOf(row).slice(0, MAX_ROWS);
  const context = { element, row, css };
  const key = siblings.includes(row)
    ? (keyByText(context, siblings) ?? keyByAttribute(context) ?? keyByWholeText(context))
    : null;
  return { ...(key ?? { row, locator: null, keys: [] }), position };
}

function itemOf(element: Element): Element | null {
  let ancestor: Element | null = element;
  for (let depth = 0; ancestor && depth < MAX_DEPTH; depth += 1) {
    const native: Element = plain(ancestor);
    if (native.localName === 'body' || native.matches(FIXED)) return null;
    if (native.matches(ITEMS)) return native.closest(FIXED) || isHeadRow(native) ? null : ancestor;
    if (ancestor !== element && isCard(ancestor, element)) return ancestor;
    ancestor = native.parentElement;
  }
  return null;
}

/** True if siblings with the same class contain a similar element. */
function isCard(ancestor: Element, element: Element): boolean {
  if (stableClass(ancestor) === undefined) return false;
  const type = plain(element).getAttribute('type');
  const selector = `${plain(element).localName}${type ? `[type=${JSON.stringify(type)}]` : ''}`;
  return siblingsOf(ancestor).some((sibling) => sibling !== ancestor && plain(sibling).querySelector(selector));
}

function siblingsOf(item: Element): Element[] {
  const sharedClass = stableClass(item);
  const { localName, parentElement } = plain(item);
  return [...((parentElement && plain(parentElement).children) ?? [])].filter(
    (sibling) =>
      plain(sibling).localName === localName &&
      (sharedClass === undefined || plain(sibling).classList.contains(sharedClass) || plain(item).matches(ITEMS)) &&
      !isHeadRow(sibling),
  );
}

function itemSelector(row: Element): string {
  const native = plain(row);
  if (native.matches('tr, li, article')) return native.localName;
  if (native.matches(ITEMS)) return `[role=${JSON.stringify(native.getAttribute('role'))}]`;
  const name = stableClass(row);
  return `${native.localName}${name ? `.${CSS.escape(name)}` : ''}`;
}

/** Returns a selector of the items below the nearest stable id. */
function scopedSelector(row: Element, css: string): string {
  const { parentElement } = plain(row);
  const idAncestor = parentElement && plain(parentElement).closest('[id]');
  const id = idAncestor ? plain(idAncestor).id : '';
  return id !== '' && !isGenerated(id) ? `#${CSS.escape(id)} ${css}` : css;
}

/** Locates an item by one text, or two in a short list. */
function keyByText({ row, css }: RowContext, siblings: readonly Element[]): RowKey | null {
  const [key, secondKey] = rowKeys(row, siblings);
  if (key === undefined) return null;
  const keys = siblings.length < MIN_DISTINCTIVE_ROWS && secondKey !== undefined ? [key, secondKey] : [key];
  const [word = ''] = key.split(' ');
  const matches = [...plain(row).ownerDocument.querySelectorAll(css)].filter(
    (candidate) =>
      tidyTextOf(candidate).includes(word) &&
      [...plain(candidate).querySelectorAll('*')].some((inner) => tidyTextOf(inner) === key),
  );
  if (matches.length !== 1 || matches[0] !== row) return null;
  return { row, locator: { css, has: { text: key, exact: true }, ...(keys[1] && { hasText: keys[1] }) }, keys };
}

function keyByAttribute({ row, css }: RowContext): RowKey | null {
  const native = plain(row);
  for (const attribute of KEY_ATTRIBUTES) {
    const value = native.getAttribute(attribute);
    if (value === null || value === '' || value.length > MAX_KEY_CHARS) continue;
    const selector = `${css}[${attribute}=${JSON.stringify(value)}]`;
    if (native.ownerDocument.querySelectorAll(selector).length === 1)
      return { row, locator: { css: selector }, keys: [] };
  }
  return null;
}

/** Locates an item by its complete text, if that text stands beside its controls. */
function keyByWholeText({ element, row }: RowContext): RowKey | null {
  const native = plain(row);
  const text = tidyTextOf(row);
  const elements = [...native.ownerDocument.querySelectorAll('body *')];
  if (text === '' || text.length > MAX_KEY_CHARS || isVolatile(text) || elements.length > MAX_ELEMENTS) return null;
  const isDeepest = (candidate: Element) => ![...plain(candidate).children].some((child) => tidyTextOf(child) === text);
  const sameText = elements.filter((candidate) => tidyTextOf(candidate) === text);
  const [deepest, ...otherMatches] = sameText.filter(isDeepest);
  if (!deepest || otherMatches.length > 0) return null;
  if (!native.contains(deepest) || !plain(deepest).contains(element)) return null;
  return { row: deepest, locator: { text, exact: true }, keys: [text] };
}
