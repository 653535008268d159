import { partialReason, partialThought } from './answer-parts.ts';

test.each([
  ['I see a form', 'I see a form'],
  ['Thought: I see a form', 'I see a form'],
  ['Thought: I see a form\nAction: Click(5', 'I see a form'],
  ['{"action": "cl', ''],
  ['```json\n[', ''],
  ['', ''],
])('extracts the thought: %j', (text, thought) => expect(partialThought(text)).toBe(thought));

test.each([
  ['{"decision": "retry", "why": "It was sl', 'It was sl'],
  ['{"verdict":"failed","why":"The \\"cart\\" is empty","x', 'The "cart" is empty'],
  ['{"why": "caf\\u00e', 'caf'],
  ['{"why": "A line\\', 'A line'],
  ['{"decision": "re', ''],
  ['', ''],
])('extracts the reason from incomplete JSON: %j', (text, reason) => expect(partialReason(text)).toBe(reason));
