/// <reference lib="dom" />
import type { FormDestinations } from '@pilothouse/contract';
import type { AccessibleNames } from './accessible-names.script.ts';
import type { DomTree } from './dom-tree.script.ts';

/** Where the input of a page goes: links, forms and their buttons. */
export function leads(tree: DomTree, names: AccessibleNames) {
  /** Characters of an address and of a script that are read. */
  const ADDRESS = 500;
  const SCRIPT = 5000;
  /** Destinations of one form. */
  const DESTINATIONS = 5;

  const attribute = (element: Element, name: string): string | null => tree.plain(element).getAttribute(name);
  const rootOf = (element: Element) => tree.plain(element).getRootNode() as Document | ShadowRoot;
  const documentOf = (element: Element): Document => {
    const root = rootOf(element);
    return root.ownerDocument ?? (root as Document);
  };

  const resolved = (address: string, element: Element): string | undefined =>
    URL.parse(address, documentOf(element).baseURI)?.href;

  const isElsewhere = (address: string, element: Element): boolean => {
    const here = URL.parse(documentOf(element).baseURI);
    return URL.parse(address)?.host !== here?.host;
  };

  /** Words of a script that opens something. */
  const opening = /\b(?:location|open|href|assign|replace|navigate|submit|action)\b/;

  /** The first address of another host that a script names which opens something. */
  const addressIn = (script: string, element: Element): string | undefined => {
    const text = decoded(script.slice(0, SCRIPT));
    if (!opening.test(text)) return undefined;
    const found = text.replaceAll('\\/', '/').match(/https?:\/\/[^\s'"`<>)]+|(?<=['"`])\/\/[^\s'"`<>)]+/gi) ?? [];
    return found.map((one) => resolved(one, element)).find((one) => one !== undefined && isElsewhere(one, element));
  };
  const decoded = (text: string): string => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };

  const isSender = (element: Element): boolean =>
    (element.localName === 'button' || element.localName === 'input') &&
    ['submit', 'image'].includes((element as HTMLButtonElement).type);

  const formOf = (element: Element): HTMLFormElement | null => {
    if (!['input', 'button', 'select', 'textarea', 'output', 'fieldset', 'object'].includes(element.localName))
      return null;
    return (element as HTMLButtonElement).form;
  };

  /** The buttons that send a form, in their order. The form's own list leaves out images. */
  const sendersOf = (form: HTMLFormElement): HTMLButtonElement[] =>
    [...rootOf(form).querySelectorAll('button, input')].filter(
      (one): one is HTMLButtonElement => isSender(one) && formOf(one) === form,
    );

  /** Where a form goes by a button, or by itself; undefined for one that only closes its dialog. */
  const sentTo = (form: HTMLFormElement, sender: Element | null): string | undefined => {
    const method = (sender && attribute(sender, 'formmethod')) ?? attribute(form, 'method') ?? '';
    if (method.trim().toLowerCase() === 'dialog') return undefined;
    const action = (sender && attribute(sender, 'formaction')) ?? attribute(form, 'action') ?? '';
    /* An empty address is the address of the document, not of its base. */
    return action.trim() === '' ? documentOf(form).URL : resolved(action.trim(), form);
  };

  const hrefOf = (element: Element): string | null =>
    attribute(element, 'href') ?? tree.plain(element).getAttributeNS('http://www.w3.org/1999/xlink', 'href');

  const isLink = (element: Element): boolean =>
    (element.localName === 'a' || element.localName === 'area') && hrefOf(element) !== null;

  /** Where an image with a map leads: to the first of its areas that leaves the host. */
  const ofMap = (element: Element): string | undefined => {
    const name = attribute(element, 'usemap')?.replace(/^#/, '');
    if (!name) return undefined;
    const map = [...rootOf(element).querySelectorAll('map')].find((one) => attribute(one, 'name') === name);
    const areas = [...(map?.querySelectorAll('area') ?? [])].flatMap((area) => addressOf(area) ?? []);
    return areas.find((one) => isElsewhere(one, element)) ?? areas[0];
  };

  const addressOf = (link: Element): string | undefined => {
    const href = (hrefOf(link) ?? '').trim();
    const address = resolved(href, link);
    return address?.startsWith('javascript:') ? addressIn(href, link) : address;
  };

  /** What attributes with scripts say on the way of an event: of a click, or of a change. */
  const ofScripts = (element: Element, kinds: readonly string[]): string | undefined => {
    for (const kind of kinds) {
      const script = attribute(element, kind);
      if (!script) continue;
      const form = /\bsubmit\b/.test(script) ? (formOf(element) ?? tree.plain(element).closest('form')) : null;
      const address = addressIn(script, element) ?? (form ? sentTo(form, null) : undefined);
      if (address) return address;
    }
    return undefined;
  };

  const CLICKED = ['onclick', 'onmousedown', 'onmouseup', 'onpointerdown', 'onpointerup', 'onauxclick'];
  const CHANGED = ['onchange', 'oninput'];

  /** Elements around one whose attributes with scripts are read. */
  const AROUND = 4;

  /** Where the input of an element leads, by itself or by what it stands in: a link, a button of a form, a label, a script. */
  const leadsOf = (element: Element): string | undefined => {
    const own = ofScripts(element, CHANGED);
    if (own) return own.slice(0, ADDRESS);
    let depth = 0;
    for (let node: Element | null = element; node; node = tree.parentOf(node)) {
      depth += 1;
      const found = activated(node) ?? (depth <= AROUND ? ofScripts(node, CLICKED) : undefined);
      if (found) return found.slice(0, ADDRESS);
      if (isLink(node) || isSender(node)) return undefined;
    }
    return undefined;
  };

  const activated = (node: Element): string | undefined => {
    if (isLink(node)) return addressOf(node);
    if (node.localName === 'img' || node.localName === 'object') return ofMap(node);
    if (node.localName === 'label') {
      const { control } = node as HTMLLabelElement;
      return control && isSender(control) ? leadsOf(control) : undefined;
    }
    if (!isSender(node)) return undefined;
    const form = formOf(node);
    return form ? sentTo(form, node) : undefined;
  };

  /** Where the form of a field or button may be sent to, first by Enter; undefined for what is of no form. */
  const sendsOf = (element: Element): FormDestinations | undefined => {
    const form = formOf(element);
    if (!form) return undefined;
    const senders = sendersOf(form);
    const all = [sentTo(form, senders[0] ?? null), ...senders.map((one) => sentTo(form, one)), sentTo(form, null)];
    const to = [...new Set(all)].flatMap((one) => one?.slice(0, ADDRESS) ?? []).slice(0, DESTINATIONS);
    if (to.length === 0) return undefined;
    const fields = [...rootOf(form).querySelectorAll('input')].filter((one) => formOf(one) === form);
    const secret = fields.some((one) => one.type === 'password' && one.value !== '');
    return { urls: to, ...(secret && { secret }) };
  };

  /**
   * The button that Enter in a field presses, by its name: the first one that sends its form. Of a form without one the names of its other
   * buttons, which a script may mean. Undefined for what is no field of a form.
   */
  const enterOf = (element: Element): string | undefined => {
    if (element.localName !== 'input' || isSender(element)) return undefined;
    const form = formOf(element);
    if (!form) return undefined;
    const [sender] = sendersOf(form);
    if (sender) return names.nameOf(sender, 'button').slice(0, 200);
    const others = [...rootOf(form).querySelectorAll('button, input[type=button], [role=button]')].filter(
      (one) => (formOf(one) ?? one.closest('form')) === form,
    );
    return others
      .slice(0, 10)
      .map((one) => names.nameOf(one, 'button'))
      .join(', ')
      .slice(0, 200);
  };

  return { leadsOf, sendsOf, enterOf };
}

export type Leads = ReturnType<typeof leads>;
