import { monthlyUsage, nearLimit } from './monthly-usage.ts';

const spent = { month: '2026-11', tokens: 700, usd: 0.5, reserved: { tokens: 150, usd: 0.1 } };

test('says what was taken, of how much, and what is scarce', () => {
  const uses = monthlyUsage({ month: { tokens: 1000 } }, spent);
  expect(uses).toEqual([
    { unit: 'tokens', label: '850 of 1,000 tokens', share: 0.85 },
    { unit: 'usd', label: '$0.60', share: null },
  ]);
  expect(nearLimit(uses).map(({ unit }) => unit)).toEqual(['tokens']);
  expect(nearLimit(monthlyUsage({ month: { tokens: 2000, usd: 100 } }, spent))).toEqual([]);
  expect(nearLimit(monthlyUsage(null, spent))).toEqual([]);
});
