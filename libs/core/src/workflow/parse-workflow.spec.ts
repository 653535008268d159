import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
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
    'order.yaml:8:13 "klick": Unknown action: did you mean click?',
    '/steps/1/action',
  ],
  ['unknown field', good.replace('    text:', '    txt:'), 'order.yaml:8:5', '/steps/1/text'],
  ['missing field', good.replace('name: order\n', ''), 'order.yaml:2:1', '/name'],
  ['wrong type', good.replace('name: order', 'name: 12'), 'order.yaml:2:7 12: ', '/name'],
  [
    'template with an unknown input',
    good.replace('inputs.sku', 'inputs.skew'),
    'order.yaml:10:11 "{{inputs.skew}}": {{inputs.skew}}: unknown input "skew". Did you mean sku? Inputs: sku',
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
    'order.yaml:4:34 true: `required` is a list of property names. An input is required by itself',
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
const withRetry = (retry: string, fields = '') =>
  withStep(`{ action: click, target: { css: a }, retry: { ${retry} }${fields} }`);

test.each<[string, string, string, string]>([
  [
    'a step of GitHub Actions',
    withStep('{ uses: actions/checkout@v4 }'),
    'Unknown field `uses`, a key of GitHub Actions: use `action: call` with `workflow`',
    '/steps/0/action',
  ],
  [
    'its key on a step',
    withStep('{ action: reload, uses: x }'),
    'Unknown field "uses", a key of GitHub Actions: use `action: call`',
    '/steps/0/uses',
  ],
  [
    '`env` of a step',
    withStep('{ action: reload, env: { A: b } }'),
    'Unknown field "env", a key of GitHub Actions: declare `inputs`',
    '/steps/0/env',
  ],
  [
    '`env` of a workflow',
    `${withStep('{ action: reload }')}env: { A: b }\n`,
    'Unknown field "env", a key of GitHub Actions: declare `inputs`',
    '/env',
  ],
  [
    '`on` of a workflow',
    `${withStep('{ action: reload }')}on: push\n`,
    'a key of GitHub Actions: remove it; runs are submitted with',
    '/on',
  ],
  [
    'an action of Playwright',
    withStep('{ action: setInputFiles, target: { css: a } }'),
    'Unknown action `setInputFiles`, an action of Playwright: use `upload` with `file`',
    '/steps/0/action',
  ],
  [
    'options of `fill`',
    withStep('{ action: type, target: { css: a }, text: x, force: true, noWaitAfter: true }'),
    'Unknown field "force", a key of Playwright: remove it',
    '/steps/0/force',
  ],
  [
    'a key of nested steps',
    withStep('{ action: group, steps: [{ action: click, selector: a, target: { css: a } }] }'),
    'Unknown field "selector", a key of Playwright: use `target`',
    '/steps/0/steps/0/selector',
  ],
  [
    'a key of Temporal',
    withRetry('maxAttempts: 2, backoffCoefficient: 2'),
    'Unknown field "backoffCoefficient", a key of Temporal',
    '/steps/0/retry/backoffCoefficient',
  ],
  [
    'a key that no tool has',
    withStep('{ action: reload, color: red }'),
    'Unknown field "color": remove it or fix the spelling',
    '/steps/0/color',
  ],
  [
    'a key that is similar to a known one',
    withStep('{ action: reload, titel: Again }'),
    'Unknown field "titel". Did you mean title?',
    '/steps/0/titel',
  ],
  ['a key of the workflow', 'name: a\nstep: []\nsteps: [{ action: reload }]', 'Did you mean steps?', '/step'],
  ['a name of JavaScript', withStep('{ action: constructor }'), 'Unknown action: use one of', '/steps/0/action'],
  [
    'a surface that does not exist',
    `${withStep('{ action: reload }')}surface: android\n`,
    'Unknown surface "android": use `browser` or `desktop`',
    '/surface',
  ],
  [
    'an action that the surface does not have',
    `${withStep('{ action: reload }')}surface: desktop\n`,
    '`reload` is not supported on the desktop surface',
    '/steps/0/action',
  ],
  [
    'an action of a desktop in a browser',
    withStep('{ action: openApp, app: mousepad }'),
    '`openApp` is not supported on the browser surface',
    '/steps/0/action',
  ],
  [
    'applications of a goal in a browser',
    withStep('{ action: goal, goal: Write a letter, apps: [mousepad] }'),
    '`apps` is not supported on the browser surface: remove it',
    '/steps/0/apps',
  ],
  [
    'a wildcard for every application',
    `${withStep('{ action: goal, goal: Write a letter, apps: ["*"] }')}surface: desktop\n`,
    'Use the id of an application, e.g. `mousepad`. A `*` at the end matches any rest',
    '/steps/0/apps/0',
  ],
  [
    'a locator of a desktop in a browser',
    withStep('{ action: click, target: { text: Save, within: { screenText: Save } } }'),
    'Locator field `screenText` is not supported on the browser surface: use role and name, label, text, testId, css or point',
    '/steps/0/target/within/screenText',
  ],
  [
    'a condition of a desktop in a browser',
    withStep('{ action: waitFor, condition: { stableMs: 500 } }'),
    'Condition `stableMs` is not supported on the browser surface: use one of url, title, text, visible, enabled, hidden, count, loadState',
    '/steps/0/condition/stableMs',
  ],
  [
    'a locator of a browser in a condition of a desktop',
    `${withStep('{ action: waitFor, condition: { count: { target: [{ text: a }, { css: b }], equals: 2 } } }')}surface: desktop\n`,
    'Locator field `css` is not supported on the desktop surface: use role and name, label, text, screenText, image, elementIndex or point',
    '/steps/0/condition/count/target/1/css',
  ],
  [
    'a window of a locator inside another',
    `${withStep('{ action: click, target: { text: a, within: { text: b, app: mousepad } } }')}surface: desktop\n`,
    '`within`, `near` and `has` do not support `app` or `window`',
    '/steps/0/target',
  ],
  [
    'browser settings of a desktop',
    `${withStep('{ action: openApp, app: mousepad }')}surface: desktop\nbrowser: { locale: de-DE }\n`,
    '`browser` settings are not supported on the desktop surface: remove them',
    '/browser',
  ],
  [
    'an id that has a meaning in paths',
    withStep('{ action: reload, id: catch }'),
    '"catch" is reserved in step paths',
    '/steps/0/id',
  ],
  ['an id that is a position', withStep("{ action: reload, id: '2' }"), 'not starting with a digit', '/steps/0/id'],
  [
    'a misspelt error code',
    withRetry('maxAttempts: 2, on: [NAVIGATION_FAILD]'),
    'Unknown error code "NAVIGATION_FAILD": did you mean NAVIGATION_FAILED?',
    '/steps/0/retry/on/0',
  ],
  [
    'an error that is not of a step',
    withRetry('maxAttempts: 2, on: [WORKER_LOST]'),
    'A step cannot be retried after WORKER_LOST',
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

test('steps that cannot run in parallel are rejected, with their location', () => {
  const parallel = (branches: string) =>
    failure(`name: both\nsteps:\n  - action: parallel\n    branches:\n${branches}`).message;
  const ok = '      a: { action: http, url: https://a.test/ }\n';
  expect(parallel(`${ok}      b: { action: click, target: { css: a } }`)).toMatch(/^order\.yaml:6:20 /);
  expect(parallel(`${ok}      b: { action: http, url: https://a.test/, expect: { url: x } }`)).toMatch(
    /^order\.yaml:6:\d+ .*Unknown field "expect"/,
  );
  expect(parallel(`${ok}      b: { action: http, url: 'https://a.test/{{steps.a.value}}' }`)).toMatch(
    /^order\.yaml:6:31 .*unknown step "a"/,
  );
  expect(parallel(ok)).toMatch(/^order\.yaml:4:5 .*at least two branches/);
});

test('a branch is a list that begins with a page and has its own values', () => {
  const parallel = (steps: string) =>
    `name: both\nsteps:\n  - { id: rows, action: extract, target: { css: a }, list: {} }\n  - id: all\n    action: parallel\n    branches:\n      a: { action: http, url: https://a.test/ }\n      b:\n${steps}output: '{{steps.all.value.b.title}}'\n`;
  const refusal = (steps: string) => failure(parallel(steps)).message;
  const navigate = '        - { action: navigate, url: https://b.test/ }\n';
  const title = '        - { id: title, action: extract, target: { css: h1 }, value: {} }\n';
  const use = (name: string) => `        - { action: fill, target: { css: input }, text: '{{steps.${name}.value}}' }\n`;
  expect(refusal(title)).toMatch(/^order\.yaml:9:32 .*begins on an empty page: make `navigate` its first step/);
  expect(refusal(`${navigate}        - { action: readClipboard }\n`)).toMatch(
    /^order\.yaml:10:\d+ .*cannot contain `parallel`, `saveProfile`, `readClipboard` or `writeClipboard`/,
  );
  expect(refusal(`${navigate}        - { action: reload, onInterrupted: ask }\n`)).toMatch(
    /^order\.yaml:10:\d+ .*`onInterrupted` is not supported/,
  );
  expect(refusal(`${navigate}${title}${use('later')}`)).toMatch(/^order\.yaml:11:\d+ .*unknown step "later"/);
  expect(refusal(`${navigate}${use('title')}${title}`)).toMatch(/^order\.yaml:10:\d+ .*step "title" comes later/);
  expect(refusal(`${navigate}${use('all')}${title}`)).toMatch(/^order\.yaml:10:\d+ .*cannot use its own value/);
  expect(refusal(`${navigate}${title.replace('title', 'rows')}`)).toMatch(
    /^order\.yaml:10:\d+ .*already has the id "rows"/,
  );
  expect(refusal(navigate)).toMatch(/^order\.yaml:10:\d+ .*(?:has no field|unknown field) "title"/);
  expect(() => failure(parallel(`${navigate}${title}${use('title')}${use('rows')}`))).toThrow();
  // Under control flow as well.
  const each = (steps: string) =>
    `        - action: forEach\n          in: [a]\n          steps:\n${steps.replaceAll(/^/gm, '    ').trimEnd()}\n`;
  expect(refusal(each(title))).toMatch(/^order\.yaml:12:\d+ .*make `navigate` its first step/);
  expect(
    refusal(each(`${navigate}${use('vars.nothing')}`.replace('steps.vars.nothing.value', 'vars.nothing'))),
  ).toMatch(/^order\.yaml:13:\d+ .*unknown variable "nothing". Variables at this step: item/);
  expect(refusal(each(`${navigate}${use('title')}${title}`))).toMatch(/^order\.yaml:13:\d+ .*step "title" comes later/);
  expect(() => failure(parallel(each(`${navigate}${title}${use('title')}`)))).toThrow();
});

test('a workflow called by a branch follows the rules of branches; goals declare their output', () => {
  const parallel = (steps: string, called: string) =>
    `name: both\nsteps:\n  - id: all\n    action: parallel\n    branches:\n      a: { action: http, url: https://a.test/ }\n      b:\n${steps}output: '{{steps.all.value.b.title.text}}'\nworkflows:\n  read:\n    inputs: { to: { type: string } }\n    steps:\n${called}    output: { text: x }\n    outputSchema: { type: object, properties: { text: { type: string } } }\n`;
  const call = '        - { id: title, action: call, workflow: read, inputs: { to: b } }\n';
  const navigate = "      - { action: navigate, url: 'https://b.test/{{inputs.to}}' }\n";
  const refusal = (steps: string, called = navigate) => failure(parallel(steps, called)).message;
  expect(() => failure(parallel(call, navigate))).toThrow();
  expect(refusal(call, '      - { action: goBack }\n')).toMatch(
    /^order\.yaml:8:\d+ .*make `navigate` the first step of read/,
  );
  expect(refusal(call, `${navigate}      - { action: saveProfile, name: x }\n`)).toMatch(
    /^order\.yaml:8:\d+ .*read has a `saveProfile` step/,
  );
  expect(refusal(call.replace(', inputs: { to: b }', ''))).toMatch(/read requires the input "to"/);
  expect(
    refusal(
      call,
      parallel(call, '')
        .split('\n')
        .slice(2, 8)
        .map((line) => `    ${line}\n`)
        .join(''),
    ),
  ).toMatch(/remove the recursive call/);
  const open = '        - { action: navigate, url: https://b.test/ }\n';
  const goal =
    '        - { id: title, action: goal, goal: Buy, outputSchema: { type: object, properties: { price: { type: number } } } }\n';
  expect(refusal(`${open}${goal}`)).toMatch(/unknown field "text"/);
  expect(() => failure(parallel(`${open}${goal.replace('price', 'text')}`, navigate))).toThrow();
});

test('unknown keys are reported with their location', () => {
  const error = failure(good.replace('url:', 'uri: x\n    url:'));
  expect(error.message).toContain('order.yaml:7:5 Unknown field "uri"');
});

test('aliases are resolved, alias bombs are rejected', () => {
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
  expect(failure(bomb).message).toContain('alias cannot be resolved');
});

const fieldsOf = (text: string): string[] => {
  try {
    parseWorkflow(text, { file: 'bad.yaml' });
  } catch (error) {
    return ((error as PilothouseError).fields ?? []).map(({ pointer }) => pointer).toSorted();
  }
  return [];
};

test('all independent problems are reported in one round, each once', () => {
  const text = `name: bad
surfce: browser
inputs:
  a: { type: strng }
steps:
  - { action: navigate, ulr: 'http://x/', url: 'http://{{inputs.z}}/{{inputs.a}}' }
  - { id: gone, action: clik, target: { text: x } }
  - { id: same, action: click, target: { css: 'a[' } }
  - { id: same, action: fill, target: { label: x }, text: '{{steps.none.value}} {{steps.gone.value.0}}' }
  - { action: forEach, in: inputs.none, steps: [{ action: click }] }
output: '{{inputs.q}} {{inputs.q}}'
`;
  expect(fieldsOf(text)).toEqual([
    '/inputs/a/type',
    '/output',
    '/steps/0/ulr',
    '/steps/0/url',
    '/steps/1/action',
    '/steps/2/target/css',
    '/steps/3/id',
    '/steps/3/text',
    '/steps/4/in',
    '/steps/4/steps/0/target',
    '/surfce',
  ]);
});

test.each<[string, string, string[]]>([
  ['inputs that are a list', 'name: a\ninputs: [a, b]\nSTEP', ['/inputs']],
  [
    'inputs of a workflow in the file',
    `name: a\nworkflows:\n  w:\n    inputs: none\n    steps: [{ action: navigate, url: 'http://{{inputs.a}}' }]\nsteps: [{ action: call, workflow: w }]\n`,
    ['/workflows/w/inputs'],
  ],
  [
    'an unknown key with the name of a method',
    'name: a\ntoString: x\nconstructor: y\nSTEP',
    ['/constructor', '/steps/0/url', '/steps/0/url', '/toString'],
  ],
])('what depends on an invalid part is not reported: %s', (_, text, pointers) => {
  const step = "steps: [{ action: navigate, url: 'http://{{inputs.a}}/{{inputs.b}}' }]\n";
  expect(fieldsOf(text.replace('STEP', step))).toEqual(pointers);
});
