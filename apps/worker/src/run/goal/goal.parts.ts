import {
  PilothouseError,
  type Action,
  type Answer,
  type Assignment,
  type Json,
  type Question,
  type Step,
} from '@pilothouse/contract';
import {
  branchPlace,
  isAnswerTo,
  plainPlace,
  renderTemplates,
  standsAt,
  templatesIn,
  withoutRounds,
  type Place,
  type Rung,
  type TemplateScope,
} from '@pilothouse/core';
import type { AttemptLink } from '@pilothouse/infra-link';
import type { ActParts } from '../act.ts';
import type { AtWork } from '../notes.ts';
import type { Politeness } from '../politeness.ts';
import type { RunTools } from '../tools.ts';
import type { Wheel } from '../wheel.ts';
import type { AgentParts } from './goal.ts';
import { newMark } from './goal.mark.ts';
import { GoalMemory } from './goal.memory.ts';

/** What an attempt gives to the agent of the step at work. */
interface OfAttempt {
  readonly assignment: AgentParts['assignment'] & Pick<Assignment, 'definition'>;
  readonly link: Pick<AttemptLink, 'model' | 'think' | 'ask'>;
  readonly tools: Pick<RunTools, 'reporter' | 'masker' | 'egress' | 'politeness' | 'secrets' | 'course'>;
  readonly wheel: Pick<Wheel, 'wanted' | 'deeds'>;
  ask(question: Question): Promise<Answer>;
}

/** What an agent needs of the attempt, for the step at work. */
export function agentParts(
  work: AtWork,
  act: ActParts,
  { assignment, link, tools, wheel, ask }: OfAttempt,
): AgentParts {
  const { place } = work;
  const { reporter, masker, egress, politeness, secrets } = tools;
  const step = (action: Action): Step => ({ ...action });
  return {
    place,
    act,
    link,
    reporter,
    masker,
    assignment,
    hosts: egress.pass.rules.lists.map(({ rules }) => rules),
    opened: tools.course.opened,
    mark: newMark(),
    memory: memoryOf(place, tools.course.scope(), isBegun(place, assignment), act, { assignment, link, tools }),
    wheel: () => wheel.wanted(place),
    handDeeds: () => wheel.deeds,
    ask,
    climbed: (rung) => (work.rung = rung),
    maskSecrets: () => secrets.mask(),
    polite: async (action) => {
      egress.stepBegins();
      await politeness.before(step(action), async () => act.mayAct());
    },
    left: (action, url) => politeness.after(step(action), url),
    explained: (error) => egress.explained(error),
  };
}

/** A goal of a branch. */
export interface InBranch {
  /** Name of the branch. */
  readonly branch: string;
  /** Where it stands in the branch. */
  readonly inner: Place;
  /** What templates see there. */
  readonly scope: TemplateScope;
  /** Address that the branch opened last; null: none. */
  readonly opened: string | null;
  /** Of the page of the branch. */
  readonly politeness: Pick<Politeness, 'before' | 'after'>;
}

/**
 * What the agent of a branch needs: the page is its own, and nobody is asked or has the wheel there. After a takeover the branch begins anew, and
 * so does its agent.
 */
export function branchAgentParts(
  work: AtWork,
  act: ActParts,
  { branch, inner, scope, opened, politeness }: InBranch,
  attempt: OfAttempt,
): AgentParts {
  const { place } = work;
  const { assignment } = attempt;
  const at = branchPlace(place.at, branch, inner.at);
  return {
    ...agentParts(work, act, attempt),
    opened,
    branch: { branch, ...(inner.at !== plainPlace(inner.number) && { inner: inner.at }) },
    assignment: { ...assignment, agent: [], answer: null },
    memory: memoryOf({ at, step: inner.step }, scope, false, act, attempt),
    wheel: () => null,
    handDeeds: () => [],
    ask: ({ reason }) => Promise.reject(new PilothouseError('GOAL_FAILED', `A branch asks nobody: ${reason}`)),
    climbed: (rung) => (work.rung = Math.max(work.rung ?? 0, rung) as Rung),
    polite: (action) => politeness.before({ ...action }, async () => act.mayAct()),
    left: (action, url) => politeness.after({ ...action }, url),
  };
}

/** Whether a former attempt worked for the goal, or somebody answered to it. */
const isBegun = (place: Place, { agent, answer }: Pick<Assignment, 'agent' | 'answer'>) =>
  agent.some(({ data }) => standsAt(data, place)) || (answer !== null && isAnswerTo(answer, place));

/** The memory of a goal; off where the workflow does not want it, and where the goal was begun before. */
function memoryOf(
  { at, step }: Pick<Place, 'at' | 'step'>,
  scope: TemplateScope,
  begun: boolean,
  act: ActParts,
  { assignment, link, tools: { masker } }: Pick<OfAttempt, 'assignment' | 'link' | 'tools'>,
): GoalMemory {
  const { definition, secrets } = assignment;
  const isWanted = step.action === 'goal' && (step.memory ?? definition.memory ?? 'on') === 'on';
  const given = Object.entries(scope.inputs).map(([name, value]) => ({ template: `{{inputs.${name}}}`, value }));
  const named = step.action === 'goal' ? templatesIn(step.goal) : [];
  const other = named.flatMap(({ path: [root], source }) =>
    root === 'inputs' ? [] : [{ template: source, value: renderTemplates(source, scope) }],
  );
  const known = [...given, ...other];
  const said = [withoutRounds(at), JSON.parse(JSON.stringify(step)) as Json];
  return new GoalMemory({ link, act, masker, step: said, known, secrets, isOn: isWanted && !begun });
}
