import { evaluateAudit } from './audit.ts';

const url = 'https://advisories.example/1';
const report = (severity: string) =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: {
      leaky: { via: [{ name: 'leaky', severity, title: 'It leaks', url }] },
      above: { via: ['leaky'] },
    },
  });

test.each([
  ['a registry without advisories', JSON.stringify({ message: '405 Method Not Allowed', statusCode: 405 })],
  ['no answer', ''],
  ['an answer that is no JSON', '<html>'],
])('%s is skipped', (_, printed) => expect(evaluateAudit(printed, {})).toEqual({ kind: 'skipped' }));

test('severe advisories are found, unless there is a reason to accept them', () => {
  expect(evaluateAudit(report('critical'), {})).toEqual({
    kind: 'found',
    lines: [`leaky: critical: It leaks (${url})`],
  });
  expect(evaluateAudit(report('high'), { [url]: 'only in tests' })).toEqual({ kind: 'clean', unused: [] });
  expect(evaluateAudit(report('moderate'), {})).toEqual({ kind: 'clean', unused: [] });
});

test('names a reason without an advisory', () => {
  const printed = JSON.stringify({ auditReportVersion: 2, vulnerabilities: {} });
  expect(evaluateAudit(printed, { [url]: 'old' })).toEqual({ kind: 'clean', unused: [url] });
});
