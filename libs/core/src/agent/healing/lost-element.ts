import type { Action } from '@pilothouse/contract/actions/action-sets';
import {
  type Locator,
  type Target,
  isEphemeralLocator,
  locatorNames,
  locatorSchema,
} from '@pilothouse/contract/actions/locator.schema';
import type { ElementView, Observation } from '@pilothouse/contract/observation/observation.schema';
import type { ApprovalEffect } from '@pilothouse/contract/workflow/goal.schema';
import { irreversibleEffect } from '../approval/approval-policy.ts';
import { findTemplates } from '../../workflow/templates.ts';
import type { ViewportPoint } from '../page-queries.ts';
import { containsMask, Templatizer, type KnownValue } from '../compile/templatizer.ts';

/** Description of an element that is no longer found. */
export interface TargetDescription {
  /** ARIA roles; empty: unknown. */
  readonly roles: ReadonlySet<string>;
  /** Accessible names, labels and texts. */
  readonly names: readonly string[];
  readonly adjacentTexts: readonly string[];
}

/**
 * Derives a description from locators. Ignores locators that select one of several matches other than by adjacent text, because their name
 * alone matches other elements too.
 */
export function toTargetDescription(locators: readonly Locator[]): TargetDescription {
  const unambiguous = locators.filter(({ nth, within, hasText, has, pattern }) =>
    [nth, within, hasText, has, pattern].every((value) => value === undefined),
  );
  return {
    roles: new Set(locators.flatMap(({ role }) => role ?? [])),
    names: [...new Set(unambiguous.flatMap(locatorNames))],
    adjacentTexts: unambiguous.flatMap(({ near }) => (near ? locatorNames(near) : [])),
  };
}

/** Irreversible effect of an action on an element of this name; null: none. */
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

/** True if the author of the step named a control with this effect. The effect is then intended. */
export const isIntendedEffect = (kind: ApprovalEffect, action: Action, { names }: TargetDescription): boolean =>
  names.some((name) => effectOfNamedAction(action, { role: 'button', name }) === kind);

/** True if a locator finds its element by position and not by content. */
export const isPositionalLocator = ({ css, nth }: Locator): boolean =>
  nth !== undefined || (css !== undefined && /[>:]/.test(css));

/**
 * Locators that are suitable for a workflow: no points, no secrets, escaped braces, and positional ones only without an alternative. If the
 * target of the step contains inputs of the run, only locators with the same inputs remain, because others find the element of this run.
 * @param target target of the step in the workflow
 * @param knownValues values of the target's templates in this run
 */
export function stableLocators(
  locators: readonly Locator[],
  target: Target,
  knownValues: readonly KnownValue[],
): Locator[] {
  const isTemplated = findTemplates(target).length > 0;
  const templatizer = new Templatizer(isTemplated ? knownValues : [], []);
  const found = locators
    .filter((locator) => !isEphemeralLocator(locator) && !containsMask(JSON.stringify(locator)))
    .filter((locator) => !isTemplated || templatizer.containsInput(JSON.stringify(locator)))
    .flatMap((locator) => {
      const parsed = locatorSchema.safeParse(templatizer.json<unknown>(locator));
      return parsed.success ? [parsed.data] : [];
    });
  const nonPositional = found.filter((locator) => !isPositionalLocator(locator));
  return (nonPositional.length > 0 ? nonPositional : found).slice(0, 10);
}

/** True if a point lies in a canvas or in an uninspected document, where nothing has a separate element. */
export function isInOpaqueRegion(point: ViewportPoint, { viewport, opaqueRegions }: Observation): boolean {
  const x = (point.x / 1000) * viewport.width;
  const y = (point.y / 1000) * viewport.height;
  return opaqueRegions.some(
    ({ bounds }) => x >= bounds.x && x < bounds.x + bounds.width && y >= bounds.y && y < bounds.y + bounds.height,
  );
}

/**
 * Stable locators for a point of a screenshot without a listed element: only those with a name. Locators of a canvas would find only its
 * center.
 * @param locators locators of the element at the point
 */
export const stableLocatorsAtPoint = (
  locators: readonly Locator[],
  point: ViewportPoint,
  page: Observation,
): Locator[] =>
  isInOpaqueRegion(point, page)
    ? []
    : locators.filter((locator) => locator.testId !== undefined || locatorNames(locator).length > 0);
