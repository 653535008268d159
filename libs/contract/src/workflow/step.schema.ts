import { z } from 'zod';
import { type Action, actionNames, actionSchemas } from '../actions/action-sets.ts';
import { isBlock, walkNodes } from './control-flow.schema.ts';
import { type ApprovalEffect, DEFAULT_GOAL_SECONDS, goalStepSchema } from './goal.schema.ts';
import {
  type Branch,
  type BranchNode,
  type BranchStep,
  type HttpRequestStep,
  hasOwnPage,
  parallelStepSchema,
} from './parallel.schema.ts';
import { saveProfileStepSchema, simpleSteps, stepFields } from './simple-steps.schema.ts';

/** One step of a workflow. */
export const stepSchema = z
  .discriminatedUnion('action', [
    ...simpleSteps,
    parallelStepSchema,
    saveProfileStepSchema,
    goalStepSchema.safeExtend(stepFields),
  ])
  .meta({ id: 'Step', description: 'One step of a workflow' });
export type Step = z.infer<typeof stepSchema>;

/** Actions of steps that no surface executes. */
const workerActions = ['checkCondition', 'http', 'parallel', 'saveProfile', 'goal'] as const;
type WorkerAction = (typeof workerActions)[number];

export const stepActions = [...actionNames, ...workerActions] as const;

/** A step that a surface executes. */
export type SurfaceStep = Exclude<Step, { action: WorkerAction }>;

export const isSurfaceStep = (step: Step): step is SurfaceStep => !workerActions.includes(step.action as WorkerAction);

export type ParallelStep = Extract<Step, { action: 'parallel' }>;
export type SaveProfileStep = Extract<Step, { action: 'saveProfile' }>;
export type GoalStep = Extract<Step, { action: 'goal' }>;

/** Branches of a step that have their own page, by name. */
export const pageBranchesOf = (step: Step): [name: string, nodes: BranchNode[]][] =>
  step.action === 'parallel'
    ? Object.entries(step.branches).flatMap(([name, branch]): [string, BranchNode[]][] =>
        hasOwnPage(branch) ? [[name, branch]] : [],
      )
    : [];

/** All steps of the branches with a page, including those in control flow blocks. */
export const branchStepsOf = (step: Step): BranchStep[] =>
  pageBranchesOf(step).flatMap(([, nodes]) =>
    [...walkNodes(nodes)].flatMap(({ node }) => (isBlock(node) ? [] : [node])),
  );

/** The requests of an `http` step or of the branches without a page. */
export const requestsOf = (step: Step): HttpRequestStep[] =>
  step.action === 'http'
    ? [step]
    : step.action === 'parallel'
      ? Object.values(step.branches).flatMap((branch: Branch) => (hasOwnPage(branch) ? [] : [branch]))
      : [];

/**
 * True if a step must not run twice. Reasons: it or a step of its branches has `idempotent: false`, it sends a request
 * with an unsafe method (RFC 9110, 9.2.2), or its agent may do something irreversible.
 */
export function isNonIdempotent(step: Step): boolean {
  const branchSteps = branchStepsOf(step);
  if (step.idempotent === false || branchSteps.some(({ idempotent }) => idempotent === false)) return true;
  if (step.idempotent === true) return false;
  const isUnsafe = requestsOf(step).some(({ method }) => method === 'POST' || method === 'PATCH');
  return isUnsafe || hasIrreversibleAutoApproval(step) || branchSteps.some(isNonIdempotent);
}

/** Effects that say where an agent acts, not what it changes. */
const boundaryEffects: ReadonlySet<ApprovalEffect> = new Set(['credentials', 'otherSite', 'otherApp', 'canvas']);

const hasIrreversibleAutoApproval = (step: Step) =>
  step.action === 'goal' && (step.autoApprove ?? []).some((effect) => !boundaryEffects.has(effect));

/** Question that a person must approve before the step runs; undefined: no approval is required. */
export const approvalOf = (step: Step): string | undefined => ('approval' in step ? step.approval : undefined);

/** Default timeout of a step, in seconds. */
export const DEFAULT_STEP_SECONDS = 30;

/** Seconds that a step or an action takes by its own fields. */
export function durationSecondsOf(action: Action | Step): number {
  if (action.action === 'wait') return action.seconds;
  return action.action === 'press' ? (action.holdSeconds ?? 0) * (action.times ?? 1) : 0;
}

/** Timeout of a step in seconds. A step that waits or holds a key gets this duration on top of the default. */
export const stepSeconds = (step: Step): number =>
  step.timeout ?? (step.action === 'goal' ? DEFAULT_GOAL_SECONDS : DEFAULT_STEP_SECONDS) + durationSecondsOf(step);

/** True if `title` of a step selects a tab, instead of naming the step. */
export const hasTabTitle = (step: Step): boolean => isSurfaceStep(step) && 'title' in actionSchemas[step.action].shape;

/** The action of a step, without the fields of the step. */
export function surfaceActionOf(step: SurfaceStep): Action {
  const { id, title, if: _if, timeout, expect, idempotent, heal, onInterrupted, retry, ...fields } = step;
  const action = hasTabTitle(step) && title !== undefined ? { ...fields, title } : fields;
  if (!('approval' in action)) return action;
  const { approval, ...withoutApproval } = action;
  return withoutApproval;
}
