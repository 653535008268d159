import type { Action } from '@pilothouse/contract/actions/action-sets';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { RunAnswer, RunQuestion } from '@pilothouse/contract/run/run-question.schema';
import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import type { Step } from '@pilothouse/contract/workflow/step.schema';
import { withoutIterations } from '@pilothouse/core/agent/healing/workflow-repair';
import type { StepPosition } from '@pilothouse/core/interpreter/interpreter-state';
import { branchStepPath } from '@pilothouse/core/interpreter/parallel-branches';
import { answersStep, isAtPosition, linearStepPath, stepRef } from '@pilothouse/core/interpreter/step-path';
import { higherTier } from '@pilothouse/core/model/request-images';
import { renderTemplates, type TemplateScope } from '@pilothouse/core/workflow/secret-placeholders';
import { findTemplates } from '@pilothouse/core/workflow/templates';
import type { AttemptLink } from '@pilothouse/infra-link';
import type { ActionScope } from '../../actions/action-scope.ts';
import type { RunningStep } from '../../attempt/running-step.ts';
import type { AttemptContext } from '../../context/attempt-context.ts';
import type { ManualControl } from '../../control/manual-control.ts';
import type { SiteLimiter } from '../../network/site-limiter.ts';
import { GoalTurns } from '../../turns/goal-turns.ts';
import { newPromptBoundary } from '../agent/model-client.ts';
import { ActionCache } from './action-cache.ts';
import type { AgentContext } from './agent-context.ts';

/** Services of an attempt that its agents use. */
interface AttemptServices {
  readonly assignment: AgentContext['assignment'] & Pick<Assignment, 'definition'>;
  readonly link: Pick<AttemptLink, 'callModel' | 'sendThinking' | 'request'>;
  readonly attempt: Pick<
    AttemptContext,
    'events' | 'masker' | 'egress' | 'siteLimiter' | 'secrets' | 'progress' | 'turns'
  >;
  readonly control: Pick<ManualControl, 'pendingQuestion' | 'recordedActions'>;
  requestAnswer(question: RunQuestion): Promise<RunAnswer>;
}

/** Context of the agent of the running step. */
export function agentContext(
  running: RunningStep,
  scope: ActionScope,
  { assignment, link, attempt, control, requestAnswer }: AttemptServices,
): AgentContext {
  const { position } = running;
  // A retried step starts without the events of the failed attempt.
  const stepAssignment = running.isRetried ? { ...assignment, agentEvents: [], answer: null } : assignment;
  const { events, masker, egress, siteLimiter, secrets, progress, turns } = attempt;
  const toStep = (action: Action): Step => ({ ...action });
  return {
    position,
    scope,
    link,
    events,
    masker,
    assignment: stepAssignment,
    hosts: egress.policy.rules.lists.map(({ rules }) => rules),
    openedUrl: progress.lastOpenedUrl,
    openedApps: progress.openedApps,
    surface: assignment.definition.surface ?? 'browser',
    promptBoundary: newPromptBoundary(),
    actionCache: createActionCache(position, progress.scope(), isStarted(position, stepAssignment), scope, {
      assignment,
      link,
      attempt,
    }),
    turns: turns && new GoalTurns(turns, turnPosition(position), { ...scope, masker }),
    controlQuestion: () => control.pendingQuestion(position),
    manualActions: () => control.recordedActions,
    requestAnswer,
    onTier: (tier) => (running.tier = tier),
    maskSecrets: () => secrets.maskAll(),
    acquireSite: async (action) => {
      egress.resetFailures();
      await siteLimiter.acquire(toStep(action), async () => scope.assertCanAct());
    },
    releaseSite: (action, url) => siteLimiter.release(toStep(action), url),
    explainError: (error) => egress.explainError(error),
  };
}

/** Position of a goal in a branch. */
export interface BranchPosition {
  /** Name of the branch. */
  readonly branch: string;
  /** Position inside the branch. */
  readonly inner: StepPosition;
  /** Values for templates. */
  readonly scope: TemplateScope;
  /** Address that the branch opened last; null: none. */
  readonly openedUrl: string | null;
  /** Site limits of the page of the branch. */
  readonly siteLimiter: Pick<SiteLimiter, 'acquire' | 'release'>;
}

/** Context of the agent of a branch. A branch asks no questions and has no manual control. A new attempt starts its goal again. */
export function branchAgentContext(
  running: RunningStep,
  scope: ActionScope,
  { branch, inner, scope: templateScope, openedUrl, siteLimiter }: BranchPosition,
  services: AttemptServices,
): AgentContext {
  const { position } = running;
  const {
    assignment,
    attempt: { turns, masker },
  } = services;
  const branchRef = { branch, ...(inner.path !== linearStepPath(inner.number) && { branchPath: inner.path }) };
  const path = branchStepPath(position.path, branch, inner.path);
  return {
    ...agentContext(running, scope, services),
    openedUrl,
    branch: branchRef,
    turns: turns && new GoalTurns(turns, { ...turnPosition(position), ...branchRef }, { ...scope, masker }),
    assignment: { ...assignment, agentEvents: [], answer: null },
    actionCache: createActionCache({ path, step: inner.step }, templateScope, false, scope, services),
    controlQuestion: () => null,
    manualActions: () => [],
    requestAnswer: ({ reason }) =>
      Promise.reject(new PilothouseError('GOAL_FAILED', `A branch cannot ask a person: ${reason}`)),
    onTier: (tier) => (running.tier = higherTier(running.tier ?? 'replay', tier)),
    acquireSite: (action) => siteLimiter.acquire({ ...action }, async () => scope.assertCanAct()),
    releaseSite: (action, url) => siteLimiter.release({ ...action }, url),
  };
}

/** Position of the records of a goal. */
const turnPosition = (position: StepPosition) => ({ ...stepRef(position), id: position.step.id ?? null });

/** True if an earlier attempt worked on the goal, or a person answered a question of it. */
const isStarted = (position: StepPosition, { agentEvents, answer }: Pick<Assignment, 'agentEvents' | 'answer'>) =>
  agentEvents.some(({ data }) => isAtPosition(data, position)) || (answer !== null && answersStep(answer, position));

/** Action cache of a goal. Off if the workflow does not want it, or if the goal was started before. */
function createActionCache(
  { path, step }: Pick<StepPosition, 'path' | 'step'>,
  templateScope: TemplateScope,
  isGoalStarted: boolean,
  scope: ActionScope,
  { assignment, link, attempt: { masker } }: Pick<AttemptServices, 'assignment' | 'link' | 'attempt'>,
): ActionCache {
  const { definition, secrets } = assignment;
  const isConfigured = step.action === 'goal' && (step.actionCache ?? definition.actionCache ?? 'auto') === 'auto';
  const inputs = Object.entries(templateScope.inputs).map(([name, value]) => ({
    template: `{{inputs.${name}}}`,
    value,
  }));
  const goalTemplates = step.action === 'goal' ? findTemplates(step.goal) : [];
  const templateValues = goalTemplates.flatMap(({ path: [root], source }) =>
    root === 'inputs' ? [] : [{ template: source, value: renderTemplates(source, templateScope) }],
  );
  const stepKey = [withoutIterations(path), JSON.parse(JSON.stringify(step)) as Json];
  return new ActionCache({
    link,
    scope,
    masker,
    stepKey,
    knownValues: [...inputs, ...templateValues],
    secrets,
    isEnabled: isConfigured && !isGoalStarted,
  });
}
