/// <reference lib="dom" />
import { plain } from './native-properties.ts';

/** Assigns ids to elements. An id stays the same as long as the document. */
export function elementRegistry() {
  const ids = new WeakMap<Element, number>();
  const elements: WeakRef<Element>[] = [];

  const idOf = (element: Element): number => {
    const existing = ids.get(element);
    if (existing !== undefined) return existing;
    ids.set(element, elements.length);
    return elements.push(new WeakRef(element)) - 1;
  };

  /** Returns the element with an id; null if it was removed. */
  const elementOf = (id: number): Element | null => {
    const element = elements[id]?.deref();
    const native = element && plain(element);
    return element && native?.isConnected && native.ownerDocument.defaultView ? element : null;
  };

  return { idOf, elementOf };
}

export type ElementRegistry = ReturnType<typeof elementRegistry>;
