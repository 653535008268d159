/// <reference lib="dom" />
import type { ElementTag, ElementState } from '@pilothouse/contract/observation/observation.schema';
import type { AccessibleNames } from './accessible-names.ts';
import type { DomTree } from './dom-tree.ts';
import { plain } from './native-properties.ts';

// Names in the languages that pages use most.
const CLOSE_NAMES =
  /^(?:[×✕✖✗⨯x]|close|dismiss|schlie(?:ß|ss)en|fermer|cerrar|chiudi|sluiten)\b|^[×✕✖✗⨯]|\b(?:close|dismiss)(?:[ _-]?(?:button|btn|icon|dialog|modal|popup|banner))?$/i;
/** A cross may also remove an item from a list. */
const CROSS_NAMES = /^[×✕✖✗⨯x]$/i;
const CONSENT_NAMES =
  /^(?:accept|agree|allow|got it|ok(?:ay)?|i understand|no,? thanks|not now|maybe later|later|skip|reject|decline|continue without|alle akzeptieren|akzeptieren|ablehnen|tout accepter|aceptar)\b/i;
const SEARCH_NAMES = /\b(?:search|suche?|buscar|rechercher?|cerca|zoek(?:en)?|find)\b/i;
const OVERLAY_NAMES = /cookie|consent|gdpr|popup|modal|overlay|toast|banner/i;
/** A longer name is a sentence. */
const MAX_CLOSER_CHARS = 40;

/** Tells by its name whether an element closes something: always, or only in an overlay. */
export const closerKind = (name: string): 'always' | 'in overlay' | 'never' => {
  if (CLOSE_NAMES.test(name)) return CROSS_NAMES.test(name) ? 'in overlay' : 'always';
  return CONSENT_NAMES.test(name) ? 'in overlay' : 'never';
};

/** True if a name says that a field searches. */
export const isSearchName = (name: string): boolean => SEARCH_NAMES.test(name);

