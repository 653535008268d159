/// <reference lib="dom" />

/**
 * Protects against DOM clobbering. The fields of a form are properties of it, with any name: `form.getAttribute` may be an
 * `<input name="getAttribute">`. Returns a view of a form that reads from its prototype, and any other element itself. Compare the
 * element, not its view, and give only the element to methods of the browser. Runs in the page: it may use nothing but its argument.
 */
export function plain<Kind extends Node>(node: Kind): Kind {
  /* A field can stand for the name of the element, too. Then it is no text. */
  const name: unknown = (node as Partial<Element>).localName;
  if (name !== 'form' && (name === undefined || typeof name === 'string')) return node;
  return new Proxy(node, {
    get: (form, key) => {
      const value: unknown = Reflect.get(Object.getPrototypeOf(form) as object, key, form);
      return typeof value === 'function' ? (value.bind(form) as unknown) : value;
    },
  });
}
