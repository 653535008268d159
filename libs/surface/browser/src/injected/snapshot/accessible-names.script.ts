/// <reference lib="dom" />
import type { AriaRoles } from './aria-roles.script.ts';
import type { DomTree } from './dom-tree.script.ts';

/** Accessible names: the rules of the W3C's accname 1.2 as far as pages use them. */
export function accessibleNames(tree: DomTree, roles: AriaRoles) {
  /** Characters that are read for a name; what is longer is cut by the caller, this only ends the reading. */
  const READ = 5000;
  const { plain } = tree;
  const tidy = (text: string) => text.replace(/\s+/g, ' ').trim();
  const blocks = new Set(
    'address article aside blockquote br dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section table td th tr ul'.split(
      ' ',
    ),
  );
  const SVG = 'http://www.w3.org/2000/svg';
  const silent = new Set(['script', 'style', 'template', 'noscript', 'head', 'title', 'meta', 'link']);

  const label = (element: Element): string => tidy(plain(element).getAttribute('aria-label') ?? '');

  /** What an element means as a part of another's name. */
  const partOf = (element: Element, hidden: boolean): string => {
    const own = plain(element);
    const tag = own.localName;
    if (silent.has(tag)) return '';
    if (!hidden && (own.getAttribute('aria-hidden') === 'true' || !shown(element))) return '';
    const said = label(element);
    if (said) return said;
    if (tag === 'img') return own.getAttribute('alt') ?? own.getAttribute('title') ?? '';
    if (tag === 'svg') return titleOfSvg(element);
    if (tag === 'input') {
      const { type, value } = element as HTMLInputElement;
      return ['checkbox', 'radio', 'hidden', 'password', 'file'].includes(type) ? '' : value;
    }
    if (tag === 'select') return [...(element as HTMLSelectElement).selectedOptions].map((one) => one.label).join(' ');
    if (tag === 'textarea') return (element as HTMLTextAreaElement).value;
    const text = content(element, hidden);
    return text || (own.getAttribute('title') ?? '');
  };

  const shown = (element: Element) =>
    plain(element).checkVisibility({ visibilityProperty: true }) ||
    (element.localName === 'slot' && element.isConnected) ||
    isContents(element);
  const isContents = (element: Element) => getComputedStyle(element).display === 'contents';

  const titleOfSvg = (element: Element): string => {
    for (let child = element.firstElementChild; child; child = child.nextElementSibling)
      if (child.localName === 'title') return tidy(child.textContent ?? '');
    return '';
  };

  /** The text shown in an element. */
  const content = (element: Element, hidden = false): string => {
    let text = '';
    tree.each(element, (node) => {
      if (text.length >= READ) return;
      const { nodeType } = plain(node);
      if (nodeType === 3) text += node.nodeValue ?? '';
      else if (nodeType === 1) {
        const part = partOf(node as Element, hidden);
        text += blocks.has(plain(node as Element).localName) ? ` ${part} ` : part;
      }
    });
    return text;
  };

  const referenced = (element: Element): string => {
    const ids = plain(element).getAttribute('aria-labelledby');
    if (!ids) return '';
    const scope = plain(element).getRootNode() as Document | ShadowRoot;
    const parts = ids.split(/\s+/).map((id) => {
      const one = id && scope.getElementById(id);
      return one ? label(one) || tidy(partOf(one, true)) : '';
    });
    return tidy(parts.join(' '));
  };

  const ofLabels = (element: Element): string => {
    const { labels } = plain(element) as HTMLInputElement;
    if (!labels?.length) return '';
    return tidy([...labels].map((one) => label(one) || withoutControl(one, element)).join(' '));
  };

  /** What a label says besides the field that is in it. */
  const withoutControl = (one: Element, control: Element): string => {
    let text = '';
    tree.each(one, (node) => {
      if (node === control || text.length >= READ) return;
      const { nodeType } = plain(node);
      if (nodeType === 3) text += node.nodeValue ?? '';
      else if (nodeType === 1) {
        const inner = node as Element;
        text += ` ${plain(inner).contains(control) ? withoutControl(inner, control) : partOf(inner, true)}`;
      }
    });
    return text;
  };

  const native = (element: Element): string => {
    const tag = element.localName;
    if (tag === 'input') {
      const { type, value, alt } = element as HTMLInputElement;
      if (type === 'submit') return value || 'Submit';
      if (type === 'reset') return value || 'Reset';
      if (type === 'button') return value;
      if (type === 'image') return alt || value || 'Submit';
    }
    if (tag === 'img' || tag === 'area') return tidy(element.getAttribute('alt') ?? '');
    if (element.namespaceURI === SVG) return titleOfSvg(element);
    const first = tag === 'fieldset' ? 'legend' : tag === 'table' ? 'caption' : tag === 'figure' ? 'figcaption' : '';
    if (first) {
      for (let child = element.firstElementChild; child; child = child.nextElementSibling)
        if (child.localName === first) return tidy(content(child));
    }
    return '';
  };

  /** The accessible name, or '' where there is none. @param role as it is listed */
  const nameOf = (element: Element, role: string): string => {
    const said = referenced(element) || label(element) || ofLabels(element) || native(element);
    if (said) return said;
    const own = plain(element);
    const isOfContent = roles.fromContent.has(role) && own.localName !== 'input' && own.localName !== 'select';
    const text = isOfContent ? tidy(content(element)) : '';
    if (text) return text;
    return (
      tidy(own.getAttribute('title') ?? '') ||
      tidy(own.getAttribute('placeholder') ?? own.getAttribute('aria-placeholder') ?? '')
    );
  };

  /** What the page itself calls an element that has no name: its test id, id, class, symbol, or where it leads. */
  const hintOf = (element: Element): string => {
    const own = plain(element);
    const words = (one: Element): string => {
      for (const attribute of [
        'data-testid',
        'data-test',
        'data-icon',
        'data-action',
        'name',
        'id',
        'class',
      ] as const) {
        const value = plain(one).getAttribute(attribute)?.trim();
        if (value) return attribute === 'class' ? value.split(/\s+/).slice(0, 3).join('.') : value;
      }
      return '';
    };
    const symbol = () => {
      const use = own.querySelector('use');
      return use?.getAttribute('href') ?? use?.getAttribute('xlink:href');
    };
    const picture = () => own.querySelector('img')?.getAttribute('src')?.split(/[?#]/)[0]?.split('/').at(-1);
    const first = own.firstElementChild;
    const address = own.localName === 'a' ? own.getAttribute('href') : null;
    const hint = words(element) || (first && (symbol() || picture() || words(first))) || address || '';
    return hint.length > 40 ? `${hint.slice(0, 39)}…` : hint;
  };

  /** Elements around one without a name in which a text is looked for, and characters of it. */
  const AROUND = 5;
  const CONTEXT = 60;

  /** The text around an element without a name, and its number among its like there: `2 of 3 in "Node A"`. */
  const contextOf = (element: Element): string => {
    let around: Element = element;
    let said = '';
    for (let depth = 0; depth < AROUND && !said; depth += 1) {
      const up = tree.parentOf(around);
      if (!up || up.localName === 'body' || up.localName === 'html') break;
      around = up;
      said = label(up) || (up.namespaceURI === SVG && titleOfSvg(up)) || tidy(plain(up).getAttribute('title') ?? '');
      const text = said ? '' : tidy(content(up));
      if (text.length > CONTEXT) break;
      said ||= text;
    }
    const classOf = (one: Element) => plain(one).getAttribute('class')?.trim().split(/\s+/)[0] ?? '';
    const like = [...plain(around).querySelectorAll(plain(element).localName)].filter(
      (one) => classOf(one) === classOf(element),
    );
    const order = like.length > 1 && like.length <= 50 ? `${like.indexOf(element) + 1} of ${like.length}` : '';
    return [order, said && said.length <= CONTEXT ? `in "${said}"` : ''].filter(Boolean).join(' ');
  };

  return { tidy, content, nameOf, hintOf, contextOf };
}

export type AccessibleNames = ReturnType<typeof accessibleNames>;
