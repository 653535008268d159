import type { Thinking } from '@pilothouse/contract';
import { Masker, type Place } from '@pilothouse/core';
import { thinkingAloud } from './goal.thinking.ts';

test('says where it thinks, and of what; no secret, and not the beginning of one', () => {
  const told: Thinking[] = [];
  const masker = new Masker();
  masker.add('correct-horse');
  const place: Place = { at: '4', number: 3, step: { action: 'goal', goal: 'Look' } };
  const parts = { place, masker, link: { think: (thinking: Thinking) => void told.push(thinking) } };
  thinkingAloud(1, parts)('I type correct-ho');
  thinkingAloud(2, { ...parts, branch: { branch: 'left', inner: '2/1' } })('I type correct-horse there');
  thinkingAloud(2, parts, 'plan')('{"decision":"replan","why":"It is not correct-horse, th');
  thinkingAloud(2, parts, 'verdict')('{"verdict":"fail');
  expect(told).toEqual([
    { step: 3, turn: 1, thought: 'I type' },
    { step: 3, turn: 2, branch: 'left', inner: '2/1', thought: 'I type •••• there' },
    { step: 3, turn: 2, of: 'plan', thought: 'It is not ••••, th' },
  ]);
});
