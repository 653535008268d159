/// <reference lib="dom" />
import type { AriaRoles } from './aria-roles.ts';
import type { DomTree } from './dom-tree.ts';
import { contextOf } from './element-context.ts';
import { fallbackNameOf } from './fallback-name.ts';
import { ariaLabelOf, isSvg, svgTitleOf, tidy } from './name-parts.ts';
import { plain } from './native-properties.ts';

/** Maximum length of a reported name. */
const MAX_NAME_CHARS = 200;
/** Maximum number of characters read for a name. The caller truncates further. */
const MAX_READ_CHARS = 5000;

const wordSet = (words: string) => new Set(words.split(' '));
const BLOCK_TAGS = wordSet(
  'address article aside blockquote br dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section table td th tr ul',
);
const SKIPPED_TAGS = wordSet('script style template noscript head title meta link');
/** Inputs whose value is not part of a text. */
const VALUELESS_TYPES = wordSet('checkbox radio hidden password file');
/** Elements that are named by a child. */
const CAPTION_TAGS: Readonly<Record<string, string>> = { fieldset: 'legend', table: 'caption', figure: 'figcaption' };

const isContents = (element: Element) => getComputedStyle(element).display === 'contents';
const isRendered = (element: Element) =>
  plain(element).checkVisibility({ visibilityProperty: true }) ||
  (element.localName === 'slot' && element.isConnected) ||
  isContents(element);

/** Returns the text of an image or a field; null for other elements. */
const replacedText = (element: Element, tag: string): string | null => {
  const native = plain(element);
  if (tag === 'img') return native.getAttribute('alt') ?? native.getAttribute('title') ?? '';
  if (tag === 'svg') return svgTitleOf(element);
  if (tag === 'input') {
    const { type, value } = element as HTMLInputElement;
    return VALUELESS_TYPES.has(type) ? '' : value;
  }
  if (tag === 'select')
    return [...(element as HTMLSelectElement).selectedOptions].map((option) => option.label).join(' ');
  return tag === 'textarea' ? (element as HTMLTextAreaElement).value : null;
};

/** Returns the name of a native button; null for other inputs. */
export const buttonName = ({ type, value, alt }: Pick<HTMLInputElement, 'type' | 'value' | 'alt'>): string | null => {
  if (type === 'submit') return value || 'Submit';
  if (type === 'reset') return value || 'Reset';
  if (type === 'button') return value;
  return type === 'image' ? alt || value || 'Submit' : null;
};

/** Computes accessible names by the W3C rules (accname 1.2) as far as pages use them. */
export function accessibleNames(tree: DomTree, roles: AriaRoles) {
  /** Returns the contribution of an element to the name of another one. */
  const contributionOf = (element: Element, includesHidden: boolean, maxChars = MAX_READ_CHARS): string => {
    const native = plain(element);
    const tag = native.localName;
    if (SKIPPED_TAGS.has(tag)) return '';
    if (!includesHidden && (native.getAttribute('aria-hidden') === 'true' || !isRendered(element))) return '';
    const text = ariaLabelOf(element) || replacedText(element, tag);
    if (text !== null) return text;
    return content(element, includesHidden, maxChars) || (native.getAttribute('title') ?? '');
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
        text += BLOCK_TAGS.has(plain(node as Element).localName) ? ` ${part} ` : part;
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
      return labelling ? ariaLabelOf(labelling) || tidy(contributionOf(labelling, true)) : '';
    });
    return tidy(parts.join(' '));
  };

  const labelElementText = (element: Element): string => {
    const { labels } = plain(element) as HTMLInputElement;
    if (!labels?.length) return '';
    const texts = [...labels].map((label) => ariaLabelOf(label) || withoutControl(label, element));
    return tidy(texts.join(' '));
  };

  /** Returns the text of a label without the field inside of it. */
  const withoutControl = (label: Element, control: Element): string => {
    let text = '';
    tree.forEachNode(label, (node) => {
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

  const captionOf = (element: Element, captionTag: string): string => {
    for (let child = element.firstElementChild; child; child = child.nextElementSibling)
      if (child.localName === captionTag) return tidy(content(child));
    return '';
  };

  const nativeName = (element: Element): string => {
    const tag = element.localName;
    const button = tag === 'input' ? buttonName(element as HTMLInputElement) : null;
    if (button !== null) return button;
    if (tag === 'img' || tag === 'area') return tidy(element.getAttribute('alt') ?? '');
    if (isSvg(element)) return svgTitleOf(element);
    const captionTag = Object.hasOwn(CAPTION_TAGS, tag) ? CAPTION_TAGS[tag] : undefined;
    return captionTag ? captionOf(element, captionTag) : '';
  };

  const contentName = (element: Element, role: string): string => {
    const { localName } = plain(element);
    const usesContent = roles.fromContent.has(role) && localName !== 'input' && localName !== 'select';
    return usesContent ? tidy(content(element)) : '';
  };

  const hintOf = (element: Element): string => {
    const native = plain(element);
    const placeholder = () => native.getAttribute('placeholder') ?? native.getAttribute('aria-placeholder') ?? '';
    return tidy(native.getAttribute('title') ?? '') || tidy(placeholder());
  };

  /** Returns the accessible name, or ''. @param role as listed */
  const nameOf = (element: Element, role: string): string =>
    labelledByText(element) ||
    ariaLabelOf(element) ||
    labelElementText(element) ||
    nativeName(element) ||
    contentName(element, role) ||
    hintOf(element);

  return {
    MAX_NAME_CHARS,
    tidy,
    content,
    nameOf,
    fallbackNameOf,
    contextOf: (element: Element) => contextOf(element, tree, content),
  };
}

export type AccessibleNames = ReturnType<typeof accessibleNames>;
