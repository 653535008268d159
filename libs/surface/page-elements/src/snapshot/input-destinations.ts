/// <reference lib="dom" />
import type { FormDestinations } from '@pilothouse/contract/observation/observation.schema';
import type { AccessibleNames } from './accessible-names.ts';
import type { DomTree } from './dom-tree.ts';
import { plain } from './native-properties.ts';

/** Determines where input leads: links, forms and their buttons. */
export function inputDestinations(tree: DomTree, names: AccessibleNames) {
  /** Maximum length of an address and of a script. */
  const MAX_URL_CHARS = 500;
  const MAX_SCRIPT_CHARS = 5000;
  /** Maximum number of destinations of one form. */
  const MAX_DESTINATIONS = 5;

  const attribute = (element: Element, name: string): string | null => plain(element).getAttribute(name);
  const rootOf = (element: Element) => plain(element).getRootNode() as Document | ShadowRoot;
  const documentOf = (element: Element): Document => {
    const root = rootOf(element);
    return root.ownerDocument ?? (root as Document);
  };

  const toAbsoluteUrl = (address: string, element: Element): string | undefined =>
    URL.parse(address, documentOf(element).baseURI)?.href;

  const isOtherHost = (address: string, element: Element): boolean => {
    const base = URL.parse(documentOf(element).baseURI);
    return URL.parse(address)?.host !== base?.host;
  };

  /** Words of a script that opens a URL. */
  const openingWords = /\b(?:location|open|href|assign|replace|navigate|submit|action)\b/;

  /** Returns the first URL of another host in a script that opens a URL. */
  const urlInScript = (script: string, element: Element): string | undefined => {
    const text = decodeText(script.slice(0, MAX_SCRIPT_CHARS));
    if (!openingWords.test(text)) return undefined;
    const destination = text.replaceAll('\\/', '/').match(/https?:\/\/[^\s'"`<>)]+|(?<=['"`])\/\/[^\s'"`<>)]+/gi) ?? [];
    return destination
      .map((match) => toAbsoluteUrl(match, element))
      .find((address) => address !== undefined && isOtherHost(address, element));
  };
  const decodeText = (text: string): string => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };

  const isSubmitButton = (element: Element): boolean =>
    (element.localName === 'button' || element.localName === 'input') &&
    ['submit', 'image'].includes((element as HTMLButtonElement).type);

  const formOf = (element: Element): HTMLFormElement | null => {
    if (!['input', 'button', 'select', 'textarea', 'output', 'fieldset', 'object'].includes(element.localName))
      return null;
    return (element as HTMLButtonElement).form;
  };

  /** Returns the submit buttons of a form in order. The list of the form itself omits image buttons. */
  const submitButtonsOf = (form: HTMLFormElement): HTMLButtonElement[] =>
    [...rootOf(form).querySelectorAll('button, input')].filter(
      (button): button is HTMLButtonElement => isSubmitButton(button) && formOf(button) === form,
    );

  /** Returns the URL a form is submitted to; undefined if it only closes its dialog. */
  const formActionUrl = (form: HTMLFormElement, submitButton: Element | null): string | undefined => {
    const method = (submitButton && attribute(submitButton, 'formmethod')) ?? attribute(form, 'method') ?? '';
    if (method.trim().toLowerCase() === 'dialog') return undefined;
    const action = (submitButton && attribute(submitButton, 'formaction')) ?? attribute(form, 'action') ?? '';
    // An empty action is the URL of the document, not of its base.
    return action.trim() === '' ? documentOf(form).URL : toAbsoluteUrl(action.trim(), form);
  };

  const hrefOf = (element: Element): string | null =>
    attribute(element, 'href') ?? plain(element).getAttributeNS('http://www.w3.org/1999/xlink', 'href');

  const isLink = (element: Element): boolean =>
    (element.localName === 'a' || element.localName === 'area') && hrefOf(element) !== null;

  /** Returns the target of an image map: its first area on another host, otherwise its first area. */
  const imageMapUrl = (element: Element): string | undefined => {
    const name = attribute(element, 'usemap')?.replace(/^#/, '');
    if (!name) return undefined;
    const map = [...rootOf(element).querySelectorAll('map')].find((candidate) => attribute(candidate, 'name') === name);
    const areas = [...(map?.querySelectorAll('area') ?? [])].flatMap((area) => linkTarget(area) ?? []);
    return areas.find((address) => isOtherHost(address, element)) ?? areas[0];
  };

  const linkTarget = (link: Element): string | undefined => {
    const href = (hrefOf(link) ?? '').trim();
    const address = toAbsoluteUrl(href, link);
    return address?.startsWith('javascript:') ? urlInScript(href, link) : address;
  };

  /** Returns the URL that inline event handlers lead to. */
  const inlineHandlerUrl = (element: Element, kinds: readonly string[]): string | undefined => {
    const native = plain(element);
    if (!native.hasAttributes()) return undefined;
    for (const kind of kinds) {
      const script = native.getAttribute(kind);
      if (!script) continue;
      const form = /\bsubmit\b/.test(script) ? (formOf(element) ?? plain(element).closest('form')) : null;
      const address = urlInScript(script, element) ?? (form ? formActionUrl(form, null) : undefined);
      if (address) return address;
    }
    return undefined;
  };

  const CLICK_HANDLERS = ['onclick', 'onmousedown', 'onmouseup', 'onpointerdown', 'onpointerup', 'onauxclick'];
  const CHANGE_HANDLERS = ['onchange', 'oninput'];

  /** Number of ancestors whose inline handlers are read. */
  const MAX_ANCESTORS = 4;

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
