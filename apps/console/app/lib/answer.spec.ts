import { answerOf, dismissalOf } from './answer.server.ts';

const formOf = (fields: Record<string, string>) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
};

test('an answer names the question that was seen', () => {
  expect(answerOf(formOf({ question: '2.0.1', answer: 'continue', text: ' The grey one ' }))).toEqual({
    question: '2.0.1',
    choice: 'continue',
    text: 'The grey one',
  });
  const target = { role: 'button', name: 'Sign in' };
  expect(answerOf(formOf({ question: '1.3.1', answer: 'repeat', target: JSON.stringify(target) }))).toEqual({
    question: '1.3.1',
    choice: 'repeat',
    target,
  });
});

test('a page from before, which names none, answers what is asked', () => {
  expect(answerOf(formOf({ answer: 'repeat', text: '' }))).toEqual({ choice: 'repeat' });
});

test('the end of a run names the question that was seen, where the page does', () => {
  expect(dismissalOf(formOf({ question: '0.1@1[2]/1', what: 'dismiss' }))).toEqual({ question: '0.1@1[2]/1' });
  expect(dismissalOf(formOf({ question: '', what: 'dismiss' }))).toEqual({});
});

test('another form is no answer', () => {
  expect(answerOf(formOf({ question: '1.0.0', what: 'dismiss' }))).toBeNull();
  expect(answerOf(formOf({ question: '1.0.0', answer: 'perhaps' }))).toBeNull();
});
