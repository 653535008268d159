/// <reference lib="dom" />
import type { AccessibleNames } from './accessible-names.ts';
import type { AriaRoles } from './aria-roles.ts';
import type { ElementFacts } from './element-facts.ts';
import type { ElementRegistry } from './element-registry.ts';
import { plain } from './native-properties.ts';

/** Status of an element since it was listed. */
export type ElementStatus =
  | { readonly status: 'unchanged' }
  | { readonly status: 'removed' }
  | { readonly status: 'changed'; readonly role: string; readonly name: string };

/** Compares listed elements with their current state. */
export function elementStatus(
  roles: AriaRoles,
  names: AccessibleNames,
  facts: ElementFacts,
  registry: ElementRegistry,
) {
  /** True if two names of an element differ only by the values of the fields inside of it. */
  const differsOnlyByValues = (element: Element, currentName: string, previousName: string): boolean => {
    const fields = [...plain(element).querySelectorAll('input, textarea, select, [contenteditable]')];
    if (fields.length === 0) return false;
    const values = fields.map((field) => names.tidy(facts.valueOf(field, 'textbox') ?? '')).filter(Boolean);
    let remaining = currentName;
    for (const value of values) remaining = remaining.replace(value, ' ');
    const words = previousName.split(' ');
    let wordIndex = 0;
    for (const word of remaining.split(/\s+/).filter(Boolean)) {
      wordIndex = words.indexOf(word, wordIndex) + 1;
      if (wordIndex === 0) return false;
    }
    return true;
  };

  /** Returns the status of an element that was listed with this role and name. */
  const statusOf = (id: number, role: string, name: string, interactive: boolean): ElementStatus => {
    const element = registry.elementOf(id);
    if (!element) return { status: 'removed' };
    if (!interactive) return { status: 'unchanged' };
    const currentName = names.nameOf(element, role).slice(0, names.MAX_NAME_CHARS);
    const widgetRole = roles.widget(element);
    const hasSameName = currentName === name || differsOnlyByValues(element, currentName, name);
    if (hasSameName && (widgetRole === null || widgetRole === role)) return { status: 'unchanged' };
    return { status: 'changed', role: widgetRole ?? roles.roleOf(element), name: currentName };
  };

  return { statusOf };
}
