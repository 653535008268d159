import { answerOf, dismissalOf } from './question-answer.server.ts';

const formOf = (fields: Record<string, string>) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
};

test('an answer names the displayed question', () => {
  expect(answerOf(formOf({ question: '2.0.1', answer: 'continue', text: ' The gray one ' }))).toEqual({
    question: '2.0.1',
    choice: 'continue',
    text: 'The gray one',
  });
  const target = { role: 'button', name: 'Sign in' };
  expect(answerOf(formOf({ question: '1.3.1', answer: 'retry', target: JSON.stringify(target) }))).toEqual({
    question: '1.3.1',
    choice: 'retry',
    target,
  });
});

test('an answer without a question key answers the open question', () => {
  expect(answerOf(formOf({ answer: 'retry', text: '' }))).toEqual({ choice: 'retry' });
});

test('completing a run names the displayed question, if the form does', () => {
  expect(dismissalOf(formOf({ question: '0.1@1[2]/1', intent: 'complete' }))).toEqual({ question: '0.1@1[2]/1' });
  expect(dismissalOf(formOf({ question: '', intent: 'complete' }))).toEqual({});
});

test('a form without an answer yields null', () => {
  expect(answerOf(formOf({ question: '1.0.0', intent: 'complete' }))).toBeNull();
});

test.each([
  ['an unknown choice', { answer: 'perhaps' }],
  ['a target that is not JSON', { answer: 'retry', target: '{' }],
  ['a target of another shape', { answer: 'retry', target: '{"color":"red"}' }],
])('%s is rejected with 400', (_, fields) => {
  expect(() => answerOf(formOf({ question: '1.0.0', ...fields }))).toThrow(
    expect.objectContaining({ init: { status: 400 } }),
  );
});
