/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { plain } from '../native-properties.ts';

/*
 * Code of this folder runs in the page, in a world of its own: it sees the page's elements and none of its scripts' objects. It is sent
 * as text, so a function uses its arguments and the globals of a page only. Elements of frames are of other classes: nothing here asks
 * for `instanceof`.
 */

type Plain = typeof plain;

/**
 * What is known of the tree as it is shown: shadow roots, slots, and where a point hits.
 * @param plain what is read of an element that may be a form is read from its view
 */
export function domTree(plain: Plain) {
  /** Closed shadow roots that the browser told of, by their host. */
  const closed = new WeakMap<Element, ShadowRoot>();
  /** What a script listens on in there: the page's own world cannot be asked about it. */
  const heard = new WeakSet<Element>();

  const isInClosed = (element: Element): boolean => {
    const root = plain(element).getRootNode();
    if (root.nodeType !== 11) return false;
    const { mode, host } = root as ShadowRoot;
    return mode === 'closed' || isInClosed(host);
  };

  /** Whether a script listens on an element; `ask` asks the page's own world. */
  const listens = (element: Element, ask: (element: Element) => boolean): boolean =>
    isInClosed(element) ? heard.has(element) : ask(element);

  let knowsClosed = false;
  const learn = (root: ShadowRoot): void => {
    closed.set(root.host, root);
    knowsClosed = true;
  };

  const rootOf = (element: Element): ShadowRoot | null =>
    plain(element).shadowRoot ?? (knowsClosed ? (closed.get(element) ?? null) : null);

  /** Calls back for each node that is shown in an element: of its shadow root, of what is slotted, else its own. */
  const each = (element: Element, call: (node: Node) => void): void => {
    const root = rootOf(element);
    if (!root && element.localName === 'slot') {
      const assigned = (element as HTMLSlotElement).assignedNodes();
      if (assigned.length > 0) return assigned.forEach(call);
    }
    for (let node = (root ?? plain(element)).firstChild; node; node = plain(node).nextSibling) call(node);
  };

  /** The same for elements only. */
  const eachElement = (element: Element, call: (inner: Element) => void): void => {
    const root = rootOf(element);
    if (!root && element.localName === 'slot') {
      const assigned = (element as HTMLSlotElement).assignedElements();
      if (assigned.length > 0) return assigned.forEach(call);
    }
    for (let inner = (root ?? plain(element)).firstElementChild; inner; inner = plain(inner).nextElementSibling)
      call(inner);
  };

  /** The element that a node is shown in; null at the top of a document. */
  const parentOf = (node: Node): Element | null => {
    const { assignedSlot, parentNode } = plain(node) as Partial<Element>;
    if (assignedSlot) return assignedSlot;
    if (!parentNode) return null;
    const { nodeType } = plain(parentNode);
    if (nodeType === 1) return parentNode as Element;
    return nodeType === 11 ? ((parentNode as ShadowRoot).host ?? null) : null;
  };

  /** What a click at a point of a document hits, down into shadow roots. */
  const hitAt = (of: Document, x: number, y: number): Element | null => {
    let hit = of.elementFromPoint(x, y);
    for (let root = hit && rootOf(hit); hit && root; root = rootOf(hit)) {
      const inner = root.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };

  /** Whether what was hit is the element, or in it, or the label of it. */
  const takes = (element: Element, hit: Element | null): boolean => {
    for (let node = hit; node; node = parentOf(node)) {
      if (node === element) return true;
      if (node.localName === 'label' && (node as HTMLLabelElement).control === element) return true;
    }
    return false;
  };

  return { learn, heard, isInClosed, listens, rootOf, each, eachElement, parentOf, hitAt, takes, plain };
}

export type DomTree = ReturnType<typeof domTree>;
