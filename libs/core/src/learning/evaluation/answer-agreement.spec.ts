import type { ModelAnswer } from '@pilothouse/contract/model/model.schema';
import { asksForNextAction, compareAnswers } from './answer-agreement.ts';

type Answer = Pick<ModelAnswer, 'text' | 'calls' | 'dialect'>;
const click = (element: number): Answer => ({
  ...{ text: '', calls: [{ name: 'act', args: { action: 'click', element } }] },
});
const prose: Answer = { text: 'I do not know.', calls: [], dialect: 'calls' };
const pointed = (x: number, y: number): Answer => ({
  ...{ text: `Thought: x\nAction: click(start_box='(${x},${y})')`, calls: [], dialect: 'ui-tars' },
});
const image = { width: 1280, height: 800 };
const textRequest = { surface: 'browser' as const, image: null };
const visionRequest = { surface: 'browser' as const, image };

test.each<[string, Answer, Answer, object]>([
  ['the same element', click(3), click(3), { kind: 'compared', comparison: { isMatch: true } }],
  ['another element', click(3), click(4), { kind: 'compared', comparison: { isMatch: false } }],
  ['an answer without an action', click(3), prose, { kind: 'problem', reason: expect.stringContaining('no action') }],
  ['two answers without an action', prose, prose, { kind: 'problem' }],
  ['an action where the run had none', prose, click(3), { kind: 'incomparable' }],
])('%s', (_title, used, compared, expected) => {
  expect(compareAnswers(used, compared, textRequest)).toMatchObject(expected);
});

test('a point and an element are not compared', () => {
  const agreement = compareAnswers(click(3), pointed(500, 500), visionRequest);
  expect(agreement).toMatchObject({ kind: 'compared', comparison: { isMatch: null, hasSameKind: true } });
});

test('two points are compared by their distance', () => {
  const compared = (x: number) => compareAnswers(pointed(500, 500), pointed(x, 500), visionRequest);
  expect(compared(505)).toMatchObject({ comparison: { isMatch: true } });
  expect(compared(700)).toMatchObject({ comparison: { isMatch: false } });
});

test.each([
  ['a text turn', { role: 'act', tools: ['act', 'done'] }, true],
  ['a vision turn', { role: 'vision', tools: ['act', 'done'] }, true],
  ['a lost element', { role: 'act', tools: ['choose'] }, false],
  ['a verification', { role: 'verify', tools: ['done'] }, false],
  ['a description', { role: 'vision', tools: [] }, false],
] as const)('%s', (_title, { role, tools }, expected) => {
  const request = { role, tools: tools.map((name) => ({ name, description: '', parameters: {} })) };
  expect(asksForNextAction(request)).toBe(expected);
});
