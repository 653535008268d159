/// <reference lib="dom" />
import type { ElementTag, ElementState } from '@pilothouse/contract/observation/observation.schema';
import type { AccessibleNames } from './accessible-names.ts';
import type { DomTree } from './dom-tree.ts';
import { plain } from './native-properties.ts';

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

  const stateOf = (element: Element, role: string, isFocused: boolean): ElementState => {
    const tag = element.localName;
    const field = element as HTMLInputElement;
    const state: ElementState = {};
    const isBox = tag === 'input' && (field.type === 'checkbox' || field.type === 'radio');
    const checked = isBox ? (field.indeterminate ? 'mixed' : field.checked) : triState(element, 'aria-checked');
    if (checked !== undefined) state.checked = checked;
    if (isDisabled(element)) state.disabled = true;
    const details = tag === 'summary' ? (element.parentElement as HTMLDetailsElement | null)?.open : undefined;
    const expanded = flag(element, 'aria-expanded') ?? details;
    if (expanded !== undefined) state.expanded = expanded;
    const current = plain(element).getAttribute('aria-current');
    const selected = flag(element, 'aria-selected') ?? (current && current !== 'false' ? true : undefined);
    if (selected !== undefined && (selected || ['tab', 'option'].includes(role))) state.selected = selected;
    const pressed = triState(element, 'aria-pressed');
    if (pressed !== undefined) state.pressed = pressed;
    const isText = tag === 'input' || tag === 'textarea';
    if ((isText && !isBox && field.readOnly) || flag(element, 'aria-readonly') === true) state.readonly = true;
    if (isFocused) state.focused = true;
    return state;
  };

  /** Returns the value of a field as a person reads it; undefined for other elements. */
  const valueOf = (element: Element, role: string): string | undefined => {
    const tag = element.localName;
    if (tag === 'input') {
      const { type, value, files } = element as HTMLInputElement;
      if (['checkbox', 'radio', 'button', 'submit', 'reset', 'image'].includes(type)) return undefined;
      if (type === 'password') return value ? '••••' : '';
      if (type === 'file') return [...(files ?? [])].map(({ name }) => name).join(', ');
      return value;
    }
    if (tag === 'textarea') return (element as HTMLTextAreaElement).value;
    if (tag === 'select')
      return [...(element as HTMLSelectElement).selectedOptions].map((option) => names.tidy(option.label)).join(', ');
    if (tag === 'progress' || tag === 'meter') return String((element as HTMLMeterElement).value);
    const ariaValue = plain(element).getAttribute('aria-valuetext') ?? plain(element).getAttribute('aria-valuenow');
    if (ariaValue !== null) return ariaValue;
    if (role === 'textbox' || role === 'searchbox') return names.tidy(names.content(element));
    return undefined;
  };

  const closeNames =
    /^(?:[×✕✖✗⨯x]|close|dismiss|schlie(?:ß|ss)en|fermer|cerrar|chiudi|sluiten)\b|^[×✕✖✗⨯]|\b(?:close|dismiss)(?:[ _-]?(?:button|btn|icon|dialog|modal|popup|banner))?$/i;
  const crossNames = /^[×✕✖✗⨯x]$/i;
  const consentNames =
    /^(?:accept|agree|allow|got it|ok(?:ay)?|i understand|no,? thanks|not now|maybe later|later|skip|reject|decline|continue without|alle akzeptieren|akzeptieren|ablehnen|tout accepter|aceptar)\b/i;
  const searchNames = /\b(?:search|suche?|buscar|rechercher?|cerca|zoek(?:en)?|find)\b/i;

  /** True if it overlays the page: in a dialog, or in a box with a fixed position. */
  const isOverlay = (element: Element): boolean => {
    for (let node: Element | null = element; node; node = tree.parentOf(node)) {
      const native = plain(node);
      const role = native.getAttribute('role');
      if (native.localName === 'dialog' || role === 'dialog' || role === 'alertdialog') return true;
      if (
        /cookie|consent|gdpr|popup|modal|overlay|toast|banner/i.test(
          `${native.id} ${native.getAttribute('class') ?? ''}`,
        )
      )
        return true;
      if (node !== element && node.localName !== 'body' && getComputedStyle(node).position === 'fixed') return true;
    }
    return false;
  };

  const tagsOf = (element: Element, role: string, name: string, fallbackName: string): ElementTag[] => {
    const tags: ElementTag[] = [];
    const isField = ['textbox', 'searchbox', 'combobox'].includes(role);
    if (isField && isSearch(element, role, name)) tags.push('search');
    if (role === 'option' || role.startsWith('menuitem')) tags.push('option');
    const isPress = ['button', 'link', 'clickable', 'focusable'].includes(role);
    if (isPress && name.length <= 40) {
      const label = name || fallbackName;
      // A cross may also remove an item from a list.
      const isCloseName = closeNames.test(label) && !crossNames.test(label);
      if (isCloseName || ((closeNames.test(label) || consentNames.test(label)) && isOverlay(element)))
        tags.push('closer');
    }
    const field = element as HTMLInputElement;
    if (field.required === true || plain(element).getAttribute('aria-required') === 'true') tags.push('required');
    const ariaInvalid = plain(element).getAttribute('aria-invalid');
    if (
      (ariaInvalid !== null && ariaInvalid !== 'false' && ariaInvalid !== '') ||
      (fields.has(element.localName) && element.matches(':user-invalid'))
    )
      tags.push('invalid');
    return tags;
  };

  const isSearch = (element: Element, role: string, name: string): boolean => {
    const native = plain(element);
    if (role === 'searchbox' || native.closest('[role="search"], search')) return true;
    const attributeText = ['name', 'id', 'placeholder', 'class', 'aria-label']
      .map((attribute) => native.getAttribute(attribute) ?? '')
      .join(' ');
    return (
      native.getAttribute('name') === 'q' ||
      searchNames.test(name) ||
      searchNames.test(attributeText.replace(/[_-]/g, ' '))
    );
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
