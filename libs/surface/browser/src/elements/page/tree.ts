/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/*
 * Code of this folder runs in the page, in a world of its own: it sees the page's elements and none of its scripts' objects. It is sent
 * as text, so a function uses its arguments and the globals of a page only. Elements of frames are of other classes: nothing here asks
 * for `instanceof`.
 */

/** What is known of the tree as it is shown: shadow roots, slots, and where a point hits. */
export function tree() {
  /** Closed shadow roots that the browser told of, by their host. */
  const closed = new WeakMap<Element, ShadowRoot>();
  /** What a script listens on in there: the page's own world cannot be asked about it. */
  const heard = new WeakSet<Element>();

  const isInClosed = (element: Element): boolean => {
    const root = element.getRootNode();
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
    element.shadowRoot ?? (knowsClosed ? (closed.get(element) ?? null) : null);

  /** Calls back for each node that is shown in an element: of its shadow root, of what is slotted, else its own. */
  const each = (element: Element, call: (node: Node) => void): void => {
    const root = rootOf(element);
    if (!root && element.localName === 'slot') {
      const assigned = (element as HTMLSlotElement).assignedNodes();
      if (assigned.length > 0) return assigned.forEach(call);
    }
    for (let node = (root ?? element).firstChild; node; node = node.nextSibling) call(node);
  };

  /** The same for elements only. */
  const eachElement = (element: Element, call: (inner: Element) => void): void => {
    const root = rootOf(element);
    if (!root && element.localName === 'slot') {
      const assigned = (element as HTMLSlotElement).assignedElements();
      if (assigned.length > 0) return assigned.forEach(call);
    }
    for (let inner = (root ?? element).firstElementChild; inner; inner = inner.nextElementSibling) call(inner);
  };

  const isForm = (node: Node): boolean => Object.prototype.toString.call(node) === '[object HTMLFormElement]';

  /** Calls a method past the fields of a form, which are properties of it whatever they are called. */
  const pastFields = (node: Node, prototype: object, method: string, ...given: unknown[]): unknown => {
    const of = isForm(node) ? prototype : node;
    return (of as Record<string, (...all: unknown[]) => unknown>)[method]?.apply(node, given);
  };
  const parentNode = Object.getOwnPropertyDescriptor(Node.prototype, 'parentNode')?.get as () => ParentNode | null;

  /** The element that a node is shown in; null at the top of a document. */
  const parentOf = (node: Node): Element | null => {
    const slot = (node as Partial<Element>).assignedSlot;
    if (slot) return slot;
    const parent = isForm(node) ? parentNode.call(node) : node.parentNode;
    if (!parent) return null;
    if (parent.nodeType === 1) return parent as Element;
    return parent.nodeType === 11 ? ((parent as ShadowRoot).host ?? null) : null;
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

  return { learn, heard, isInClosed, listens, rootOf, each, eachElement, parentOf, hitAt, takes, pastFields };
}

export type Tree = ReturnType<typeof tree>;
