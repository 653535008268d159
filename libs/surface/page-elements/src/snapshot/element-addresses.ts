/// <reference lib="dom" />
import { plain } from './native-properties.ts';

/** Maximum length of a script that is read. */
const MAX_SCRIPT_CHARS = 5000;

const attribute = (element: Element, name: string): string | null => plain(element).getAttribute(name);
export const rootOf = (element: Element) => plain(element).getRootNode() as Document | ShadowRoot;
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
const OPENING_WORDS = /\b(?:location|open|href|assign|replace|navigate|submit|action)\b/;

/** Returns the first URL of another host in a script that opens a URL. */
const urlInScript = (script: string, element: Element): string | undefined => {
  const text = decodeText(script.slice(0, MAX_SCRIPT_CHARS));
  if (!OPENING_WORDS.test(text)) return undefined;
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

export const isSubmitButton = (element: Element): boolean =>
  (element.localName === 'button' || element.localName === 'input') &&
  ['submit', 'image'].includes((element as HTMLButtonElement).type);

export const formOf = (element: Element): HTMLFormElement | null => {
  if (!['input', 'button', 'select', 'textarea', 'output', 'fieldset', 'object'].includes(element.localName))
    return null;
  return (element as HTMLButtonElement).form;
};

/** Returns the submit buttons of a form in order. The list of the form itself omits image buttons. */
export const submitButtonsOf = (form: HTMLFormElement): HTMLButtonElement[] =>
  [...rootOf(form).querySelectorAll('button, input')].filter(
    (button): button is HTMLButtonElement => isSubmitButton(button) && formOf(button) === form,
  );

/** Returns the URL a form is submitted to; undefined if it only closes its dialog. */
export const formActionUrl = (form: HTMLFormElement, submitButton: Element | null): string | undefined => {
  const method = (submitButton && attribute(submitButton, 'formmethod')) ?? attribute(form, 'method') ?? '';
  if (method.trim().toLowerCase() === 'dialog') return undefined;
  const action = (submitButton && attribute(submitButton, 'formaction')) ?? attribute(form, 'action') ?? '';
  // An empty action is the URL of the document, not of its base.
  return action.trim() === '' ? documentOf(form).URL : toAbsoluteUrl(action.trim(), form);
};

const hrefOf = (element: Element): string | null =>
  attribute(element, 'href') ?? plain(element).getAttributeNS('http://www.w3.org/1999/xlink', 'href');

export const isLink = (element: Element): boolean =>
  (element.localName === 'a' || element.localName === 'area') && hrefOf(element) !== null;

/** Returns the target of an image map: its first area on another host, otherwise its first area. */
export const imageMapUrl = (element: Element): string | undefined => {
  const name = attribute(element, 'usemap')?.replace(/^#/, '');
  if (!name) return undefined;
  const map = [...rootOf(element).querySelectorAll('map')].find((candidate) => attribute(candidate, 'name') === name);
  const areas = [...(map?.querySelectorAll('area') ?? [])].flatMap((area) => linkTarget(area) ?? []);
  return areas.find((address) => isOtherHost(address, element)) ?? areas[0];
};

export const linkTarget = (link: Element): string | undefined => {
  const href = (hrefOf(link) ?? '').trim();
  const address = toAbsoluteUrl(href, link);
  return address?.startsWith('javascript:') ? urlInScript(href, link) : address;
};

/** Returns the URL that inline event handlers lead to. */
export const inlineHandlerUrl = (element: Element, kinds: readonly string[]): string | undefined => {
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

export const CLICK_HANDLERS = ['onclick', 'onmousedown', 'onmouseup', 'onpointerdown', 'onpointerup', 'onauxclick'];
export const CHANGE_HANDLERS = ['onchange', 'oninput'];
