/// <reference lib="dom" />
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { plain } from '@pilothouse/surface-page-elements/page';

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

/**
 * Returns the innermost list item of an element and its key: a text that differs in each sibling, otherwise a key
 * attribute. Returns null if the element is in no list. Runs in the page.
 */
export function rowOf(element: Element): Row | null {
  const MAX_ROWS = 200;
  const MAX_TEXTS = 12;
  const MAX_KEY_CHARS = 80;
  const MAX_ELEMENTS = 5000;
  // With fewer items, a text may be unique by chance.
  const MIN_DISTINCTIVE_ROWS = 4;
  const ITEMS = 'tr, li, article, [role="row"], [role="listitem"], [role="treeitem"], [role="article"]';
  const FIXED = 'nav, menu, [role="navigation"], [role="menu"], [role="menubar"], [role="tablist"], [role="toolbar"]';
  const SILENT = 'button, select, textarea, script, style, svg, template, [role="button"]';
  const KEYS = ['data-id', 'data-key', 'data-row-key', 'data-row-id', 'data-item-id', 'data-pk', 'data-uuid'];
  const tidy = (text: string) => text.replace(/\s+/g, ' ').trim();
  const isGenerated = (name: string) => /\d{3,}|[:«»]|^[0-9a-f-]{8,}$/i.test(name);

  // Counters, amounts, dates and times change while the item stays the same.
  const isVolatile = (text: string) => {
    const isNumeric = /\d/.test(text) && !/\p{L}{2,}/u.test(text.replace(/\b[A-Z]{3}\b/g, ''));
    if (isNumeric && (/[.,%:/\p{Sc}]/u.test(text) || text.replace(/\D/g, '').length < 4)) return true;
    return /\d{1,2}:\d{2}|\d{4}-\d{2}-\d{2}|\d[./]\d{1,2}[./]\d{2}|\b(?:ago|today|yesterday)\b/i.test(text);
  };

  const textOf = (node: Element) => tidy(plain(node).textContent ?? '');

  // Texts of an item in order. Each is the complete text of one element, as `text` with `exact` matches it.
  const textsOf = (item: Element): string[] => {
    const texts: string[] = [];
    const walk = (node: Element) => {
      if (texts.length >= MAX_TEXTS || plain(node).matches(SILENT) || textOf(node) === '') return;
      const inner = [...plain(node).children].filter((child) => textOf(child) !== '');
      if (node !== item && inner.length === 0) texts.push(textOf(node));
      for (const child of inner) walk(child);
    };
    walk(item);
    return texts;
  };

  const stableClass = (node: Element) => [...plain(node).classList].find((name) => /^[a-z][a-z_-]*$/i.test(name));
  const siblingsOf = (item: Element): Element[] => {
    const sharedClass = stableClass(item);
    const isHead = (sibling: Element) => sibling.localName === 'tr' && !sibling.querySelector('td');
    const { localName, parentElement } = plain(item);
    return [...((parentElement && plain(parentElement).children) ?? [])].filter(
      (sibling) =>
        plain(sibling).localName === localName &&
        (sharedClass === undefined || plain(sibling).classList.contains(sharedClass) || plain(item).matches(ITEMS)) &&
        !isHead(sibling),
    );
  };

  const find = (): Element | null => {
    for (let up: Element | null = element, depth = 0; up && depth < 12; up = plain(up).parentElement, depth += 1) {
      const native = plain(up);
      if (native.localName === 'body' || native.matches(FIXED)) return null;
      if (native.matches(ITEMS))
        return native.closest(FIXED) || (native.localName === 'tr' && !native.querySelector('td')) ? null : up;
      if (up === element || stableClass(up) === undefined) continue;
      const type = plain(element).getAttribute('type');
      const elementSelector = `${plain(element).localName}${type ? `[type=${JSON.stringify(type)}]` : ''}`;
      const similarSiblings = siblingsOf(up).filter(
        (sibling) => sibling !== up && plain(sibling).querySelector(elementSelector),
      );
      if (similarSiblings.length > 0) return up;
    }
    return null;
  };

  const row = find();
  if (!row) return null;
  const item = plain(row);
  const siblings = siblingsOf(row).slice(0, MAX_ROWS);
  const role = item.getAttribute('role');
  const name = stableClass(row);
  const css = item.matches('tr, li, article')
    ? item.localName
    : item.matches(ITEMS)
      ? `[role=${JSON.stringify(role)}]`
      : `${item.localName}${name ? `.${CSS.escape(name)}` : ''}`;
  const idAncestor = item.parentElement && plain(item.parentElement).closest('[id]');
  const parentId = idAncestor ? plain(idAncestor).id : '';
  const scoped = parentId !== '' && !isGenerated(parentId) ? `#${CSS.escape(parentId)} ${css}` : css;
  const items = [...item.ownerDocument.querySelectorAll(scoped)];
  const position: Locator = { css: scoped, nth: items.indexOf(row) };
  const positionOnly: Row = { row, locator: null, keys: [], position };
  if (!siblings.includes(row)) return positionOnly;

  const ownTexts = textsOf(row);
  const textsBySibling = siblings.map(textsOf);
  const keys = ownTexts.filter((text, index) => {
    if (text.length > MAX_KEY_CHARS || isVolatile(text) || ownTexts.indexOf(text) !== index) return false;
    return (
      textsBySibling.filter((texts) => texts[index] === text).length === 1 &&
      textsBySibling.filter((texts) => texts.includes(text)).length === 1
    );
  });
  // A text that differs in every item is more likely a name than a state.
  const isDistinct = (text: string) => {
    const column = textsBySibling.flatMap((texts) => texts[ownTexts.indexOf(text)] ?? []);
    return new Set(column).size === column.length;
  };
  const [first, second] = [...keys.filter(isDistinct), ...keys.filter((text) => !isDistinct(text))];
  if (first !== undefined) {
    const keyTexts = siblings.length < MIN_DISTINCTIVE_ROWS && second !== undefined ? [first, second] : [first];
    const locator: Locator = { css, has: { text: first, exact: true }, ...(keyTexts[1] && { hasText: keyTexts[1] }) };
    const [word = ''] = first.split(' ');
    const matchingItems = [...item.ownerDocument.querySelectorAll(css)].filter(
      (candidate) =>
        textOf(candidate).includes(word) &&
        [...plain(candidate).querySelectorAll('*')].some((inner) => textOf(inner) === first),
    );
    if (matchingItems.length === 1 && matchingItems[0] === row) return { row, locator, keys: keyTexts, position };
  }
  for (const attribute of KEYS) {
    const value = item.getAttribute(attribute);
    if (value === null || value === '' || value.length > MAX_KEY_CHARS) continue;
    const keyedSelector = `${css}[${attribute}=${JSON.stringify(value)}]`;
    if (item.ownerDocument.querySelectorAll(keyedSelector).length === 1)
      return { row, locator: { css: keyedSelector }, keys: [], position };
  }
  // The complete text of the item, if that text stands beside its controls.
  const rowText = textOf(row);
  const elements = [...item.ownerDocument.querySelectorAll('body *')];
  if (rowText === '' || rowText.length > MAX_KEY_CHARS || isVolatile(rowText) || elements.length > MAX_ELEMENTS)
    return positionOnly;
  const same = elements.filter((candidate) => textOf(candidate) === rowText);
  const [deepest, ...otherMatches] = same.filter(
    (candidate) => ![...plain(candidate).children].some((child) => textOf(child) === rowText),
  );
  if (!deepest || otherMatches.length > 0 || !item.contains(deepest) || !plain(deepest).contains(element))
    return positionOnly;
  return { row: deepest, locator: { text: rowText, exact: true }, keys: [rowText], position };
}
