/// <reference lib="dom" />
import type { AriaRoles } from './aria-roles.ts';
import type { DomTree } from './dom-tree.ts';
import { plain } from './native-properties.ts';

/** Computes accessible names by the W3C rules (accname 1.2) as far as pages use them. */
export function accessibleNames(tree: DomTree, roles: AriaRoles) {
  /** Maximum length of a reported name. */
  const MAX_NAME_CHARS = 200;
  /** Maximum number of characters read for a name. The caller truncates further. */
  const MAX_READ_CHARS = 5000;
  const tidy = (text: string) => text.replace(/\s+/g, ' ').trim();
  const blocks = new Set(
    'address article aside blockquote br dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section table td th tr ul'.split(
      ' ',
    ),
  );
  const SVG = 'http://www.w3.org/2000/svg';
  const skippedTags = new Set(['script', 'style', 'template', 'noscript', 'head', 'title', 'meta', 'link']);

  const label = (element: Element): string => tidy(plain(element).getAttribute('aria-label') ?? '');

  /** Returns the contribution of an element to the name of another one. */
  const contributionOf = (element: Element, includesHidden: boolean, maxChars = MAX_READ_CHARS): string => {
    const native = plain(element);
    const tag = native.localName;
    if (skippedTags.has(tag)) return '';
    if (!includesHidden && (native.getAttribute('aria-hidden') === 'true' || !isRendered(element))) return '';
    const labelText = label(element);
    if (labelText) return labelText;
    if (tag === 'img') return native.getAttribute('alt') ?? native.getAttribute('title') ?? '';
    if (tag === 'svg') return titleOfSvg(element);
    if (tag === 'input') {
      const { type, value } = element as HTMLInputElement;
      return ['checkbox', 'radio', 'hidden', 'password', 'file'].includes(type) ? '' : value;
    }
    if (tag === 'select')
      return [...(element as HTMLSelectElement).selectedOptions].map((option) => option.label).join(' ');
    if (tag === 'textarea') return (element as HTMLTextAreaElement).value;
    const text = content(element, includesHidden, maxChars);
    return text || (native.getAttribute('title') ?? '');
  };

  const isRendered = (element: Element) =>
    plain(element).checkVisibility({ visibilityProperty: true }) ||
    (element.localName === 'slot' && element.isConnected) ||
    isContents(element);
  const isContents = (element: Element) => getComputedStyle(element).display === 'contents';

  const titleOfSvg = (element: Element): string => {
    for (let child = element.firstElementChild; child; child = child.nextElementSibling)
      if (child.localName === 'title') return tidy(child.textContent ?? '');
    return '';
  };

  /** Returns the visible text of an element. @param maxChars number of characters after which it reads no further */
  const content = (element: Element, includesHidden = false, maxChars = MAX_READ_CHARS): string => {
    let text = '';
    tree.forEachNode(element, (node) => {
      if (text.length >= maxChars) return;
      const { nodeType } = plain(node);
      if (nodeType === 3) text += node.nodeValue ?? '';
      else if (nodeType === 1) {
        const part = contributionOf(node as Element, includesHidden, maxChars - text.length);
        text += blocks.has(plain(node as Element).localName) ? ` ${part} ` : part;
      }
    });
    return text;
  };

  const labelledByText = (element: Element): string => {
    const ids = plain(element).getAttribute('aria-labelledby');
    if (!ids) return '';
    const scope = plain(element).getRootNode() as Document | ShadowRoot;
    const parts = ids.split(/\s+/).map((id) => {
      const labelling = id && scope.getElementById(id);
      return labelling ? label(labelling) || tidy(contributionOf(labelling, true)) : '';
    });
    return tidy(parts.join(' '));
  };

  const labelElementText = (element: Element): string => {
    const { labels } = plain(element) as HTMLInputElement;
    if (!labels?.length) return '';
    return tidy(
      [...labels].map((labelElement) => label(labelElement) || withoutControl(labelElement, element)).join(' '),
    );
  };

  /** Returns the text of a label without the field inside of it. */
  const withoutControl = (labelElement: Element, control: Element): string => {
    let text = '';
    tree.forEachNode(labelElement, (node) => {
      if (node === control || text.length >= MAX_READ_CHARS) return;
      const { nodeType } = plain(node);
      if (nodeType === 3) text += node.nodeValue ?? '';
      else if (nodeType === 1) {
        const inner = node as Element;
        text += ` ${plain(inner).contains(control) ? withoutControl(inner, control) : contributionOf(inner, true)}`;
      }
    });
    return text;
  };

  const nativeName = (element: Element): string => {
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

  /** Returns the accessible name, or ''. @param role as listed */
  const nameOf = (element: Element, role: string): string => {
    const labelText = labelledByText(element) || label(element) || labelElementText(element) || nativeName(element);
    if (labelText) return labelText;
    const native = plain(element);
    const usesContent = roles.fromContent.has(role) && native.localName !== 'input' && native.localName !== 'select';
    const text = usesContent ? tidy(content(element)) : '';
    if (text) return text;
    return (
      tidy(native.getAttribute('title') ?? '') ||
      tidy(native.getAttribute('placeholder') ?? native.getAttribute('aria-placeholder') ?? '')
    );
  };

  /**
   * Returns a technical name of an element without an accessible name: test id, id, class, symbol, or link target.
   */
  const fallbackNameOf = (element: Element): string => {
    const native = plain(element);
    const words = (node: Element): string => {
      for (const attribute of [
        'data-testid',
        'data-test',
        'data-icon',
        'data-action',
        'name',
        'id',
        'class',
      ] as const) {
        const value = plain(node).getAttribute(attribute)?.trim();
        if (value) return attribute === 'class' ? value.split(/\s+/).slice(0, 3).join('.') : value;
      }
      return '';
    };
    const symbol = () => {
      const use = native.querySelector('use');
      return use?.getAttribute('href') ?? use?.getAttribute('xlink:href');
    };
    const imageName = () => native.querySelector('img')?.getAttribute('src')?.split(/[?#]/)[0]?.split('/').at(-1);
    const first = native.firstElementChild;
    const address = native.localName === 'a' ? native.getAttribute('href') : null;
    const technicalName = words(element) || (first && (symbol() || imageName() || words(first))) || address || '';
    return technicalName.length > 40 ? `${technicalName.slice(0, 39)}…` : technicalName;
  };

  /** Number of ancestors searched for context, and maximum length of the context. */
  const MAX_ANCESTORS = 5;
  const MAX_CONTEXT_CHARS = 60;

  /** Returns the text of a container. Of a text above the maximum length, only its beginning is read. */
  const contextTextOf = (container: Element): string => {
    // Most characters of a source text may be indentation.
    const maxChars = 4 * MAX_CONTEXT_CHARS;
    const start = content(container, false, maxChars);
    const text = tidy(start);
    return start.length < maxChars || text.length > MAX_CONTEXT_CHARS ? text : tidy(content(container));
  };

  /** Describes the surroundings of an element without a name, for example `2 of 3 in "Node A"`. */
  const contextOf = (element: Element): string => {
    let container: Element = element;
    let labelText = '';
    for (let depth = 0; depth < MAX_ANCESTORS && !labelText; depth += 1) {
      const up = tree.parentOf(container);
      if (!up || up.localName === 'body' || up.localName === 'html') break;
      container = up;
      labelText =
        label(up) || (up.namespaceURI === SVG && titleOfSvg(up)) || tidy(plain(up).getAttribute('title') ?? '');
      const text = labelText ? '' : contextTextOf(up);
      if (text.length > MAX_CONTEXT_CHARS) break;
      labelText ||= text;
    }
    const classOf = (node: Element) => plain(node).getAttribute('class')?.trim().split(/\s+/)[0] ?? '';
    const similar = [...plain(container).querySelectorAll(plain(element).localName)].filter(
      (candidate) => classOf(candidate) === classOf(element),
    );
    const order =
      similar.length > 1 && similar.length <= 50 ? `${similar.indexOf(element) + 1} of ${similar.length}` : '';
    return [order, labelText && labelText.length <= MAX_CONTEXT_CHARS ? `in "${labelText}"` : '']
      .filter(Boolean)
      .join(' ');
  };

  return { MAX_NAME_CHARS, tidy, content, nameOf, fallbackNameOf, contextOf };
}

export type AccessibleNames = ReturnType<typeof accessibleNames>;
