import type { ModelCall } from '@pilothouse/contract/model/model.schema';
import { aCorrectedExample, anExample } from '../dataset/dataset.fixture.ts';
import { compareAnswer, evaluationRequest, labelOf, needsImage } from './evaluation-request.ts';

const answer = (calls: ModelCall[], text = '') => ({ text, calls });
const act = (args: ModelCall['args']): ModelCall => ({ name: 'act', args });

test('a text turn is asked with the recorded prompt and the functions of the agent, without a screenshot', () => {
  const example = anExample();
  expect(needsImage(example)).toBe(false);
  const request = evaluationRequest(example, null);
  expect(request).toMatchObject({
    ...{ role: 'act', prompt: { name: 'act-text', version: 10 }, system: 'You operate a browser.' },
    messages: [{ role: 'user', parts: [{ text: 'Goal: Order three ropes' }] }],
    temperature: 0,
  });
  expect(request.tools?.map(({ name }) => name)).toContain('done');
  expect(request.computer).toBeUndefined();
});

test('a vision turn has its screenshot after the heading of the page, and no headings of screenshots that are not recorded', () => {
  const text = 'Goal: Order\n\nBefore turn 2:\n\nCurrent page:\n\nElements by mark number:\n[3] button';
  const example = anExample({ tier: 'vision', input: { system: 'Look.', text } });
  expect(needsImage(example)).toBe(true);
  const request = evaluationRequest(example, 'AAAA');
  expect(request).toMatchObject({ role: 'vision', computer: { surface: 'browser' } });
  expect(request.messages[0]?.parts).toEqual([
    { text: 'Goal: Order\n\n\nCurrent page:' },
    { image: { contentType: 'image/jpeg', data: 'AAAA' } },
    { text: 'Elements by mark number:\n[3] button' },
  ]);
});

test('a step of a person is asked with a short prompt', () => {
  const request = evaluationRequest(anExample({ input: null, prompt: null, turnSource: 'person' }), null);
  expect(request.prompt.name).toBe('act-text');
  expect(request.messages[0]?.parts[0]).toMatchObject({ text: expect.stringContaining('[3] button "Order"') });
});

test.each([
  ['a good step', anExample(), 'labeled'],
  ['a bad step with a correction', aCorrectedExample(), 'labeled'],
  ['a bad step', anExample({ quality: 'bad' }), 'The step is bad and has no correction'],
  ['a step of unknown quality', anExample({ quality: 'unknown' }), 'The quality of the step is not known'],
  ['a step without an action', anExample({ actions: [] }), 'The label has no action'],
])('the label of %s', (_title, example, expected) => {
  const label = labelOf(example);
  expect(label.kind === 'labeled' ? label.kind : label.reason).toBe(expected);
});

describe('an answer', () => {
  const example = anExample();
  const label = labelOf(example);
  if (label.kind !== 'labeled') throw new Error('The example has a label');
  const compare = (given: Parameters<typeof compareAnswer>[0]) => compareAnswer(given, label.actions, example);

  test('with function calls matches the label', () => {
    expect(compare(answer([act({ action: 'click', element: 3 })]))).toMatchObject({
      kind: 'compared',
      comparison: { isMatch: true, distance: { pixels: 0 } },
    });
  });

  test('in a text dialect is parsed as the agent does', () => {
    const text = '{"thought":"x","actions":[{"action":"click","element":3}]}';
    expect(compare({ text, calls: [], dialect: 'aura' })).toMatchObject({ comparison: { isMatch: true } });
  });

  test('without an action is a problem with a reason', () => {
    expect(compare(answer([], 'I do not know.'))).toEqual({
      kind: 'problem',
      reason: expect.stringContaining('The answer contains no action. Call a function.'),
    });
  });

  test('names a secret as the prompt does, and the label as the run does', () => {
    const secret = anExample({
      actions: [
        {
          kind: 'act',
          action: { action: 'fill', target: { elementIndex: 4 }, text: '{{inputs.password}}' },
          target: null,
        },
      ],
    });
    const secretLabel = labelOf(secret);
    if (secretLabel.kind !== 'labeled') throw new Error('The example has a label');
    const given = answer([act({ action: 'type', element: 4, text: '{{credential.password}}' })]);
    expect(compareAnswer(given, secretLabel.actions, secret)).toMatchObject({ comparison: { isMatch: true } });
  });
});