/** Determines state, value and tags of an element. */
export function elementFacts(tree: DomTree, names: AccessibleNames) {
  const flag = (element: Element, name: string): boolean | undefined => {
    const value = plain(element).getAttribute(name);
    return value === 'true' ? true : value === 'false' ? false : undefined;
  };
  const triState = (element: Element, name: string): boolean | 'mixed' | undefined =>
    plain(element).getAttribute(name) === 'mixed' ? 'mixed' : flag(element, name);

  const fields = new Set(['input', 'select', 'textarea', 'button']);

  const isDisabled = (element: Element): boolean =>
    (fields.has(element.localName) && element.matches(':disabled')) ||
    plain(element).closest('[aria-disabled="true"]') !== null;

  /** Returns only the states that are defined. */
  const stateOf = (element: Element, role: string, isFocused: boolean): ElementState => {
    const checked = checkedOf(element);
    const expanded = flag(element, 'aria-expanded') ?? isDetailsOpen(element);
    const selected = selectedOf(element, role);
    const pressed = triState(element, 'aria-pressed');
    return {
      ...(checked !== undefined && { checked }),
      ...(isDisabled(element) && { disabled: true }),
      ...(expanded !== undefined && { expanded }),
      ...(selected !== undefined && { selected }),
      ...(pressed !== undefined && { pressed }),
      ...(isReadOnly(element) && { readonly: true }),
      ...(isFocused && { focused: true }),
    };
  };

  const isBox = (element: Element): boolean =>
    element.localName === 'input' && ['checkbox', 'radio'].includes((element as HTMLInputElement).type);

  const checkedOf = (element: Element): boolean | 'mixed' | undefined => {
    if (!isBox(element)) return triState(element, 'aria-checked');
    const { indeterminate, checked } = element as HTMLInputElement;
    return indeterminate ? 'mixed' : checked;
  };

  const isDetailsOpen = (element: Element): boolean | undefined =>
    element.localName === 'summary' ? (element.parentElement as HTMLDetailsElement | null)?.open : undefined;

  /** Only tabs and options report that they are not selected. */
  const selectedOf = (element: Element, role: string): boolean | undefined => {
    const current = plain(element).getAttribute('aria-current');
    const selected = flag(element, 'aria-selected') ?? (current && current !== 'false' ? true : undefined);
    return selected || role === 'tab' || role === 'option' ? selected : undefined;
  };

  const isReadOnly = (element: Element): boolean => {
    const isText = (element.localName === 'input' || element.localName === 'textarea') && !isBox(element);
    return (isText && (element as HTMLInputElement).readOnly) || flag(element, 'aria-readonly') === true;
  };

  /** Returns the value of a field as a person reads it; undefined for other elements. */
  const valueOf = (element: Element, role: string): string | undefined => {
    const tag = element.localName;
    if (tag === 'input') return inputValueOf(element as HTMLInputElement);
    if (tag === 'textarea') return (element as HTMLTextAreaElement).value;
    if (tag === 'select')
      return [...(element as HTMLSelectElement).selectedOptions].map(({ label }) => names.tidy(label)).join(', ');
    if (tag === 'progress' || tag === 'meter') return String((element as HTMLMeterElement).value);
    const ariaValue = plain(element).getAttribute('aria-valuetext') ?? plain(element).getAttribute('aria-valuenow');
    if (ariaValue !== null) return ariaValue;
    return role === 'textbox' || role === 'searchbox' ? names.tidy(names.content(element)) : undefined;
  };

  const inputValueOf = ({ type, value, files }: HTMLInputElement): string | undefined => {
    if (['checkbox', 'radio', 'button', 'submit', 'reset', 'image'].includes(type)) return undefined;
    if (type === 'password') return value ? '••••' : '';
    if (type === 'file') return [...(files ?? [])].map(({ name }) => name).join(', ');
    return value;
  };

  const isOverlayRoot = (native: Element): boolean => {
    const role = native.getAttribute('role');
    if (native.localName === 'dialog' || role === 'dialog' || role === 'alertdialog') return true;
    return OVERLAY_NAMES.test(`${native.id} ${native.getAttribute('class') ?? ''}`);
  };

  /** True if it overlays the page: in a dialog, or in a box with a fixed position. */
  const isOverlay = (element: Element): boolean => {
    for (let node: Element | null = element; node; node = tree.parentOf(node)) {
      if (isOverlayRoot(plain(node))) return true;
      if (node !== element && node.localName !== 'body' && getComputedStyle(node).position === 'fixed') return true;
    }
    return false;
  };

  const tagsOf = (element: Element, role: string, name: string, fallbackName: string): ElementTag[] => {
    const tags: ElementTag[] = [];
    const isField = ['textbox', 'searchbox', 'combobox'].includes(role);
    if (isField && isSearch(element, role, name)) tags.push('search');
    if (role === 'option' || role.startsWith('menuitem')) tags.push('option');
    if (isCloser(element, role, name, fallbackName)) tags.push('closer');
    if (isRequired(element)) tags.push('required');
    if (isInvalid(element)) tags.push('invalid');
    return tags;
  };

  const isCloser = (element: Element, role: string, name: string, fallbackName: string): boolean => {
    const isPress = ['button', 'link', 'clickable', 'focusable'].includes(role);
    if (!isPress || name.length > MAX_CLOSER_CHARS) return false;
    const kind = closerKind(name || fallbackName);
    return kind === 'always' || (kind === 'in overlay' && isOverlay(element));
  };

  const isRequired = (element: Element): boolean =>
    (element as HTMLInputElement).required === true || plain(element).getAttribute('aria-required') === 'true';

  const isInvalid = (element: Element): boolean => {
    const ariaInvalid = plain(element).getAttribute('aria-invalid');
    if (ariaInvalid !== null && ariaInvalid !== 'false' && ariaInvalid !== '') return true;
    return fields.has(element.localName) && element.matches(':user-invalid');
  };

  const isSearch = (element: Element, role: string, name: string): boolean => {
    const native = plain(element);
    if (role === 'searchbox' || native.closest('[role="search"], search')) return true;
    if (native.getAttribute('name') === 'q' || isSearchName(name)) return true;
    const attributes = ['name', 'id', 'placeholder', 'class', 'aria-label'];
    const attributeText = attributes.map((attribute) => native.getAttribute(attribute) ?? '').join(' ');
    return isSearchName(attributeText.replace(/[_-]/g, ' '));
  };

  const isPasswordInput = (element: Element): boolean =>
    element.localName === 'input' && (element as HTMLInputElement).type === 'password';
  const passwordFields = new WeakSet<Element>();

  /** True if it is, or was at an earlier read, a password field. A page may show its text. */
  const isOrWasPasswordField = (element: Element): boolean => {
    if (isPasswordInput(element)) passwordFields.add(element);
    return passwordFields.has(element);
  };

  /** True if it is a password field with content. */
  const isSecret = (element: Element): boolean =>
    isPasswordInput(element) && (element as HTMLInputElement).value !== '';

  return { stateOf, valueOf, tagsOf, isDisabled, isOrWasPasswordField, isSecret };
}

export type ElementFacts = ReturnType<typeof elementFacts>;
