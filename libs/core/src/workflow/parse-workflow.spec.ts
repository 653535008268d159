import { PilothouseError } from '@pilothouse/contract';
import { parseWorkflow } from './parse-workflow.ts';

const good = `# yaml-language-server: $schema=../schema/workflow.schema.json
name: order
inputs:
  sku: { type: string, default: A-1 }
steps:
  - action: navigate
    url: https://example.org
  - action: fill
    target: { label: Search }
    text: "{{inputs.sku}}"
`;

function failure(text: string): PilothouseError {
  try {
    parseWorkflow(text, { file: 'order.yaml' });
  } catch (thrown) {
    if (thrown instanceof PilothouseError) return thrown;
    throw thrown;
  }
  throw new Error('It was accepted');
}

test('YAML and JSON give the same workflow', () => {
  const fromYaml = parseWorkflow(good);
  expect(fromYaml).toMatchObject({ name: 'order', steps: [{ action: 'navigate' }, { text: '{{inputs.sku}}' }] });
  expect(parseWorkflow(JSON.stringify(fromYaml))).toEqual(fromYaml);
  expect(parseWorkflow(JSON.stringify(fromYaml, null, '\t'))).toEqual(fromYaml);
  expect(parseWorkflow(JSON.stringify({ $schema: 'x', ...fromYaml }))).toEqual(fromYaml);
});

test.each<[string, string, string, string]>([
  [
    'unknown action',
    good.replace('action: fill', 'action: klick'),
    'order.yaml:8:13 "klick": A step needs an `action`',
    '/steps/1/action',
  ],
  ['unknown field', good.replace('    text:', '    txt:'), 'order.yaml:8:5', '/steps/1/text'],
  ['missing field', good.replace('name: order\n', ''), 'order.yaml:2:1', '/name'],
  ['wrong type', good.replace('name: order', 'name: 12'), 'order.yaml:2:7 12: ', '/name'],
  [
    'template that names nothing',
    good.replace('inputs.sku', 'inputs.skew'),
    'order.yaml:10:11 "{{inputs.skew}}": {{inputs.skew}}: there is no input "skew"; there are: sku',
    '/steps/1/text',
  ],
  [
    'wrong default',
    good.replace('default: A-1', 'default: 3'),
    'order.yaml:4:33 3: The default must be a string',
    '/inputs/sku/default',
  ],
  [
    'an input marked as required',
    good.replace('default: A-1', 'required: true'),
    'order.yaml:4:34 true: `required` lists the properties that an object must have; an input is required without it',
    '/inputs/sku/required',
  ],
  ['two locators', good.replace('label: Search', 'label: Search, text: x'), 'order.yaml:9:5', '/steps/1/target'],
  ['duplicate key', `${good}name: again\n`, 'order.yaml:11:1', ''],
  ['second document', `${good}---\nname: b\n`, 'order.yaml:11:1', ''],
  ['broken YAML', `${good}  foo: [`, 'order.yaml:11', ''],
  ['unknown tag', good.replace('name: order', 'name: !js order'), 'order.yaml:2:7', ''],
  ['nothing', '', 'order.yaml:1:1 The file is empty', ''],
  ['only a comment', '# hello\n', 'order.yaml:1:1 The file is empty', ''],
  ['a text', 'hello', 'order.yaml:1:1', ''],
])('%s', (_, text, message, pointer) => {
  const error = failure(text);
  expect(error.code).toBe('VALIDATION_FAILED');
  expect(error.message).toContain(message);
  expect(error.fields?.[0]?.pointer).toBe(pointer);
  const positions = error.details?.['positions'] as { line: number; column: number; pointer: string }[];
  expect(positions).toHaveLength(error.fields?.length ?? 0);
  expect(error.message.startsWith(`order.yaml:${positions[0]?.line}:${positions[0]?.column} `)).toBe(true);
});

const withStep = (step: string) => `name: order\nsteps:\n  - ${step}\n`;
const withRetry = (retry: string, more = '') =>
  withStep(`{ action: click, target: { css: a }, retry: { ${retry} }${more} }`);

