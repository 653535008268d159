import type { Action, Answer, Question, Step } from '@pilothouse/contract';
import type { AttemptLink } from '@pilothouse/infra-link';
import { randomBytes } from 'node:crypto';
import type { ActParts } from '../act.ts';
import type { AtWork } from '../notes.ts';
import type { RunTools } from '../tools.ts';
import type { AgentParts } from './goal.ts';

/** What an attempt gives to the agent of the step at work. */
interface OfAttempt {
  readonly assignment: AgentParts['assignment'];
  readonly link: Pick<AttemptLink, 'model'>;
  readonly tools: Pick<RunTools, 'reporter' | 'masker' | 'egress' | 'politeness' | 'secrets'>;
  ask(question: Question): Promise<Answer>;
}

/** What an agent needs of the attempt, for the step at work. */
export function agentParts({ place }: AtWork, act: ActParts, { assignment, link, tools, ask }: OfAttempt): AgentParts {
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
    mark: randomBytes(6).toString('hex'),
    ask,
    maskSecrets: () => secrets.mask(),
    polite: async (action) => {
      egress.stepBegins();
      await politeness.before(step(action), async () => act.mayAct());
    },
    left: (action, url) => politeness.after(step(action), url),
    explained: (error) => egress.explained(error),
  };
}
