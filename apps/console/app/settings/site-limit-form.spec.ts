import { politenessOf, siteFieldOf } from './site-limit-form.ts';

const form = (fields: Record<string, string>) => politenessOf((field) => fields[field] ?? '');
const row = { 'politeness.rows': '1', 'politeness.0.domain': ' *.example.com ' };

test('an empty form has no settings', () => {
  expect(form({})).toBeNull();
  expect(form({ robots: 'report' })).toEqual({ robots: 'report' });
});

test('limits are read row by row', () =>
  expect(
    form({
      ...row,
      'politeness.rows': '2',
      'politeness.0.requestsPerMinute': '0.5',
      'politeness.1.domain': 'a.test',
      'politeness.1.maxConcurrentRuns': '2',
    }),
  ).toEqual({
    limits: [
      { domain: '*.example.com', requestsPerMinute: 0.5 },
      { domain: 'a.test', maxConcurrentRuns: 2 },
    ],
    robots: 'ignore',
  }));

test.each([
  [{ 'politeness.rows': '1' }, 'politeness.0.domain'],
  [row, 'politeness.0.requestsPerMinute'],
  [{ ...row, 'politeness.0.requestsPerMinute': 'slow' }, 'politeness.0.requestsPerMinute'],
  [{ ...row, 'politeness.0.maxConcurrentRuns': '1.5' }, 'politeness.0.maxConcurrentRuns'],
])('of %j names %s', (fields, field) => expect(() => form(fields)).toThrow(expect.objectContaining({ field })));

test('finds the form field of an API error', () => {
  expect(siteFieldOf('/politeness/limits/1/maxConcurrentRuns')).toBe('politeness.1.maxConcurrentRuns');
  expect(siteFieldOf('/politeness/limits/1')).toBe('politeness.1.domain');
  expect(siteFieldOf('/politeness/robots')).toBeNull();
});
