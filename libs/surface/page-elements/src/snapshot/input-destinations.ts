/// <reference lib="dom" />
import type { FormDestinations } from '@pilothouse/contract/observation/observation.schema';
import type { AccessibleNames } from './accessible-names.ts';
import type { DomTree } from './dom-tree.ts';
import {
  CHANGE_HANDLERS,
  CLICK_HANDLERS,
  formActionUrl,
  formOf,
  imageMapUrl,
  inlineHandlerUrl,
  isLink,
  isSubmitButton,
  linkTarget,
  rootOf,
  submitButtonsOf,
} from './element-addresses.ts';

/** Maximum length of an address. */
const MAX_URL_CHARS = 500;
/** Maximum number of destinations of one form. */
const MAX_DESTINATIONS = 5;
/** Number of ancestors whose inline handlers are read. */
const MAX_ANCESTORS = 4;

/**
 * Returns the URLs that the form of a field or button may be submitted to. The first is for Enter. undefined: no
 * form.
 */
const formDestinationsOf = (element: Element): FormDestinations | undefined => {
  const form = formOf(element);
  if (!form) return undefined;
  const submitButtons = submitButtonsOf(form);
  const addresses = [
    formActionUrl(form, submitButtons[0] ?? null),
    ...submitButtons.map((button) => formActionUrl(form, button)),
    formActionUrl(form, null),
  ];
  const urls = [...new Set(addresses)]
    .flatMap((address) => address?.slice(0, MAX_URL_CHARS) ?? [])
    .slice(0, MAX_DESTINATIONS);
  if (urls.length === 0) return undefined;
  const fields = [...rootOf(form).querySelectorAll('input')].filter((field) => formOf(field) === form);
  const secret = fields.some((field) => field.type === 'password' && field.value !== '');
  return { urls, ...(secret && { secret }) };
};

/** Determines where input leads: links, forms and their buttons. */
export function inputDestinations(tree: DomTree, names: AccessibleNames) {
  /**
   * Returns the URL that input on an element leads to. The element or an ancestor may be a link, submit button, label,
   * or have a script.
   */
  const linkUrlOf = (element: Element): string | undefined => {
    const changeUrl = inlineHandlerUrl(element, CHANGE_HANDLERS);
    if (changeUrl) return changeUrl.slice(0, MAX_URL_CHARS);
    let depth = 0;
    for (let node: Element | null = element; node; node = tree.parentOf(node)) {
      depth += 1;
      const destination =
        activationUrl(node) ?? (depth <= MAX_ANCESTORS ? inlineHandlerUrl(node, CLICK_HANDLERS) : undefined);
      if (destination) return destination.slice(0, MAX_URL_CHARS);
      if (isLink(node) || isSubmitButton(node)) return undefined;
    }
    return undefined;
  };

  const activationUrl = (node: Element): string | undefined => {
    if (isLink(node)) return linkTarget(node);
    if (node.localName === 'img' || node.localName === 'object') return imageMapUrl(node);
    if (node.localName === 'label') {
      const { control } = node as HTMLLabelElement;
      return control && isSubmitButton(control) ? linkUrlOf(control) : undefined;
    }
    if (!isSubmitButton(node)) return undefined;
    const form = formOf(node);
    return form ? formActionUrl(form, node) : undefined;
  };

  /**
   * Returns the name of the button that Enter in a field presses: the first submit button. Without one, the names of
   * other buttons that a script may press. Undefined for elements that are not a field of a form.
   */
  const submitButtonOf = (element: Element): string | undefined => {
    if (element.localName !== 'input' || isSubmitButton(element)) return undefined;
    const form = formOf(element);
    if (!form) return undefined;
    const [submitButton] = submitButtonsOf(form);
    if (submitButton) return names.nameOf(submitButton, 'button').slice(0, 200);
    const otherButtons = [...rootOf(form).querySelectorAll('button, input[type=button], [role=button]')].filter(
      (button) => (formOf(button) ?? button.closest('form')) === form,
    );
    return otherButtons
      .slice(0, 10)
      .map((button) => names.nameOf(button, 'button'))
      .join(', ')
      .slice(0, 200);
  };

  return { linkUrlOf, formDestinationsOf, submitButtonOf };
}

export type InputDestinations = ReturnType<typeof inputDestinations>;
