import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import {
  requiredApproval,
  type ApprovalNeeded,
  type ModelDescription,
} from '@pilothouse/core/agent/approval/approval-policy';
import { canvasPointToIdentify } from '@pilothouse/core/agent/approval/canvas-effects';
import { isIntendedEffect, type TargetDescription as WantedElement } from '@pilothouse/core/agent/healing/lost-element';
import { uriOriginIdOf } from '@pilothouse/core/origin/uri-origin';
import type { HealingContext } from './healing-scope.ts';
import type { ModelChoice, ModelElementFinder } from './model-candidates.ts';

/** Approval that an action on a target needs; null: none. */
export function approvalForTarget(
  action: Action,
  target: Locator,
  page: Observation,
  { hosts, assignment }: Pick<HealingContext, 'hosts' | 'assignment'>,
  description: ModelDescription = {},
): ApprovalNeeded | null {
  const home = uriOriginIdOf(page.url);
  const trusted = new Set(home ? [home] : []);
  const limits = { autoApprove: new Set<never>(), hosts, home, trusted, secrets: assignment.secrets };
  return requiredApproval({ ...action, target } as Action, page, limits, description);
}

/** Approval that an action on the choice of a model needs; null: none. Another model identifies a target without a name. */
export async function approvalForChoice(
  action: Action,
  { target, description: what, page }: ModelChoice,
  context: HealingContext,
  finder: Pick<ModelElementFinder, 'identifyCanvasTarget'>,
): Promise<ApprovalNeeded | null> {
  const description = what === null ? {} : { what };
  const approval = approvalForTarget(action, target, page, context, description);
  const point = approval
    ? null
    : canvasPointToIdentify({ ...action, target } as Action, page, { autoApprove: new Set<never>() });
  if (!point) return approval;
  const identification = await finder.identifyCanvasTarget(point);
  if (!identification) return { kind: 'canvas', description: 'use canvas content that no model could identify' };
  return approvalForTarget(action, target, page, context, { ...description, identification });
}

/** Drops an approval for an effect that the author of the step intended. */
export const unlessIntended = (approval: ApprovalNeeded | null, action: Action, wanted: WantedElement) =>
  approval && isIntendedEffect(approval.kind, action, wanted) ? null : approval;
