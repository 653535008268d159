/// <reference lib="dom" />

/** Returns an element and the elements around it, below the document. Runs in the page. */
export function elementPath(element: Element): Element[] {
  const parentOf = (node: Node) =>
    Object.getOwnPropertyDescriptor(Node.prototype, 'parentNode')?.get?.call(node) as Node | null;
  const path: Element[] = [];
  for (let node: Node | null = element; node; node = node instanceof ShadowRoot ? node.host : parentOf(node))
    if (node instanceof Element && node !== document.documentElement) path.push(node);
  return path;
}

/**
 * True if the element or an ancestor stores a pointer or mouse handler for a framework that listens at its root. Runs
 * in the page.
 */
export function hasPressHandler(element: Element): boolean {
  // The fields of a form are properties of the form.
  const parentOf = (node: Node) =>
    Object.getOwnPropertyDescriptor(Node.prototype, 'parentNode')?.get?.call(node) as Node | null;
  const isPart = (name: string) => /^(?:__|\$\$)?(?:on)?(?:mouse|pointer)(?:down|up)(?:capture)?$/i.test(name);
  for (let node: Node | null = element; node; node = node instanceof ShadowRoot ? node.host : parentOf(node)) {
    const properties = node as unknown as Record<string, unknown>;
    for (const name of Object.keys(node)) {
      if (isPart(name) && properties[name]) return true;
      const isProps = name.startsWith('__reactProps$') || name.startsWith('__reactEventHandlers$');
      if (isProps && Object.keys(properties[name] ?? {}).some((property) => isPart(property))) return true;
    }
  }
  return false;
}
