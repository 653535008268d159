import {
  PilothouseError,
  type Action,
  type RunAnswer,
  type Assignment,
  type Json,
  type RunQuestion,
  type Step,
} from '@pilothouse/contract';
import {
  branchStepPath,
  answersStep,
  linearStepPath,
  renderTemplates,
  isAtPosition,
  findTemplates,
  withoutIterations,
  type StepPosition,
  type TemplateScope,
  higherTier,
} from '@pilothouse/core';
import type { AttemptLink } from '@pilothouse/infra-link';
import type { ActionScope } from '../../actions/run-action.ts';
import type { RunningStep } from '../../attempt/step-outcomes.ts';
import type { SiteLimiter } from '../../network/site-limiter.ts';
import type { AttemptContext } from '../../context/attempt-context.ts';
import type { ManualControl } from '../../control/manual-control.ts';
import type { AgentParts } from './goal-agent.ts';
import { newPromptBoundary } from '../agent/model-client.ts';
import { ActionCache } from './action-cache.ts';

/** What an attempt gives to the agent of the step at work. */
interface OfAttempt {
  readonly assignment: AgentParts['assignment'] & Pick<Assignment, 'definition'>;
  readonly link: Pick<AttemptLink, 'callModel' | 'sendThinking' | 'request'>;
  readonly tools: Pick<AttemptContext, 'events' | 'masker' | 'egress' | 'siteLimiter' | 'secrets' | 'progress'>;
  readonly wheel: Pick<ManualControl, 'pendingQuestion' | 'recordedActions'>;
  ask(question: RunQuestion): Promise<RunAnswer>;
}

/** What an agent needs of the attempt, for the step at work. */
export function agentParts(
  work: RunningStep,
  act: ActionScope,
  { assignment, link, tools, wheel, ask }: OfAttempt,
): AgentParts {
  const { position } = work;
  // An attempt of the step that follows a failed one begins anew.
  const own = work.isRetried ? { ...assignment, agent: [], answer: null } : assignment;
  const { events, masker, egress, siteLimiter: politeness, secrets } = tools;
  const step = (action: Action): Step => ({ ...action });
  return {
    place: position,
    act,
    link,
    events,
    masker,
    assignment: own,
    hosts: egress.pass.rules.lists.map(({ rules }) => rules),
    opened: tools.progress.opened,
    mark: newPromptBoundary(),
    memory: memoryOf(position, tools.progress.scope(), isBegun(position, own), act, { assignment, link, tools }),
    wheel: () => wheel.pendingQuestion(position),
    handDeeds: () => wheel.recordedActions,
    ask,
    climbed: (tier) => (work.tier = tier),
    maskSecrets: () => secrets.maskAll(),
    polite: async (action) => {
      egress.resetFailures();
      await politeness.acquire(step(action), async () => act.assertCanAct());
    },
    left: (action, url) => politeness.release(step(action), url),
    explained: (error) => egress.explainError(error),
  };
}

/** A goal of a branch. */
export interface BranchPosition {
  /** Name of the branch. */
  readonly branch: string;
  /** Where it stands in the branch. */
  readonly inner: StepPosition;
  /** What templates see there. */
  readonly scope: TemplateScope;
  /** Address that the branch opened last; null: none. */
  readonly opened: string | null;
  /** Of the page of the branch. */
  readonly siteLimiter: Pick<SiteLimiter, 'acquire' | 'release'>;
}

/**
 * What the agent of a branch needs: the page is its own, and nobody is asked or has the wheel there. After a takeover the branch begins anew, and
 * so does its agent.
 */
export function branchAgentParts(
  work: RunningStep,
  act: ActionScope,
  { branch, inner, scope, opened, siteLimiter: politeness }: BranchPosition,
  attempt: OfAttempt,
): AgentParts {
  const { position } = work;
  const { assignment } = attempt;
  const at = branchStepPath(position.path, branch, inner.path);
  return {
    ...agentParts(work, act, attempt),
    opened,
    branch: { branch, ...(inner.path !== linearStepPath(inner.number) && { branchPath: inner.path }) },
    assignment: { ...assignment, agentEvents: [], answer: null },
    memory: memoryOf({ path: at, step: inner.step }, scope, false, act, attempt),
    wheel: () => null,
    handDeeds: () => [],
    ask: ({ reason }) => Promise.reject(new PilothouseError('GOAL_FAILED', `A branch asks nobody: ${reason}`)),
    climbed: (tier) => (work.tier = higherTier(work.tier ?? 'replay', tier)),
    polite: (action) => politeness.acquire({ ...action }, async () => act.assertCanAct()),
    left: (action, url) => politeness.release({ ...action }, url),
  };
}

/** Whether a former attempt worked for the goal, or somebody answered to it. */
const isBegun = (place: StepPosition, { agentEvents, answer }: Pick<Assignment, 'agentEvents' | 'answer'>) =>
  agentEvents.some(({ data }) => isAtPosition(data, place)) || (answer !== null && answersStep(answer, place));

/** The memory of a goal; off where the workflow does not want it, and where the goal was begun before. */
function memoryOf(
  { path, step }: Pick<StepPosition, 'path' | 'step'>,
  scope: TemplateScope,
  begun: boolean,
  act: ActionScope,
  { assignment, link, tools: { masker } }: Pick<OfAttempt, 'assignment' | 'link' | 'tools'>,
): ActionCache {
  const { definition, secrets } = assignment;
  const isWanted = step.action === 'goal' && (step.actionCache ?? definition.actionCache ?? 'auto') === 'auto';
  const given = Object.entries(scope.inputs).map(([name, value]) => ({ template: `{{inputs.${name}}}`, value }));
  const named = step.action === 'goal' ? findTemplates(step.goal) : [];
  const other = named.flatMap(({ path: [root], source }) =>
    root === 'inputs' ? [] : [{ template: source, value: renderTemplates(source, scope) }],
  );
  const known = [...given, ...other];
  const said = [withoutIterations(path), JSON.parse(JSON.stringify(step)) as Json];
  return new ActionCache({ link, act, masker, step: said, known, secrets, isOn: isWanted && !begun });
}
