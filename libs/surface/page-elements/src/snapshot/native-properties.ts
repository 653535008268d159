/// <reference lib="dom" />

/**
 * Protects against DOM clobbering: the fields of a form are properties of the form, so `form.getAttribute` may be an
 * `<input name="getAttribute">`. Returns a view of a form that reads from its prototype, and any other element
 * unchanged. Compare the element, not its view, and pass only the element to browser methods. Runs in the page and
 * may use only its argument.
 */
export function plain<Kind extends Node>(node: Kind): Kind {
  // A field may also shadow `localName`. Then it is not a string.
  const name: unknown = (node as Partial<Element>).localName;
  if (name !== 'form' && (name === undefined || typeof name === 'string')) return node;
  return new Proxy(node, {
    get: (form, key) => {
      const value: unknown = Reflect.get(Object.getPrototypeOf(form) as object, key, form);
      return typeof value === 'function' ? (value.bind(form) as unknown) : value;
    },
  });
}
