/// <reference lib="dom" />

/**
 * True if input that hits the first node of a path goes to an element. The hit node may be in the element itself, in
 * its label, or in the button or link that contains it. No other interactive element may be in between. Runs in the
 * page and may use only its arguments. Methods come from the prototype, because the fields of a form are properties of
 * the form.
 * @param path the hit node and all its ancestors, through shadow roots
 */
export function receivesInput(element: Element, path: readonly EventTarget[]): boolean {
  if (path.includes(element)) return true;
  const callMethod = <Answer>(target: Element, method: 'matches' | 'closest', selector: string) => {
    const run = Reflect.get(Object.getPrototypeOf(target) as object, method, target) as (selector: string) => Answer;
    return run.call(target, selector);
  };
  const elements = path.filter((node): node is HTMLElement => 'localName' in node);
  if (elements.some((node) => node.localName === 'label' && (node as HTMLLabelElement).control === element))
    return true;
  if (
    callMethod<boolean>(element, 'matches', 'input, textarea, select') ||
    (element as HTMLElement).isContentEditable === true
  )
    return false;
  const control = callMethod<Element | null>(element, 'closest', 'button, [role=button], a, [role=link]');
  if (!control) return false;
  const inputs =
    'a, button, input, select, textarea, label, summary, [contenteditable], [tabindex], [role=button], [role=link], [role=checkbox], [role=switch], [role=menuitem], [role=option], [role=tab]';
  return elements.find((node) => callMethod<boolean>(node, 'matches', inputs)) === control;
}
