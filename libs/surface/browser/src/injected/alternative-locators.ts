/// <reference lib="dom" />
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { accessibleNames, ariaRoles, domTree, plain } from '@pilothouse/surface-page-elements/page';
import { rowOf } from './list-row.ts';

/**
 * Returns locators that match only this element of its document, the most stable first. It runs with another check of
 * the element. Searches for texts start within 40 ms, the others and the first locator within 250 ms: on a large page
 * each search takes longer. Hidden matches count, so a valid locator may be missing, but no invalid one is
 * returned. For an element in a list item, the item is identified by its key (`within`). The position (`nth`) comes
 * last and is used only if nothing identifies the item.
 */
export function alternativeLocators(element: Element): Locator[] {
  const startedAt = performance.now();
  const MAX_TEXT_CHARS = 80;
  const tree = domTree();
  const roles = ariaRoles();
  const names = accessibleNames(tree, roles);
  const locators: Locator[] = [];
  const native = plain(element);
  const { ownerDocument } = native;
  const textOf = (one: Element) => plain(one).textContent ?? '';

  // Locators reach into open shadow roots.
  const roots: (Document | ShadowRoot)[] = [ownerDocument];
  for (const root of roots)
    for (const { shadowRoot } of root.querySelectorAll('*'))
      if (shadowRoot instanceof ShadowRoot) roots.push(shadowRoot);
  const all = (selector: string) => roots.flatMap((root) => [...root.querySelectorAll(selector)]);
  const isUnique = (matches: readonly Element[]) => matches.length === 1 && matches[0] === element;
  const hasTime = (ms: number) => performance.now() < startedAt + (locators.length === 0 ? 250 : ms);
  const isUsable = (text: string, ms = 40) => text !== '' && text.length <= MAX_TEXT_CHARS && hasTime(ms);
  const containsText = (text: string, part: string) => names.tidy(text).toLowerCase().includes(part.toLowerCase());

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
  const ariaRoleNames = new Set('switch tab menuitem menuitemcheckbox menuitemradio treeitem'.split(' '));
  const byRole = () => {
    const role = roles.roleOf(element);
    if (!(role in selectors) && !ariaRoleNames.has(role)) return;
    const name = names.nameOf(element, role);
    if (!isUsable(name)) return;
    const selector = selectors[role];
    const same = all(`${selector ? `${selector}, ` : ''}[role~="${role}"]`).filter((one) => roles.roleOf(one) === role);
    if (same.length > 500) return;
    const nameMatches = same.filter((one) => containsText(names.nameOf(one, role), name));
    if (isUnique(nameMatches)) locators.push({ role, name });
    else if (isUnique(nameMatches.filter((one) => names.nameOf(one, role) === name)))
      locators.push({ role, name, exact: true });
  };

  const byLabel = () => {
    const { labels } = native as HTMLInputElement;
    const ariaLabel = native.getAttribute('aria-label');
    if (!labels?.length && ariaLabel === null) return;
    const label = names.nameOf(element, 'textbox');
    if (!isUsable(label)) return;
    const labelled = new Set<Element>();
    for (const one of all('label')) {
      const { control } = one as HTMLLabelElement;
      if (control && containsText(textOf(one), label)) labelled.add(control);
    }
    for (const one of all('[aria-label], [aria-labelledby]'))
      if (containsText(names.nameOf(one, ''), label)) labelled.add(one);
    if (isUnique([...labelled])) locators.push({ label });
  };

  const byAttribute = (attribute: string, locatorOf: (value: string) => Locator, part: boolean) => {
    const value = names.tidy(native.getAttribute(attribute) ?? '');
    if (!isUsable(value, 250)) return;
    const hasValue = (one: Element) => {
      const attributeValue = plain(one).getAttribute(attribute) ?? '';
      return part ? containsText(attributeValue, value) : attributeValue === value;
    };
    if (isUnique(all(`[${attribute}]`).filter(hasValue))) locators.push(locatorOf(value));
  };

  // Ids with counters or hashes change on the next visit.
  const isGenerated = (id: string) => /\d{3,}|[:«»]|^[0-9a-f-]{8,}$/i.test(id);

  const byId = () => {
    const { id } = native;
    if (!isUsable(id, 250) || isGenerated(id)) return;
    const css = `#${CSS.escape(id)}`;
    if (isUnique(all(css))) locators.push({ css });
  };

  const byText = () => {
    const text = names.tidy(textOf(element));
    if (!isUsable(text) || ['input', 'textarea', 'select', 'body', 'html'].includes(native.localName)) return;
    const skippedTags = new Set(['script', 'style', 'noscript', 'template']);
    const deepest: Element[] = [];
    const search = (inside: Element | ShadowRoot): boolean => {
      let containsMatch = false;
      for (const one of plain(inside).children) {
        if (deepest.length > 1 || skippedTags.has(plain(one).localName)) continue;
        if (!containsText(textOf(one), text)) {
          const { value } = one as Partial<HTMLInputElement>;
          if (one.localName === 'input' && containsText(value ?? '', text)) deepest.push(one);
          continue;
        }
        containsMatch = true;
        if (!search(one)) deepest.push(one);
      }
      return containsMatch;
    };
    for (const root of roots) search(root.nodeType === 9 ? (root as Document).body : (root as ShadowRoot));
    if (isUnique(deepest)) locators.push({ text });
  };

  const roleCount = (scope: Element, role: string, name: string | null) => {
    const selector = selectors[role];
    const same = [...plain(scope).querySelectorAll(`${selector ? `${selector}, ` : ''}[role~="${role}"]`)];
    return same.filter((one) => roles.roleOf(one) === role && (name === null || names.nameOf(one, role) === name))
      .length;
  };

  // Locates the element inside its list item.
  const inRow = (row: Element, within: Locator) => {
    if (row === element) return void locators.push(within);
    const role = roles.roleOf(element);
    if (role in selectors || ariaRoleNames.has(role)) {
      const name = names.nameOf(element, role);
      if (isUsable(name) && roleCount(row, role, name) === 1) locators.push({ role, name, exact: true, within });
      else if (roleCount(row, role, null) === 1) locators.push({ role, within });
    }
    const isUniqueInRow = (selector: string) => plain(row).querySelectorAll(selector).length === 1;
    const testId = native.getAttribute('data-testid') ?? '';
    if (testId !== '' && isUniqueInRow(`[data-testid=${JSON.stringify(testId)}]`)) locators.push({ testId, within });
    let path = '';
    for (let one: Element | null = element; one && one !== row; one = plain(one).parentElement) {
      if (!plain(one).parentElement) return;
      const type = plain(one).getAttribute('type');
      const css = `${plain(one).localName}${type ? `[type=${JSON.stringify(type)}]` : ''}`;
      if (path === '' && isUniqueInRow(css)) return void locators.push({ css, within });
      path = path === '' ? nthOfType(one) : `${nthOfType(one)} > ${path}`;
      if (isUniqueInRow(path)) return void locators.push({ css: path, within });
    }
  };

  const nthOfType = (one: Element) => {
    const { localName, parentNode } = plain(one);
    const children = parentNode ? [...plain(parentNode).children] : [];
    const siblings = children.filter((sibling) => plain(sibling).localName === localName);
    return siblings.length > 1 ? `${localName}:nth-of-type(${siblings.indexOf(one) + 1})` : localName;
  };

  const byPath = () => {
    const tagWithAttribute = (one: Element) => {
      const type = plain(one).getAttribute('type');
      const name = plain(one).getAttribute('name');
      const fact = name ? `[name=${JSON.stringify(name)}]` : type ? `[type=${JSON.stringify(type)}]` : '';
      return `${plain(one).localName}${fact}`;
    };
    let path = tagWithAttribute(element);
    if (path !== native.localName && isUnique(all(path))) return void locators.push({ css: path });
    path = nthOfType(element);
    for (let up = native.parentElement, depth = 0; up && depth < 20; up = plain(up).parentElement, depth += 1) {
      const { id } = plain(up);
      const isNamed = id !== '' && !isGenerated(id);
      path = `${isNamed ? `#${CSS.escape(id)}` : nthOfType(up)} > ${path}`;
      if (!hasTime(40) && locators.length > 0) return;
      if ((isNamed || depth > 1) && isUnique(all(path))) return void locators.push({ css: path });
    }
  };

  byRole();
  byLabel();
  byAttribute('data-testid', (testId) => ({ testId }), false);
  byId();
  byAttribute('placeholder', (placeholder) => ({ placeholder }), true);
  byText();
  // A checkbox in a table header applies to all rows, so its locator names the header.
  if (native.closest('thead') && roles.roleOf(element) === 'checkbox' && all('thead input[type=checkbox]').length === 1)
    locators.push({ role: 'checkbox', within: { css: 'thead' } });
  const item = rowOf(element);
  if (!item) {
    byPath();
    return locators;
  }
  // Another item may have a name with the same prefix, or the same button. Only an exact name that contains the key
  // identifies this item.
  const identifiesItem = ({ css, name, label, placeholder, text }: Locator) => {
    const nameMatches = name ?? label ?? placeholder ?? text;
    return css !== undefined || (nameMatches !== undefined && item.keys.some((key) => nameMatches.includes(key)));
  };
  const itemLocators = locators
    .splice(0)
    .filter(identifiesItem)
    .map((locator): Locator => (locator.css === undefined ? { ...locator, exact: true } : locator));
  if (item.locator) inRow(item.row, item.locator);
  locators.push(...itemLocators);
  if (item.locator) byPath();
  else if (itemLocators.length === 0) inRow(item.row, item.position);
  return locators;
}
