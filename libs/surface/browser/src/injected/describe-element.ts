/// <reference lib="dom" />

/**
 * Describes an element briefly: `<button id="go">Sign in</button>`. Runs in the page and may use only its argument.
 * It reads through the prototype, because the fields of a form are properties of the form.
 */
export function describe(element: Element): string {
  const clip = (text: string, max: number) => (text.length > max ? `${text.slice(0, max - 1)}…` : text);
  const property = (key: string) => Reflect.get(Object.getPrototypeOf(element) as object, key, element) as unknown;
  const getAttribute = property('getAttribute') as Element['getAttribute'];
  const attributeNames = ['id', 'class', 'name', 'type', 'role', 'aria-label', 'data-testid', 'placeholder', 'href'];
  const attributes = attributeNames
    .map((name) => [name, getAttribute.call(element, name)] as const)
    .filter(([, value]) => value)
    .slice(0, 4)
    .map(([name, value]) => ` ${name}="${clip(value ?? '', 40)}"`)
    .join('');
  const tag = String(property('localName')).toLowerCase();
  const text = clip(((property('textContent') as string | null) ?? '').replace(/\s+/g, ' ').trim(), 40);
  return `<${tag}${attributes}>${text}${text ? `</${tag}>` : ''}`;
}
