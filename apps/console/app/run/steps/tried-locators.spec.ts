import { triedLocatorsOf } from './tried-locators.ts';

const error = (details: Record<string, unknown>) =>
  ({ code: 'TARGET_NOT_FOUND', message: 'x', retry: 'no', details }) as never;

test('lists the tried locators of a step, the last one matched', () => {
  const tried = [
    { locator: 'label="Quantity"', matches: 0, elapsedMs: 300 },
    { locator: 'css=#qty', matches: 1, elapsedMs: 302 },
  ];
  expect(triedLocatorsOf({ located: { locator: 'css=#qty', triedCount: 2, tried }, error: null })).toEqual([
    { locator: 'label="Quantity"', result: 'No match', elapsedMs: 300, isMatch: false },
    { locator: 'css=#qty', result: '1 match', elapsedMs: 302, isMatch: true },
  ]);
});

test.each([
  [1, '1 match'],
  [3, '1 match, locator 3 of the target'],
])('without a log, the matching locator of %i tried ones is listed', (triedCount, result) => {
  expect(triedLocatorsOf({ located: { locator: 'css=a', triedCount }, error: null })).toEqual([
    { locator: 'css=a', result, elapsedMs: null, isMatch: true },
  ]);
});

test.each([
  [
    {
      tried: [
        { locator: 'a', found: 'nothing' },
        { locator: 'b', found: '2 elements, hidden' },
      ],
    },
    ['No match', '2 elements, hidden'],
  ],
  [{ locator: 'a', count: 4, matches: ['x'] }, ['4 matches']],
  [{ locator: 'a', reason: 'it is covered' }, ['1 match, but it is covered']],
  [{ url: 'x' }, []],
])('the details %j of an error', (details, results) => {
  expect(triedLocatorsOf({ located: null, error: error(details) }).map(({ result }) => result)).toEqual(results);
});

test('a step without a target has no log', () => {
  expect(triedLocatorsOf({ located: null, error: null })).toEqual([]);
});
