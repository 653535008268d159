import type { Action, ElementView, ApprovalEffect, Locator } from '@pilothouse/contract';
import { irreversibleEffect } from '../guard/guard.ts';

/** What is known of an element that is not found any more. */
export interface TargetDescription {
  /** ARIA roles that it had; none: nobody said. */
  readonly roles: ReadonlySet<string>;
  /** What it was called: accessible names, labels, texts. */
  readonly names: readonly string[];
  /** Texts that it stood beside. */
  readonly beside: readonly string[];
}

/**
 * What locators say of their element. One that says which of several it means, other than by what stands beside it, says nothing here: by
 * its name alone another one would be found.
 */
export function toTargetDescription(locators: readonly Locator[]): TargetDescription {
  const telling = locators.filter(({ nth, within, hasText, has, pattern }) =>
    [nth, within, hasText, has, pattern].every((one) => one === undefined),
  );
  return {
    roles: new Set(locators.flatMap(({ role }) => role ?? [])),
    names: [...new Set(telling.flatMap(locatorNames))],
    beside: telling.flatMap(({ near }) => (near ? locatorNames(near) : [])),
  };
}

/** What a locator calls its element. */
export const locatorNames = ({ name, label, placeholder, text }: Locator): string[] =>
  [name, label, placeholder, text].filter((one) => one !== undefined);

/** What an action on an element of this name does that cannot be taken back; null: nothing of it. */
export function effectOfNamedAction(
  action: Action,
  { role, name }: Pick<ElementView, 'role' | 'name'>,
): ApprovalEffect | null {
  const element: ElementView = {
    index: 0,
    interactive: true,
    role,
    name,
    state: {},
    marks: [],
    bounds: { x: 0, y: 0, width: 1, height: 1 },
  };
  return irreversibleEffect({ ...action, target: { element: 0 } } as Action, {
    url: '',
    title: '',
    document: 1,
    loading: false,
    viewport: { width: 1, height: 1 },
    scroll: { above: 0, below: 0 },
    focused: null,
    elements: [element],
    unseen: [],
  });
}

/** Whether the author of the step named a control of this kind: what it does was meant to be done. */
export const isIntendedEffect = (kind: ApprovalEffect, action: Action, { names }: TargetDescription): boolean =>
  names.some((name) => effectOfNamedAction(action, { role: 'button', name }) === kind);

/** A way that goes by where the element stands, and not by what it is. */
export const isPositionalLocator = ({ css, nth }: Locator): boolean =>
  nth !== undefined || (css !== undefined && /[>:]/.test(css));
