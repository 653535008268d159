/// <reference lib="dom" />

/** An element in short: `<button id="go">Sign in</button>`. Runs in the page: it may use nothing but its argument. */
export function describe(element: Element): string {
  const clip = (text: string, max: number) => (text.length > max ? `${text.slice(0, max - 1)}…` : text);
  const shown = ['id', 'class', 'name', 'type', 'role', 'aria-label', 'data-testid', 'placeholder', 'href'];
  const attributes = shown
    .map((name) => [name, element.getAttribute(name)] as const)
    .filter(([, value]) => value)
    .slice(0, 4)
    .map(([name, value]) => ` ${name}="${clip(value ?? '', 40)}"`)
    .join('');
  const tag = element.tagName.toLowerCase();
  const text = clip((element.textContent ?? '').replace(/\s+/g, ' ').trim(), 40);
  return `<${tag}${attributes}>${text}${text ? `</${tag}>` : ''}`;
}
