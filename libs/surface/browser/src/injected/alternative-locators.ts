/// <reference lib="dom" />
/// <reference lib="dom" />
import type { Locator } from '@pilothouse/contract';
import type { AccessibleNames } from './snapshot/accessible-names.script.ts';
import type { AriaRoles } from './snapshot/aria-roles.script.ts';
import type { DomTree } from './snapshot/dom-tree.script.ts';
import type { Row } from './list-row.ts';
import type { plain } from './native-properties.ts';

/** What the eye knows of elements, as code in the page. */
interface Knowledge {
  plain: DomTree['plain'];
  tree(plain: DomTree['plain']): DomTree;
  roles(tree: DomTree): AriaRoles;
  names(tree: DomTree, roles: AriaRoles): AccessibleNames;
  rowOf(element: Element, plain: DomTree['plain']): Row | null;
}

/**
 * Other ways to find this element, and no other, in its document; the sturdiest first. It runs in the page, besides what an action asks
 * for; after 15 ms it looks for no further way. Matches that are hidden count, so that a way may be left out that
 * would do, and none is given that would not. Of an element in an item of a list the item is found by what identifies it (`within`);
 * its position comes last, as `nth` of the item where nothing identifies it.
 */
export function alternativeLocators(element: Element, knowledge: Knowledge): Locator[] {
  const until = performance.now() + 15;
  const LONGEST = 80;
  const { plain } = knowledge;
  const tree = knowledge.tree(plain);
  const roles = knowledge.roles(tree);
  const names = knowledge.names(tree, roles);
  const found: Locator[] = [];
  const own = plain(element);
  const { ownerDocument } = own;
  const textOf = (one: Element) => plain(one).textContent ?? '';

  /* Locators reach into open shadow roots. */
  const roots: (Document | ShadowRoot)[] = [ownerDocument];
  for (const root of roots)
    for (const { shadowRoot } of root.querySelectorAll('*'))
      if (shadowRoot instanceof ShadowRoot) roots.push(shadowRoot);
  const all = (selector: string) => roots.flatMap((root) => [...root.querySelectorAll(selector)]);
  const isAlone = (those: readonly Element[]) => those.length === 1 && those[0] === element;
  const isShort = (text: string) => text !== '' && text.length <= LONGEST && performance.now() < until;
  const holds = (text: string, part: string) => names.tidy(text).toLowerCase().includes(part.toLowerCase());

  const selectors: Record<string, string> = {
    button:
      'button, summary, input[type=button], input[type=submit], input[type=reset], input[type=image], input[type=file]',
    link: 'a[href], area[href]',
    checkbox: 'input[type=checkbox]',
    radio: 'input[type=radio]',
    slider: 'input[type=range]',
    spinbutton: 'input[type=number]',
    searchbox: 'input[type=search]',
    textbox: 'input, textarea',
    combobox: 'select, input[list]',
    listbox: 'select',
    option: 'option',
    heading: 'h1, h2, h3, h4, h5, h6',
  };
  const ofAria = new Set('switch tab menuitem menuitemcheckbox menuitemradio treeitem'.split(' '));
  const byRole = () => {
    const role = roles.roleOf(element);
    if (!(role in selectors) && !ofAria.has(role)) return;
    const name = names.nameOf(element, role);
    if (!isShort(name)) return;
    const selector = selectors[role];
    const same = all(`${selector ? `${selector}, ` : ''}[role~="${role}"]`).filter((one) => roles.roleOf(one) === role);
    if (same.length > 500) return;
    const called = same.filter((one) => holds(names.nameOf(one, role), name));
    if (isAlone(called)) found.push({ role, name });
    else if (isAlone(called.filter((one) => names.nameOf(one, role) === name))) found.push({ role, name, exact: true });
  };

  const byLabel = () => {
    const { labels } = own as HTMLInputElement;
    const said = own.getAttribute('aria-label');
    if (!labels?.length && said === null) return;
    const label = names.nameOf(element, 'textbox');
    if (!isShort(label)) return;
    const labelled = new Set<Element>();
    for (const one of all('label')) {
      const { control } = one as HTMLLabelElement;
      if (control && holds(textOf(one), label)) labelled.add(control);
    }
    for (const one of all('[aria-label], [aria-labelledby]'))
      if (holds(names.nameOf(one, ''), label)) labelled.add(one);
    if (isAlone([...labelled])) found.push({ label });
  };

  const byAttribute = (attribute: string, locatorOf: (value: string) => Locator, part: boolean) => {
    const value = names.tidy(own.getAttribute(attribute) ?? '');
    if (!isShort(value)) return;
    const fits = (one: Element) => {
      const other = plain(one).getAttribute(attribute) ?? '';
      return part ? holds(other, value) : other === value;
    };
    if (isAlone(all(`[${attribute}]`).filter(fits))) found.push(locatorOf(value));
  };

  /* Numbers of a counter, or of a hash, are others the next time. */
  const isMade = (id: string) => /\d{3,}|[:«»]|^[0-9a-f-]{8,}$/i.test(id);

  const byId = () => {
    const { id } = own;
    if (!isShort(id) || isMade(id)) return;
    const css = `#${CSS.escape(id)}`;
    if (isAlone(all(css))) found.push({ css });
  };

  const byText = () => {
    const text = names.tidy(textOf(element));
    if (!isShort(text) || ['input', 'textarea', 'select', 'body', 'html'].includes(own.localName)) return;
    const silent = new Set(['script', 'style', 'noscript', 'template']);
    const deepest: Element[] = [];
    const search = (inside: Element | ShadowRoot): boolean => {
      let any = false;
      for (const one of plain(inside).children) {
        if (deepest.length > 1 || silent.has(plain(one).localName)) continue;
        if (!holds(textOf(one), text)) {
          const { value } = one as Partial<HTMLInputElement>;
          if (one.localName === 'input' && holds(value ?? '', text)) deepest.push(one);
          continue;
        }
        any = true;
        if (!search(one)) deepest.push(one);
      }
      return any;
    };
    for (const root of roots) search(root.nodeType === 9 ? (root as Document).body : (root as ShadowRoot));
    if (isAlone(deepest)) found.push({ text });
  };

  const roleCount = (scope: Element, role: string, name: string | null) => {
    const selector = selectors[role];
    const same = [...plain(scope).querySelectorAll(`${selector ? `${selector}, ` : ''}[role~="${role}"]`)];
    return same.filter((one) => roles.roleOf(one) === role && (name === null || names.nameOf(one, role) === name))
      .length;
  };

  /* The element in its item of a list. */
  const inRow = (row: Element, within: Locator) => {
    if (row === element) return void found.push(within);
    const role = roles.roleOf(element);
    if (role in selectors || ofAria.has(role)) {
      const name = names.nameOf(element, role);
      if (isShort(name) && roleCount(row, role, name) === 1) found.push({ role, name, exact: true, within });
      else if (roleCount(row, role, null) === 1) found.push({ role, within });
    }
    const isAloneThere = (selector: string) => plain(row).querySelectorAll(selector).length === 1;
    const testId = own.getAttribute('data-testid') ?? '';
    if (testId !== '' && isAloneThere(`[data-testid=${JSON.stringify(testId)}]`)) found.push({ testId, within });
    let path = '';
    for (let one: Element | null = element; one && one !== row; one = plain(one).parentElement) {
      if (!plain(one).parentElement) return;
      const type = plain(one).getAttribute('type');
      const css = `${plain(one).localName}${type ? `[type=${JSON.stringify(type)}]` : ''}`;
      if (path === '' && isAloneThere(css)) return void found.push({ css, within });
      path = path === '' ? numbered(one) : `${numbered(one)} > ${path}`;
      if (isAloneThere(path)) return void found.push({ css: path, within });
    }
  };

  const numbered = (one: Element) => {
    const { localName, parentNode } = plain(one);
    const children = parentNode ? [...plain(parentNode).children] : [];
    const siblings = children.filter((other) => plain(other).localName === localName);
    return siblings.length > 1 ? `${localName}:nth-of-type(${siblings.indexOf(one) + 1})` : localName;
  };

  const byPath = () => {
    const factOf = (one: Element) => {
      const type = plain(one).getAttribute('type');
      const name = plain(one).getAttribute('name');
      const fact = name ? `[name=${JSON.stringify(name)}]` : type ? `[type=${JSON.stringify(type)}]` : '';
      return `${plain(one).localName}${fact}`;
    };
    let path = factOf(element);
    if (path !== own.localName && isAlone(all(path))) return void found.push({ css: path });
    path = numbered(element);
    for (let up = own.parentElement, depth = 0; up && depth < 20; up = plain(up).parentElement, depth += 1) {
      const { id } = plain(up);
      const isNamed = id !== '' && !isMade(id);
      path = `${isNamed ? `#${CSS.escape(id)}` : numbered(up)} > ${path}`;
      if (performance.now() > until && found.length > 0) return;
      if ((isNamed || depth > 1) && isAlone(all(path))) return void found.push({ css: path });
    }
  };

  byRole();
  byLabel();
  byAttribute('data-testid', (testId) => ({ testId }), false);
  byId();
  byAttribute('placeholder', (placeholder) => ({ placeholder }), true);
  byText();
  /* A box in the head of a table is about all rows: the way to it says so. */
  if (own.closest('thead') && roles.roleOf(element) === 'checkbox' && all('thead input[type=checkbox]').length === 1)
    found.push({ role: 'checkbox', within: { css: 'thead' } });
  const item = knowledge.rowOf(element, plain);
  if (!item) {
    byPath();
    return found;
  }
  /* Another item may have a name of the same beginning, or the same button, the next time: only the whole name with its key is one of this item. */
  const isOfItem = ({ css, name, label, placeholder, text }: Locator) => {
    const called = name ?? label ?? placeholder ?? text;
    return css !== undefined || (called !== undefined && item.keys.some((key) => called.includes(key)));
  };
  const ofItem = found
    .splice(0)
    .filter(isOfItem)
    .map((locator): Locator => (locator.css === undefined ? { ...locator, exact: true } : locator));
  if (item.locator) inRow(item.row, item.locator);
  found.push(...ofItem);
  if (item.locator) byPath();
  else if (ofItem.length === 0) inRow(item.row, item.position);
  return found;
}

