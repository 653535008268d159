import { errorCodes, errorDefinition } from '@pilothouse/contract/errors/error-codes';
import type { ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import { failureLines } from './failure-report.ts';
import { styleFor } from './text-style.ts';

const plain = styleFor(false);
const context = { run: '0197f3c2-1a2b', file: null, workflow: null, screenshot: null };

const notFound: ErrorView = {
  code: 'TARGET_NOT_FOUND',
  message: 'No element found at http://site/login. role=button[name="Log on"]: nothing; css=#login: 1 element, hidden',
  retry: 'no',
  details: {
    tried: [
      { locator: 'role=button[name="Log on"]', found: 'nothing' },
      { locator: 'css=#login', found: '1 element, hidden' },
    ],
    nearby: [{ kind: 'button', names: ['Log in', 'Help'] }],
    url: 'http://site/login',
  },
};

test('a missing target shows each locator, the elements on the page, the screenshot and the fix', () => {
  const screenshot = { name: 'failure.png', url: 'http://api/v1/objects/a?sig=1' };
  expect(failureLines(notFound, { ...context, file: 'order.yaml', screenshot }, plain)).toEqual([
    'TARGET_NOT_FOUND  No locator of the step found an element',
    '  tried                       found',
    '  role=button[name="Log on"]  nothing',
    '  css=#login                  1 element, hidden',
    '  on the page  button: "Log in", "Help"',
    '  page        http://site/login',
    '  screenshot  http://api/v1/objects/a?sig=1',
    '',
    'Next steps',
    '  Check the screenshot: is it the expected page?',
    '  Fix the target in order.yaml, e.g. "Log in", or add a fallback locator.',
    '  Then: npx pilothouse run order.yaml',
  ]);
});

test('a stored workflow is updated: a retry would execute the same definition', () => {
  const lines = failureLines(notFound, { ...context, workflow: 'order' }, plain);
  expect(lines.at(-1)).toBe('  Then: npx pilothouse workflows apply <file>, then npx pilothouse run order');
});

test('an unmet condition is shown once, with the page', () => {
  const error: ErrorView = {
    code: 'CONDITION_NOT_MET',
    message:
      'The basket is empty: the page does not show "1 item". The page is http://site/, "Basket", and says: Nothing here',
    retry: 'no',
    details: {
      unmet: ['the page does not show "1 item"'],
      url: 'http://site/',
      title: 'Basket',
      text: 'Nothing\nhere',
    },
  };
  const lines = failureLines(error, context, plain);
  expect(lines[0]).toBe('CONDITION_NOT_MET  The basket is empty: the page does not show "1 item"');
  expect(lines).toContain('  text   Nothing here');
});

test('an unmet condition shows the elements on the page', () => {
  const details = {
    unmet: ['role=button[name="Save"] is not visible'],
    nearby: [{ kind: 'button', names: ['Store'] }],
  };
  const error: ErrorView = { code: 'CONDITION_NOT_MET', message: 'It is not visible', retry: 'no', details };
  expect(failureLines(error, context, plain)).toContain('  on the page  button: "Store"');
});

test('several matches are listed once', () => {
  const matches = ['<button>Edit</button> in “Rope”', '<button>Edit</button> in “Lamp”'];
  const message = `role=button matches 2 elements: ${matches.join(', ')}; make it more exact`;
  const details = { locator: 'role=button', count: 2, matches };
  const lines = failureLines({ code: 'TARGET_AMBIGUOUS', message, retry: 'no', details }, context, plain);
  expect(lines.join('\n').split('in “Rope”')).toHaveLength(2);
  expect(lines[0]).toBe('TARGET_AMBIGUOUS  A locator matches more than one element');
});

test('an output that does not match names its fields', () => {
  const details = { fields: [{ pointer: '/rows', detail: 'must not have fewer than 1 items' }] };
  const error: ErrorView = { code: 'OUTPUT_INVALID', message: 'The output does not match', retry: 'no', details };
  expect(failureLines(error, context, plain)).toContain('  /rows  must not have fewer than 1 items');
});

test.each(errorCodes)('%s has next steps, and no control characters', (code) => {
  const { retry } = errorDefinition(code);
  const details = {
    odd: '\u001b[2J',
    tried: [{ locator: '\u001b[1A', found: 'a\nb' }],
    nearby: [{ kind: 1, names: null }],
  };
  const lines = failureLines({ code, message: 'It\u001b]0;x\u0007 failed', retry, details }, context, plain);
  expect(lines.join('')).not.toMatch(/\p{Cc}/u);
  expect(lines.indexOf('Next steps')).toBeLessThan(lines.length - 1);
});

test('an error without specific advice shows the help of the error catalog', () => {
  const error: ErrorView = { code: 'GOAL_FAILED', message: 'It found no rope', retry: 'no' };
  expect(failureLines(error, context, plain)).toContain(
    '  Read the turns of the agent. Make the goal more precise, or raise maxTurns.',
  );
});

test.each([
  [
    'private-address',
    'Add 10.1.2.3 to PILOTHOUSE_EGRESS_ALLOW_PRIVATE of the worker (Kubernetes: egress.allowPrivate of the fleet). Egress lists cannot allow it.',
  ],
  ['project', 'Add shop.test to the egress list of the project.'],
  ['run', 'Add shop.test to the egress list of the run.'],
  ['worker', 'Use another address: runs cannot reach the ports of the worker.'],
])('a connection that %s blocked names what allows it', (rule, remedy) => {
  const refusals = [{ host: 'shop.test', port: 443, rule, address: '10.1.2.3' }];
  const error: ErrorView = { code: 'EGRESS_BLOCKED', message: 'It was refused', retry: 'no', details: { refusals } };
  expect(failureLines(error, context, plain).slice(-2)).toEqual([
    `  ${remedy}`,
    `  Full log: npx pilothouse logs ${context.run}`,
  ]);
});