test.each<[string, string, string, string]>([
  [
    'a step of GitHub Actions',
    withStep('{ uses: actions/checkout@v4 }'),
    '`uses` is a key of GitHub Actions: use `action: call` with `workflow`',
    '/steps/0/action',
  ],
  [
    'its key on a step',
    withStep('{ action: reload, uses: x }'),
    '"uses" is not known here, it is a key of GitHub Actions: use `action: call`',
    '/steps/0/uses',
  ],
  [
    '`env` of a step',
    withStep('{ action: reload, env: { A: b } }'),
    '"env" is not known here, it is a key of GitHub Actions: declare `inputs`',
    '/steps/0/env',
  ],
  [
    '`env` of a workflow',
    `${withStep('{ action: reload }')}env: { A: b }\n`,
    '"env" is not known here, it is a key of GitHub Actions: declare `inputs`',
    '/env',
  ],
  [
    '`on` of a workflow',
    `${withStep('{ action: reload }')}on: push\n`,
    'it is a key of GitHub Actions: remove it; runs are submitted with',
    '/on',
  ],
  [
    'an action of Playwright',
    withStep('{ action: setInputFiles, target: { css: a } }'),
    '`setInputFiles` is an action of Playwright: use `upload` with `file`',
    '/steps/0/action',
  ],
  [
    'options of `fill`',
    withStep('{ action: type, target: { css: a }, text: x, force: true, noWaitAfter: true }'),
    '"force" is not known here, it is a key of Playwright: remove it',
    '/steps/0/force',
  ],
  [
    'a key of nested steps',
    withStep('{ action: group, steps: [{ action: click, selector: a, target: { css: a } }] }'),
    '"selector" is not known here, it is a key of Playwright: use `target`',
    '/steps/0/steps/0/selector',
  ],
  [
    'a key of Temporal',
    withRetry('maxAttempts: 2, backoffCoefficient: 2'),
    '"backoffCoefficient" is not known here, it is a key of Temporal',
    '/steps/0/retry/backoffCoefficient',
  ],
  [
    'a key that no tool has',
    withStep('{ action: reload, colour: red }'),
    '"colour" is not known here; remove it or correct its name',
    '/steps/0/colour',
  ],
  ['a name of JavaScript', withStep('{ action: constructor }'), 'A step needs an `action`', '/steps/0/action'],
  [
    'a surface that does not exist',
    `${withStep('{ action: reload }')}surface: android\n`,
    'There is no surface "android"; use `browser` or `desktop`',
    '/surface',
  ],
  [
    'an action that the surface does not have',
    `${withStep('{ action: reload }')}surface: desktop\n`,
    'A desktop has no action `reload`',
    '/steps/0/action',
  ],
  [
    'an action of a desktop in a browser',
    withStep('{ action: openApp, app: mousepad }'),
    'A browser has no action `openApp`',
    '/steps/0/action',
  ],
  [
    'applications of a goal in a browser',
    withStep('{ action: goal, goal: Write a letter, apps: [mousepad] }'),
    'A browser has no applications; remove `apps`',
    '/steps/0/apps',
  ],
  [
    'a wildcard for every application',
    `${withStep('{ action: goal, goal: Write a letter, apps: ["*"] }')}surface: desktop\n`,
    'Use the id of an application, e.g. `mousepad`; a `*` at the end stands for any rest',
    '/steps/0/apps/0',
  ],
  [
    'a locator of a desktop in a browser',
    withStep('{ action: click, target: { text: Save, within: { screenText: Save } } }'),
    'A browser has no locator `screenText`; use role and name, label, text, testId, css or point',
    '/steps/0/target/within/screenText',
  ],
  [
    'a condition of a desktop in a browser',
    withStep('{ action: waitFor, condition: { stableMs: 500 } }'),
    'A browser has no condition `stableMs`; use one of url, title, text, visible, enabled, hidden, count, loadState',
    '/steps/0/condition/stableMs',
  ],
  [
    'a locator of a browser in a condition of a desktop',
    `${withStep('{ action: waitFor, condition: { count: { target: [{ text: a }, { css: b }], equals: 2 } } }')}surface: desktop\n`,
    'A desktop has no locator `css`; use role and name, label, text, screenText, image, elementIndex or point',
    '/steps/0/condition/count/target/1/css',
  ],
  [
    'a window of a locator inside another',
    `${withStep('{ action: click, target: { text: a, within: { text: b, app: mousepad } } }')}surface: desktop\n`,
    '`within`, `near` and `has` take no `app` or `window`: they are in the same window',
    '/steps/0/target',
  ],
  [
    'browser settings of a desktop',
    `${withStep('{ action: openApp, app: mousepad }')}surface: desktop\nbrowser: { locale: de-DE }\n`,
    'A desktop has no browser settings; remove them',
    '/browser',
  ],
  [
    'an id that has a meaning in paths',
    withStep('{ action: reload, id: catch }'),
    '"catch" has a meaning of its own in the path of a step',
    '/steps/0/id',
  ],
  ['an id that is a position', withStep("{ action: reload, id: '2' }"), 'not starting with a digit', '/steps/0/id'],
  [
    'a misspelt error code',
    withRetry('maxAttempts: 2, on: [NAVIGATION_FAILD]'),
    'There is no error code "NAVIGATION_FAILD"; did you mean NAVIGATION_FAILED?',
    '/steps/0/retry/on/0',
  ],
  [
    'an error that is not of a step',
    withRetry('maxAttempts: 2, on: [WORKER_LOST]'),
    'A step is not attempted again after WORKER_LOST',
    '/steps/0/retry/on/0',
  ],
  ['a single attempt', withRetry('maxAttempts: 1'), 'the first attempt counts', '/steps/0/retry/maxAttempts'],
  ['too many attempts', withRetry('maxAttempts: 11'), 'expected number to be <=10', '/steps/0/retry/maxAttempts'],
  [
    'retry of a step that is not idempotent',
    withRetry('maxAttempts: 2', ', idempotent: false'),
    'The step is not idempotent',
    '/steps/0/retry',
  ],
  [
    'codes that do not suit it',
    withRetry('maxAttempts: 2, on: [TARGET_NOT_ACTIONABLE, STEP_TIMED_OUT]', ', idempotent: false'),
    'after STEP_TIMED_OUT input may have been sent. Set `retry.on` to some of TARGET_NOT_FOUND',
    '/steps/0/retry/on',
  ],
  [
    'retry of a POST',
    withStep('{ action: http, method: POST, url: "https://a.test/", retry: { maxAttempts: 2 } }'),
    'The step is not idempotent',
    '/steps/0/retry',
  ],
])('%s is refused with what to do instead', (_, text, message, pointer) => {
  const error = failure(text);
  expect(error.message).toContain(message);
  expect(error.fields?.[0]?.pointer).toBe(pointer);
});

