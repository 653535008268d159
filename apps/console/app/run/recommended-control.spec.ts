import { recommendedControlOf, replacementHref } from './recommended-control.ts';

const suggestion = { role: 'button', name: 'Submit renewal', exact: true };

test('a missing target with a similar control recommends it', () => {
  expect(recommendedControlOf({ code: 'TARGET_NOT_FOUND', details: { suggestion } })).toEqual(suggestion);
});

test.each([
  [{ code: 'TARGET_NOT_FOUND' }],
  [{ code: 'TARGET_NOT_FOUND', details: { suggestion: null } }],
  [{ code: 'TARGET_NOT_FOUND', details: { suggestion: { role: 'button' } } }],
  [{ code: 'TARGET_AMBIGUOUS', details: { suggestion } }],
] as const)('%j recommends nothing', (error) => expect(recommendedControlOf(error)).toBeNull());

test('the link opens the editor at the step', () => {
  const workflow = { id: 'w', name: 'renew', version: 3 };
  expect(replacementHref(workflow, { path: 'rows[2]/1' }, { role: 'button', name: 'A & B', exact: true })).toBe(
    '/workflows/renew/edit?version=3&step=rows%5B2%5D%2F1&role=button&name=A+%26+B#at=rows%5B2%5D%2F1',
  );
});
