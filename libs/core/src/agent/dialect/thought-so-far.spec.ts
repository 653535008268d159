import { thoughtSoFar } from './thought-so-far.ts';

test.each([
  ['I see a form', 'I see a form'],
  ['Thought: I see a form', 'I see a form'],
  ['Thought: I see a form\nAction: Click(5', 'I see a form'],
  ['{"action": "cl', ''],
  ['```json\n[', ''],
  ['', ''],
])('%j', (text, thought) => expect(thoughtSoFar(text)).toBe(thought));
