/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { plain } from './native-properties.ts';

/** Gives access to the composed tree: shadow roots, slots, hit testing. */
export function domTree() {
  /** Closed shadow roots reported by the browser, by host. */
  const closedRoots = new WeakMap<Element, ShadowRoot>();
  /** Elements in closed shadow roots with a listener. The main world does not know them. */
  const listening = new WeakSet<Element>();

  const isInClosed = (element: Element): boolean => {
    const root = plain(element).getRootNode();
    if (root.nodeType !== 11) return false;
    const { mode, host } = root as ShadowRoot;
    return mode === 'closed' || isInClosed(host);
  };

  let knowsClosed = false;
  const registerClosedRoot = (root: ShadowRoot): void => {
    closedRoots.set(root.host, root);
    knowsClosed = true;
  };

  /** True if a script listens on an element. @param probe queries the main world of the page */
  const hasListener = (element: Element, probe: (element: Element) => boolean): boolean =>
    knowsClosed && isInClosed(element) ? listening.has(element) : probe(element);

  const rootOf = (element: Element): ShadowRoot | null =>
    plain(element).shadowRoot ?? (knowsClosed ? (closedRoots.get(element) ?? null) : null);

  /** Calls back for each node rendered in an element: from its shadow root, its slot assignment, or its children. */
  const forEachNode = (element: Element, callback: (node: Node) => void): void => {
    const root = rootOf(element);
    if (!root && element.localName === 'slot') {
      const assigned = (element as HTMLSlotElement).assignedNodes();
      if (assigned.length > 0) return assigned.forEach(callback);
    }
    for (let node = (root ?? plain(element)).firstChild; node; node = plain(node).nextSibling) callback(node);
  };

  /** Calls back for each element that is rendered in an element. */
  const forEachElement = (element: Element, callback: (inner: Element) => void): void => {
    const root = rootOf(element);
    if (!root && element.localName === 'slot') {
      const assigned = (element as HTMLSlotElement).assignedElements();
      if (assigned.length > 0) return assigned.forEach(callback);
    }
    for (let inner = (root ?? plain(element)).firstElementChild; inner; inner = plain(inner).nextElementSibling)
      callback(inner);
  };

  /** Returns the element in which a node is rendered; null at the top of a document. */
  const parentOf = (node: Node): Element | null => {
    const { assignedSlot, parentNode } = plain(node) as Partial<Element>;
    if (assignedSlot) return assignedSlot;
    if (!parentNode) return null;
    const { nodeType } = plain(parentNode);
    if (nodeType === 1) return parentNode as Element;
    return nodeType === 11 ? ((parentNode as ShadowRoot).host ?? null) : null;
  };

  /** Returns the element hit by a click at a point of a document, through shadow roots. */
  const hitAt = (root: Document, x: number, y: number): Element | null => {
    let hit = root.elementFromPoint(x, y);
    for (let shadowRoot = hit && rootOf(hit); hit && shadowRoot; shadowRoot = rootOf(hit)) {
      const inner = shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };

  /** True if the hit element is the element, inside of it, or its label. */
  const receivesHit = (element: Element, hit: Element | null): boolean => {
    for (let node = hit; node; node = parentOf(node)) {
      if (node === element) return true;
      if (node.localName === 'label' && (node as HTMLLabelElement).control === element) return true;
    }
    return false;
  };

  return {
    registerClosedRoot,
    listening,
    isInClosed,
    hasListener,
    rootOf,
    forEachNode,
    forEachElement,
    parentOf,
    hitAt,
    receivesHit,
  };
}

export type DomTree = ReturnType<typeof domTree>;
