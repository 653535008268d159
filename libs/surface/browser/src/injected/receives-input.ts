/// <reference lib="dom" />

/**
 * Whether input that hits the first node of a path goes to an element: into it, into its label, or into the button or link that it is a
 * part of, when nothing else that takes input is in between. Runs in the page: it may use nothing but its arguments. Methods come from
 * the prototype, because the fields of a form are properties of it, with any name.
 * @param path what is hit, and all nodes around it, outwards through shadow roots
 */
export function takes(element: Element, path: readonly EventTarget[]): boolean {
  if (path.includes(element)) return true;
  const ask = <Answer>(of: Element, method: 'matches' | 'closest', selector: string) => {
    const run = Reflect.get(Object.getPrototypeOf(of) as object, method, of) as (selector: string) => Answer;
    return run.call(of, selector);
  };
  const around = path.filter((node): node is HTMLElement => 'localName' in node);
  if (around.some((node) => node.localName === 'label' && (node as HTMLLabelElement).control === element)) return true;
  if (
    ask<boolean>(element, 'matches', 'input, textarea, select') ||
    (element as HTMLElement).isContentEditable === true
  )
    return false;
  const control = ask<Element | null>(element, 'closest', 'button, [role=button], a, [role=link]');
  if (!control) return false;
  const inputs =
    'a, button, input, select, textarea, label, summary, [contenteditable], [tabindex], [role=button], [role=link], [role=checkbox], [role=switch], [role=menuitem], [role=option], [role=tab]';
  return around.find((node) => ask<boolean>(node, 'matches', inputs)) === control;
}
