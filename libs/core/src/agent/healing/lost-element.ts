import {
  type Action,
  type ApprovalEffect,
  type ElementView,
  type Locator,
  type Observation,
  type Target,
  isEphemeralLocator,
  locatorSchema,
} from '@pilothouse/contract';
import { irreversibleEffect } from '../approval/approval-policy.ts';
import { findTemplates } from '../../workflow/templates.ts';
import type { ViewportPoint } from '../page-queries.ts';
import { containsMask, Templatizer, type KnownValue } from '../compile/templatizer.ts';

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
    tags: [],
    bounds: { x: 0, y: 0, width: 1, height: 1 },
  };
  return irreversibleEffect({ ...action, target: { elementIndex: 0 } } as Action, {
    url: '',
    title: '',
    document: 1,
    loading: false,
    viewport: { width: 1, height: 1 },
    scroll: { above: 0, below: 0 },
    focused: null,
    elements: [element],
    opaqueRegions: [],
  });
}

/** Whether the author of the step named a control of this kind: what it does was meant to be done. */
export const isIntendedEffect = (kind: ApprovalEffect, action: Action, { names }: TargetDescription): boolean =>
  names.some((name) => effectOfNamedAction(action, { role: 'button', name }) === kind);

/** A way that goes by where the element stands, and not by what it is. */
export const isPositionalLocator = ({ css, nth }: Locator): boolean =>
  nth !== undefined || (css !== undefined && /[>:]/.test(css));

/**
 * Locators as a workflow would have them: nothing that only points, a place only where there is nothing else, no secret, and texts that would
 * be templates escaped. Where the step
 * names its element by what the run was given, only ways that do so as well are kept: another would find what this run led to.
 * @param target of the step, as the workflow has it
 * @param known what the templates of the target stand for in this run
 */
export function stableLocators(locators: readonly Locator[], target: Target, known: readonly KnownValue[]): Locator[] {
  const isTemplated = findTemplates(target).length > 0;
  const lift = new Templatizer(isTemplated ? known : [], []);
  const found = locators
    .filter((locator) => !isEphemeralLocator(locator) && !containsMask(JSON.stringify(locator)))
    .filter((locator) => !isTemplated || lift.changes(JSON.stringify(locator)))
    .flatMap((locator) => {
      const parsed = locatorSchema.safeParse(lift.json<unknown>(locator));
      return parsed.success ? [parsed.data] : [];
    });
  const sturdy = found.filter((locator) => !isPositionalLocator(locator));
  return (sturdy.length > 0 ? sturdy : found).slice(0, 10);
}

/** Whether a place lies in something drawn, or in a document that nobody looks into: what is there has no element of its own. */
export function isInOpaqueRegion(place: ViewportPoint, { viewport, opaqueRegions }: Observation): boolean {
  const x = (place.x / 1000) * viewport.width;
  const y = (place.y / 1000) * viewport.height;
  return opaqueRegions.some(
    ({ bounds }) => x >= bounds.x && x < bounds.x + bounds.width && y >= bounds.y && y < bounds.y + bounds.height,
  );
}

/**
 * Ways to find again what a picture showed at a place where the list has nothing: those that call it something. By those of a drawing only its
 * middle would be found.
 * @param found what is known of whatever lies there
 */
export const stableLocatorsAtPoint = (found: readonly Locator[], place: ViewportPoint, seen: Observation): Locator[] =>
  isInOpaqueRegion(place, seen)
    ? []
    : found.filter((locator) => locator.testId !== undefined || locatorNames(locator).length > 0);