test.each([
  withRetry('maxAttempts: 3'),
  withRetry('maxAttempts: 3, backoffSeconds: 0.5, on: [GOAL_FAILED]'),
  withRetry('maxAttempts: 3, on: [TARGET_NOT_ACTIONABLE, TARGET_NOT_FOUND]', ', idempotent: false'),
])('a policy is accepted: %s', (text) => expect(() => parseWorkflow(text)).not.toThrow());

test('what cannot be beside others is refused where it stands', () => {
  const parallel = (branches: string) =>
    failure(`name: both\nsteps:\n  - action: parallel\n    branches:\n${branches}`).message;
  const ok = '      a: { action: http, url: https://a.test/ }\n';
  expect(parallel(`${ok}      b: { action: click, target: { css: a } }`)).toMatch(/^order\.yaml:6:20 /);
  expect(parallel(`${ok}      b: { action: http, url: https://a.test/, expect: { url: x } }`)).toMatch(
    /^order\.yaml:6:\d+ .*"expect" is not known here/,
  );
  expect(parallel(`${ok}      b: { action: http, url: 'https://a.test/{{steps.a.value}}' }`)).toMatch(
    /^order\.yaml:6:31 .*there is no step "a"/,
  );
  expect(parallel(ok)).toMatch(/^order\.yaml:4:5 .*at least two branches/);
});

