import type { ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import { errorCodes, errorDefinition } from '@pilothouse/contract/errors/error-codes';
import { failureReportOf, remediesOf } from './error-report.ts';

const context = { workflow: 'the workflow', hasScreenshot: false };
const notFound: ErrorView = {
  code: 'TARGET_NOT_FOUND',
  message: 'No element found at http://site/. role=button[name="Request renewal"]: nothing',
  retry: 'no',
  details: {
    tried: [{ locator: 'role=button[name="Request renewal"]', found: 'nothing' }],
    nearby: [{ kind: 'button', names: ['Submit renewal', 'Help'] }],
    url: 'http://site/',
  },
};

test('the summary of an error does not repeat its rows', () => {
  expect(failureReportOf(notFound)).toEqual({
    code: 'TARGET_NOT_FOUND',
    summary: errorDefinition('TARGET_NOT_FOUND').title,
    tried: [{ locator: 'role=button[name="Request renewal"]', found: 'nothing' }],
    nearby: [{ kind: 'button', names: ['Submit renewal', 'Help'] }],
    facts: [['page', 'http://site/']],
  });
  expect(remediesOf(notFound, context)).toEqual([
    'Fix the target in the workflow, e.g. "Submit renewal", or add a fallback locator.',
  ]);
  expect(remediesOf(notFound, { ...context, hasScreenshot: true })[0]).toBe(
    'Check the screenshot: is it the expected page?',
  );
});

test.each(errorCodes)('%s has a remedy without marks of Markdown', (code) => {
  const remedies = remediesOf(
    { code, details: { refusals: [{ host: 1 }, null, { host: 'a', rule: 'other' }] } },
    context,
  );
  expect(remedies.length).toBeGreaterThan(0);
  expect(remedies.join('')).not.toContain('`');
});

test('details of any shape give a report', () =>
  expect(
    failureReportOf({ code: 'INTERNAL', message: 'x', details: { tried: 1, nearby: [null], odd: { a: 1 } } }),
  ).toEqual({
    code: 'INTERNAL',
    summary: 'x',
    tried: [],
    nearby: [{ kind: '', names: [] }],
    facts: [['odd', '{"a":1}']],
  }));
