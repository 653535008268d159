import type { AgentThinking } from '@pilothouse/contract/events/agent.events';
import type { StepPosition } from '@pilothouse/core/interpreter/interpreter-state';
import { Masker } from '@pilothouse/core/secret/secret-masker';
import { streamThinking } from './agent-events.ts';

test('streams thoughts with their branch and subject, without secrets and beginnings of secrets', () => {
  const sentThinking: AgentThinking[] = [];
  const masker = new Masker();
  masker.add('correct-horse');
  const position: StepPosition = { path: '4', number: 3, step: { action: 'goal', goal: 'Look' } };
  const context = {
    position,
    masker,
    link: { sendThinking: (thinking: AgentThinking) => void sentThinking.push(thinking) },
  };
  streamThinking(1, context)('I type correct-ho');
  streamThinking(2, { ...context, branch: { branch: 'left', branchPath: '2/1' } })('I type correct-horse there');
  streamThinking(2, context, 'plan')('{"decision":"replan","why":"It is not correct-horse, th');
  streamThinking(2, context, 'verdict')('{"verdict":"fail');
  expect(sentThinking).toEqual([
    { step: 3, turn: 1, text: 'I type' },
    { step: 3, turn: 2, branch: 'left', branchPath: '2/1', text: 'I type •••• there' },
    { step: 3, turn: 2, subject: 'plan', text: 'It is not ••••, th' },
  ]);
});
