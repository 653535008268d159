import { monthlyUsage, nearLimit } from './monthly-usage.ts';

const usage = { month: '2026-11', tokens: 700, usd: 0.5, reserved: { tokens: 150, usd: 0.1 } };

test('reports usage and limits, and which limits are near', () => {
  const unitUsages = monthlyUsage({ month: { tokens: 1000 } }, usage);
  expect(unitUsages).toEqual([
    { unit: 'tokens', label: '850 of 1,000 tokens', share: 0.85 },
    { unit: 'usd', label: '$0.60', share: null },
  ]);
  expect(nearLimit(unitUsages).map(({ unit }) => unit)).toEqual(['tokens']);
  expect(nearLimit(monthlyUsage({ month: { tokens: 2000, usd: 100 } }, usage))).toEqual([]);
  expect(nearLimit(monthlyUsage(null, usage))).toEqual([]);
});