test('a branch is a list that begins with a page and knows its own values', () => {
  const parallel = (steps: string) =>
    `name: both\nsteps:\n  - { id: rows, action: extract, target: { css: a }, list: {} }\n  - id: all\n    action: parallel\n    branches:\n      a: { action: http, url: https://a.test/ }\n      b:\n${steps}output: '{{steps.all.value.b.title}}'\n`;
  const refusal = (steps: string) => failure(parallel(steps)).message;
  const navigate = '        - { action: navigate, url: https://b.test/ }\n';
  const title = '        - { id: title, action: extract, target: { css: h1 }, value: {} }\n';
  const use = (name: string) => `        - { action: fill, target: { css: input }, text: '{{steps.${name}.value}}' }\n`;
  expect(refusal(title)).toMatch(/^order\.yaml:9:32 .*begins on an empty page: its first step is `navigate`/);
  expect(refusal(`${navigate}        - { action: readClipboard }\n`)).toMatch(
    /^order\.yaml:10:\d+ .*no `parallel`, `saveProfile`, `readClipboard` or `writeClipboard`/,
  );
  expect(refusal(`${navigate}        - { action: reload, onInterrupted: ask }\n`)).toMatch(
    /^order\.yaml:10:\d+ .*no `onInterrupted`/,
  );
  expect(refusal(`${navigate}${title}${use('later')}`)).toMatch(/^order\.yaml:11:\d+ .*there is no step "later"/);
  expect(refusal(`${navigate}${use('title')}${title}`)).toMatch(/^order\.yaml:10:\d+ .*step "title" comes later/);
  expect(refusal(`${navigate}${use('all')}${title}`)).toMatch(/^order\.yaml:10:\d+ .*cannot use its own value/);
  expect(refusal(`${navigate}${title.replace('title', 'rows')}`)).toMatch(
    /^order\.yaml:10:\d+ .*the id "rows" already/,
  );
  expect(refusal(navigate)).toMatch(/^order\.yaml:10:\d+ .*there is no "title"/);
  expect(() => failure(parallel(`${navigate}${title}${use('title')}${use('rows')}`))).toThrow();
  // Under control flow as well.
  const each = (steps: string) =>
    `        - action: forEach\n          in: [a]\n          steps:\n${steps.replaceAll(/^/gm, '    ').trimEnd()}\n`;
  expect(refusal(each(title))).toMatch(/^order\.yaml:12:\d+ .*its first step is `navigate`/);
  expect(
    refusal(each(`${navigate}${use('vars.nothing')}`.replace('steps.vars.nothing.value', 'vars.nothing'))),
  ).toMatch(/^order\.yaml:13:\d+ .*no variable "nothing" here; there are: item/);
  expect(refusal(each(`${navigate}${use('title')}${title}`))).toMatch(/^order\.yaml:13:\d+ .*step "title" comes later/);
  expect(() => failure(parallel(each(`${navigate}${title}${use('title')}`)))).toThrow();
});

test('what a branch calls begins with a page and does what a branch may; goals say what they give', () => {
  const parallel = (steps: string, called: string) =>
    `name: both\nsteps:\n  - id: all\n    action: parallel\n    branches:\n      a: { action: http, url: https://a.test/ }\n      b:\n${steps}output: '{{steps.all.value.b.title.text}}'\nworkflows:\n  read:\n    inputs: { to: { type: string } }\n    steps:\n${called}    output: { text: x }\n    outputSchema: { type: object, properties: { text: { type: string } } }\n`;
  const call = '        - { id: title, action: call, workflow: read, inputs: { to: b } }\n';
  const navigate = "      - { action: navigate, url: 'https://b.test/{{inputs.to}}' }\n";
  const refusal = (steps: string, called = navigate) => failure(parallel(steps, called)).message;
  expect(() => failure(parallel(call, navigate))).toThrow();
  expect(refusal(call, '      - { action: goBack }\n')).toMatch(
    /^order\.yaml:8:\d+ .*first step of read has to be `navigate`/,
  );
  expect(refusal(call, `${navigate}      - { action: saveProfile, name: x }\n`)).toMatch(
    /^order\.yaml:8:\d+ .*read comes to a `saveProfile` step/,
  );
  expect(refusal(call.replace(', inputs: { to: b }', ''))).toMatch(/"to" of read is missing/);
  expect(
    refusal(
      call,
      parallel(call, '')
        .split('\n')
        .slice(2, 8)
        .map((line) => `    ${line}\n`)
        .join(''),
    ),
  ).toMatch(/calls must not go round in a circle/);
  const open = '        - { action: navigate, url: https://b.test/ }\n';
  const goal =
    '        - { id: title, action: goal, goal: Buy, outputSchema: { type: object, properties: { price: { type: number } } } }\n';
  expect(refusal(`${open}${goal}`)).toMatch(/there is no "text"/);
  expect(() => failure(parallel(`${open}${goal.replace('price', 'text')}`, navigate))).toThrow();
});

test('unknown keys are shown where they stand', () => {
  const error = failure(good.replace('url:', 'uri: x\n    url:'));
  expect(error.message).toContain('order.yaml:7:5 "uri" is not known here');
});

test('aliases are followed, bombs are not', () => {
  const shared =
    good.replace('target: { label: Search }', 'target: &field { label: Search }') +
    '  - { action: click, target: *field }\n';
  expect(parseWorkflow(shared).steps[2]).toEqual({ action: 'click', target: { label: 'Search' } });
  const bomb = [
    'a: &a [1,1,1,1,1,1,1,1,1]',
    ...'bcdefgh'.split('').map((name, index) => {
      const previousName = 'abcdefg'[index];
      return `${name}: &${name} [${Array(9).fill(`*${previousName}`).join(',')}]`;
    }),
  ].join('\n');
  expect(failure(bomb).message).toContain('Aliases are refused');
});
