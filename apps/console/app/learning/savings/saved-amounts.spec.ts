import { tokensByDay, timeText, usdText } from './saved-amounts.ts';

test.each([
  [null, 'unknown'],
  [0, '$0'],
  [1.5, '$1.50'],
  [-0.25, '−$0.25'],
])('%s saved dollars are %s', (usd, text) => {
  expect(usdText({ usd })).toBe(text);
});

test.each([
  [0, '0 s'],
  [4.25, '4.3 s'],
  [-90, '−1 min 30 s'],
])('%s saved seconds are %s', (seconds, text) => {
  expect(timeText({ seconds })).toBe(text);
});

test('rows of a day become one entry, without negative tokens', () => {
  const amount = { runs: 1, usd: null, unpricedRuns: 1, seconds: 1 };
  expect(
    tokensByDay([
      { day: '2026-01-02', mechanism: 'compile', tokens: 900, ...amount },
      { day: '2026-01-02', mechanism: 'heal', tokens: -50, ...amount },
      { day: '2026-01-04', mechanism: 'action_cache', tokens: 10, ...amount },
    ]),
  ).toEqual([
    { day: '2026-01-02', action_cache: 0, compile: 900, heal: 0 },
    { day: '2026-01-04', action_cache: 10, compile: 0, heal: 0 },
  ]);
});
