import type { Action } from '@pilothouse/contract/actions/action-sets';
import { toLocatorChain, type Locator, type Target } from '@pilothouse/contract/actions/locator.schema';
import type { DatasetExample, ExampleAction } from '@pilothouse/contract/learning/dataset-example.schema';
import type { Bounds } from '@pilothouse/contract/observation/observation.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { GoalClaim, PlannedAction } from '../../agent/planned-action.ts';

/** Stored actions as the agent plans them. Targets become elements of the list, or points, because models know no others. */
export const plannedActions = (actions: readonly ExampleAction[], example: DatasetExample): PlannedAction[] =>
  actions.flatMap((action) => plannedAction(action, example));

function plannedAction({ kind, action, args = {}, target }: ExampleAction, example: DatasetExample): PlannedAction[] {
  const text = (field: string) => (typeof args[field] === 'string' ? args[field] : '');
  switch (kind) {
    case 'act':
      return action ? [{ kind, action: withListedTarget(action, target, example) }] : [];
    case 'read':
    case 'see':
      return [{ kind }];
    case 'analyse':
      return [{ kind, question: text('question') || null }];
    case 'store':
      return [{ kind, key: text('key'), value: text('value') }];
    case 'replan':
    case 'fail':
      return [{ kind, reason: text('reason') }];
    case 'ask':
      return [{ kind, question: text('question') }];
    case 'done':
      return [{ kind, claim: claimOf(args['claim'] ?? args) }];
  }
}

function claimOf(claim: Json): GoalClaim {
  const { answer = null, anchor, indicators } = (typeof claim === 'object' ? claim : {}) as Record<string, Json>;
  return {
    answer,
    anchor: typeof anchor === 'string' ? anchor : null,
    indicators: Array.isArray(indicators) ? indicators.filter((text): text is string => typeof text === 'string') : [],
  };
}

const isListed = (target: Target) => {
  const [locator] = toLocatorChain(target);
  return locator?.elementIndex !== undefined || locator?.point !== undefined;
};

/** The action with an element of the list, or a point, as its target. Actions of a person have other locators. */
function withListedTarget(action: Action, bounds: Bounds | null, example: DatasetExample): Action {
  if (!('target' in action) || action.target === undefined || isListed(action.target) || !bounds) return action;
  return { ...action, target: locatorAt(bounds, example) } as Action;
}

/** Element with these bounds, or else the point in their center. */
function locatorAt(bounds: Bounds, { page }: DatasetExample): Locator {
  const same = (['x', 'y', 'width', 'height'] as const).map((side) => bounds[side]).join();
  const element = page.elements.find(({ bounds: { x, y, width, height } }) => [x, y, width, height].join() === same);
  return element ? { elementIndex: element.index } : { point: centerOf(bounds, page.viewport) };
}

/** Center of an area in thousandths of the viewport. */
export const centerOf = (
  { x, y, width, height }: Bounds,
  viewport: { readonly width: number; readonly height: number },
): { readonly x: number; readonly y: number } => ({
  x: clamp(Math.round(((x + width / 2) / Math.max(1, viewport.width)) * 1000)),
  y: clamp(Math.round(((y + height / 2) / Math.max(1, viewport.height)) * 1000)),
});

const clamp = (value: number) => Math.min(1000, Math.max(0, value));
