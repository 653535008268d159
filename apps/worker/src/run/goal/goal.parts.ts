import type { Action, Answer, Assignment, Json, Question, Step } from '@pilothouse/contract';
import { renderTemplates, templatesIn, withoutRounds, type Place } from '@pilothouse/core';
import type { AttemptLink } from '@pilothouse/infra-link';
import type { ActParts } from '../act.ts';
import type { AtWork } from '../notes.ts';
import type { RunTools } from '../tools.ts';
import type { Wheel } from '../wheel.ts';
import type { AgentParts } from './goal.ts';
import { newMark } from './goal.mark.ts';
import { GoalMemory } from './goal.memory.ts';

/** What an attempt gives to the agent of the step at work. */
interface OfAttempt {
  readonly assignment: AgentParts['assignment'] & Pick<Assignment, 'definition'>;
  readonly link: Pick<AttemptLink, 'model' | 'ask'>;
  readonly tools: Pick<RunTools, 'reporter' | 'masker' | 'egress' | 'politeness' | 'secrets' | 'course'>;
  readonly wheel: Pick<Wheel, 'wanted'>;
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
    mark: newMark(),
    memory: memoryOf(place, act, { assignment, link, tools }),
    wheel: () => wheel.wanted(place),
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

/** The memory of a goal; off where the workflow does not want it, and where it was begun before. */
function memoryOf(
  { number, at, step }: Place,
  act: ActParts,
  { assignment, link, tools: { masker, course } }: Pick<OfAttempt, 'assignment' | 'link' | 'tools'>,
): GoalMemory {
  const { definition, agent, answer, secrets } = assignment;
  const isWanted = step.action === 'goal' && (step.memory ?? definition.memory ?? 'on') === 'on';
  const isBegun = agent.some(({ data }) => data.step === number) || answer?.step === number;
  const scope = course.scope();
  const given = Object.entries(scope.inputs).map(([name, value]) => ({ template: `{{inputs.${name}}}`, value }));
  const named = step.action === 'goal' ? templatesIn(step.goal) : [];
  const other = named.flatMap(({ path: [root], source }) =>
    root === 'inputs' ? [] : [{ template: source, value: renderTemplates(source, scope) }],
  );
  const known = [...given, ...other];
  const said = [withoutRounds(at), JSON.parse(JSON.stringify(step)) as Json];
  return new GoalMemory({ link, act, masker, step: said, known, secrets, isOn: isWanted && !isBegun });
}