type Plain = typeof plain;

/**
 * Where an element stands, to find it again: a CSS path from the nearest id that only one element has, or from the root. What is in an
 * open shadow root stands after ` >> `. Runs in the page: it may use nothing but its arguments.
 */
export function cssPath(element: Element, plain: Plain): string {
  const parts: string[] = [];
  let at: Element | null = element;
  while (at && parts.length < 40) {
    const own: Element = plain(at);
    const top = own.getRootNode();
    const root: Document | ShadowRoot = top instanceof ShadowRoot ? top : own.ownerDocument;
    const { id, localName } = own;
    const isNamed: boolean = id !== '' && root.querySelectorAll(`#${CSS.escape(id)}`).length === 1;
    let place = 1;
    let alone = true;
    for (let other = own.previousElementSibling; other; other = plain(other).previousElementSibling)
      if (plain(other).localName === localName) place += 1;
    for (let other = own.nextElementSibling; other && alone; other = plain(other).nextElementSibling)
      alone = plain(other).localName !== localName;
    parts.unshift(
      isNamed ? `#${CSS.escape(id)}` : place > 1 || !alone ? `${localName}:nth-of-type(${place})` : localName,
    );
    const up: Element | null = isNamed ? null : own.parentElement;
    if (up) parts.unshift(' > ');
    else if (root instanceof ShadowRoot) parts.unshift(' >> ');
    at = up ?? (root instanceof ShadowRoot ? root.host : null);
  }
  return parts.join('');
}
