/// <reference lib="dom" />

/**
 * Whether a control is disabled, in one of the ways sites write that: by attribute, by ARIA, by its style, or by a class of its own or of the
 * list item that it is all of. Runs in the page: it may use nothing but its argument.
 */
export function isDisabled(element: Element): boolean {
  const named = (one: Element | null) => [...(one?.classList ?? [])].some((name) => /(?:^|[-_])disabled$/i.test(name));
  const parent = element.parentElement;
  return (
    element.matches(':disabled') ||
    element.closest('[aria-disabled="true"], [inert]') !== null ||
    getComputedStyle(element).pointerEvents === 'none' ||
    named(element) ||
    (parent?.localName === 'li' && named(parent))
  );
}
