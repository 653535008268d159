import { layoutMeta, pageProblemOf } from './page-problem.ts';

/** A response that a loader threw, as the router passes it on. */
const thrown = (status: number, data: unknown) => ({ status, statusText: '', internal: false, data });

test.each([
  ['a missing page', thrown(404, { code: 'NOT_FOUND', message: 'Run x not found.' }), 'Not found'],
  ['an unknown address', thrown(404, null), 'Not found'],
  ['a refused page', thrown(403, { code: 'FORBIDDEN', message: 'No.' }), 'Access denied'],
  ['an API that does not answer', thrown(503, { code: 'UNAVAILABLE', message: '' }), 'API unavailable'],
  ['a lost connection', new TypeError('Failed to fetch'), 'API unavailable'],
  ['a defect', new Error('x is undefined'), 'Something went wrong'],
])('the title of %s names the problem', (_, error, title) => {
  expect(layoutMeta({ error })).toEqual([{ title: `${title} · Pilothouse` }]);
  expect(pageProblemOf(error).title).toBe(title);
});

test.each([undefined, null])('a page without an error (%p) keeps the title of the product', (error) => {
  expect(layoutMeta({ error })).toEqual([{ title: 'Pilothouse' }]);
});

test('an error shows the message of the API, and no internal message', () => {
  expect(pageProblemOf(thrown(404, { code: 'NOT_FOUND', message: 'Run x not found.' })).message).toBe(
    'Run x not found.',
  );
  expect(pageProblemOf(new Error('secret')).message).toBe('');
});
