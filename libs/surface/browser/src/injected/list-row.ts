/// <reference lib="dom" />
import type { Locator } from '@pilothouse/contract';
import type { plain } from './native-properties.ts';

/** An item of a list that an element is in. */
export interface Row {
  /** The item itself: a table row, a list item, a card. */
  readonly row: Element;
  /** Finds the item by what identifies it, wherever it stands in the list; null: nothing identifies it. */
  readonly locator: Locator | null;
  /** Texts that identify it; none: an attribute does. */
  readonly keys: readonly string[];
  /** Finds the item by its position in the list. */
  readonly position: Locator;
}

type Plain = typeof plain;

/**
 * The innermost item of a list that an element is in, and what identifies it among its siblings: a text that is another one in each of
 * them, else an attribute that holds a key. Runs in the page. Null: the element is in no list.
 */
export function rowOf(element: Element, plain: Plain): Row | null {
  const MAX_ROWS = 200;
  const MAX_TEXTS = 12;
  const MAX_KEY = 80;
  const MAX_ELEMENTS = 5000;
  /* With fewer items one text may be another one in each by chance. */
  const FEW = 4;
  const ITEMS = 'tr, li, article, [role="row"], [role="listitem"], [role="treeitem"], [role="article"]';
  const FIXED = 'nav, menu, [role="navigation"], [role="menu"], [role="menubar"], [role="tablist"], [role="toolbar"]';
  const SILENT = 'button, select, textarea, script, style, svg, template, [role="button"]';
  const KEYS = ['data-id', 'data-key', 'data-row-key', 'data-row-id', 'data-item-id', 'data-pk', 'data-uuid'];
  const tidy = (text: string) => text.replace(/\s+/g, ' ').trim();
  const isMade = (name: string) => /\d{3,}|[:«»]|^[0-9a-f-]{8,}$/i.test(name);

  /* Counters, amounts, dates and times change while the item stays the same. */
  const isVolatile = (text: string) => {
    const isNumeric = /\d/.test(text) && !/\p{L}{2,}/u.test(text.replace(/\b[A-Z]{3}\b/g, ''));
    if (isNumeric && (/[.,%:/\p{Sc}]/u.test(text) || text.replace(/\D/g, '').length < 4)) return true;
    return /\d{1,2}:\d{2}|\d{4}-\d{2}-\d{2}|\d[./]\d{1,2}[./]\d{2}|\b(?:ago|today|yesterday)\b/i.test(text);
  };

  const textOf = (one: Element) => tidy(plain(one).textContent ?? '');

  /* Texts of an item in order, each the whole text of one element, as `text` with `exact` finds it. */
  const textsOf = (item: Element): string[] => {
    const texts: string[] = [];
    const walk = (one: Element) => {
      if (texts.length >= MAX_TEXTS || plain(one).matches(SILENT) || textOf(one) === '') return;
      const inner = [...plain(one).children].filter((child) => textOf(child) !== '');
      if (one !== item && inner.length === 0) texts.push(textOf(one));
      for (const child of inner) walk(child);
    };
    walk(item);
    return texts;
  };

  const stableClass = (one: Element) => [...plain(one).classList].find((name) => /^[a-z][a-z_-]*$/i.test(name));
  const siblingsOf = (one: Element): Element[] => {
    const same = stableClass(one);
    const isHead = (other: Element) => other.localName === 'tr' && !other.querySelector('td');
    const { localName, parentElement } = plain(one);
    return [...((parentElement && plain(parentElement).children) ?? [])].filter(
      (other) =>
        plain(other).localName === localName &&
        (same === undefined || plain(other).classList.contains(same) || plain(one).matches(ITEMS)) &&
        !isHead(other),
    );
  };

  const find = (): Element | null => {
    for (let up: Element | null = element, depth = 0; up && depth < 12; up = plain(up).parentElement, depth += 1) {
      const own = plain(up);
      if (own.localName === 'body' || own.matches(FIXED)) return null;
      if (own.matches(ITEMS))
        return own.closest(FIXED) || (own.localName === 'tr' && !own.querySelector('td')) ? null : up;
      if (up === element || stableClass(up) === undefined) continue;
      const type = plain(element).getAttribute('type');
      const like = `${plain(element).localName}${type ? `[type=${JSON.stringify(type)}]` : ''}`;
      const others = siblingsOf(up).filter((other) => other !== up && plain(other).querySelector(like));
      if (others.length > 0) return up;
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
  const named = item.parentElement && plain(item.parentElement).closest('[id]');
  const parentId = named ? plain(named).id : '';
  const scoped = parentId !== '' && !isMade(parentId) ? `#${CSS.escape(parentId)} ${css}` : css;
  const items = [...item.ownerDocument.querySelectorAll(scoped)];
  const position: Locator = { css: scoped, nth: items.indexOf(row) };
  const none: Row = { row, locator: null, keys: [], position };
  if (!siblings.includes(row)) return none;

  const own = textsOf(row);
  const all = siblings.map(textsOf);
  const keys = own.filter((text, index) => {
    if (text.length > MAX_KEY || isVolatile(text) || own.indexOf(text) !== index) return false;
    return (
      all.filter((texts) => texts[index] === text).length === 1 &&
      all.filter((texts) => texts.includes(text)).length === 1
    );
  });
  /* A text that is another one in each item is more likely a name than a state. */
  const isDistinct = (text: string) => {
    const column = all.flatMap((texts) => texts[own.indexOf(text)] ?? []);
    return new Set(column).size === column.length;
  };
  const [first, second] = [...keys.filter(isDistinct), ...keys.filter((text) => !isDistinct(text))];
  if (first !== undefined) {
    const used = siblings.length < FEW && second !== undefined ? [first, second] : [first];
    const locator: Locator = { css, has: { text: first, exact: true }, ...(used[1] && { hasText: used[1] }) };
    const [word = ''] = first.split(' ');
    const holding = [...item.ownerDocument.querySelectorAll(css)].filter(
      (one) =>
        textOf(one).includes(word) && [...plain(one).querySelectorAll('*')].some((inner) => textOf(inner) === first),
    );
    if (holding.length === 1 && holding[0] === row) return { row, locator, keys: used, position };
  }
  for (const attribute of KEYS) {
    const value = item.getAttribute(attribute);
    if (value === null || value === '' || value.length > MAX_KEY) continue;
    const keyed = `${css}[${attribute}=${JSON.stringify(value)}]`;
    if (item.ownerDocument.querySelectorAll(keyed).length === 1)
      return { row, locator: { css: keyed }, keys: [], position };
  }
  /* The whole text of the item, where its own text stands beside its controls. */
  const whole = textOf(row);
  const elements = [...item.ownerDocument.querySelectorAll('body *')];
  if (whole === '' || whole.length > MAX_KEY || isVolatile(whole) || elements.length > MAX_ELEMENTS) return none;
  const same = elements.filter((one) => textOf(one) === whole);
  const [deepest, ...others] = same.filter((one) => ![...plain(one).children].some((child) => textOf(child) === whole));
  if (!deepest || others.length > 0 || !item.contains(deepest) || !plain(deepest).contains(element)) return none;
  return { row: deepest, locator: { text: whole, exact: true }, keys: [whole], position };
}
