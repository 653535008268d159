import { fieldErrors } from '@pilothouse/contract/errors/field-errors';
import { chromeRecordingSchema } from '@pilothouse/contract/workflow/chrome-recording.schema';
import { workflowDefinitionSchema } from '@pilothouse/contract/workflow/workflow.schema';
import { lintDefinition } from '../workflow/lint/lint-workflow.ts';
import { findTemplates, parseTemplate } from '../workflow/templates.ts';
import { exportRecording, importRecording } from './chrome-recorder.ts';

const recording = chromeRecordingSchema.parse({
  title: 'Log in & look',
  steps: [
    {
      type: 'setViewport',
      width: 1000,
      height: 700,
      deviceScaleFactor: 1,
      isMobile: false,
      hasTouch: false,
      isLandscape: false,
    },
    {
      type: 'navigate',
      url: 'https://shop.test/login',
      assertedEvents: [{ type: 'navigation', url: 'https://shop.test/login', title: 'Log in' }],
    },
    {
      type: 'change',
      value: 'robin',
      selectors: [['aria/E-mail'], ['#email'], ['xpath///*[@id="email"]'], ['pierce/#email']],
      target: 'main',
    },
    {
      type: 'click',
      target: 'main',
      selectors: [['aria/Log in[role="button"]'], ['my-form', '#go'], ['text/Log in']],
      offsetX: 3,
      offsetY: 4,
      assertedEvents: [{ type: 'navigation', url: 'https://shop.test/home?session=1', title: '' }],
    },
    { type: 'doubleClick', target: 'main', selectors: ['aria/Row'], offsetX: 1, offsetY: 1 },
    { type: 'keyDown', target: 'main', key: 'Control' },
    { type: 'keyDown', target: 'main', key: 'a' },
    { type: 'keyUp', target: 'main', key: 'a' },
    { type: 'keyUp', target: 'main', key: 'Control' },
    { type: 'keyDown', target: 'main', key: 'Enter' },
    { type: 'scroll', target: 'main', x: 0, y: 500 },
    { type: 'waitForElement', selectors: ['.done'] },
    { type: 'click', target: 'main', frame: [0], selectors: ['#in'] },
    { type: 'waitForExpression', expression: 'true' },
  ],
});

test('a recording becomes a valid workflow with notes on unsupported steps', () => {
  const { workflow, notes, missing } = importRecording(recording);
  expect(workflowDefinitionSchema.parse(workflow)).toMatchObject({
    name: 'log-in-look',
    title: 'Log in & look',
    browser: { viewport: { width: 1000, height: 700 } },
    steps: [
      { action: 'navigate', url: 'https://shop.test/login' },
      {
        action: 'fill',
        text: 'robin',
        target: [{ label: 'E-mail', exact: true }, { css: '#email' }, { css: '#email' }],
      },
      {
        action: 'click',
        target: [
          { role: 'button', name: 'Log in', exact: true },
          { css: '#go', within: { css: 'my-form' } },
          { text: 'Log in', exact: true },
        ],
        expect: { url: 'https://shop.test/home' },
      },
      { action: 'click', count: 2 },
      { action: 'press', key: 'Control+a' },
      { action: 'press', key: 'Enter' },
      { action: 'waitFor', condition: { visible: [{ css: '.done' }] } },
      { action: 'click', target: [{ css: '#in', within: { css: ':nth-match(iframe, frame, 1)' } }] },
      { action: 'assert', message: 'Not imported: Step 14 (waitForExpression): no equivalent step' },
    ],
  });
  expect(workflow.steps).toHaveLength(9);
  expect(notes).toEqual([expect.stringContaining('Step 11 (scroll)')]);
  expect(missing).toEqual(['Step 14 (waitForExpression): no equivalent step']);
});

test('a step in a frame of a frame is found through both', () => {
  const steps = [{ type: 'click', frame: [2, 0], selectors: [['my-form', '#go']] }];
  const { workflow, missing } = importRecording(chromeRecordingSchema.parse({ title: 'x', steps }));
  const outer = { css: ':nth-match(iframe, frame, 3)' };
  const inner = { css: ':nth-match(iframe, frame, 1)', within: outer };
  expect(workflow.steps).toMatchObject([{ target: [{ css: '#go', within: { css: 'my-form', within: inner } }] }]);
  expect(missing).toEqual([]);
});

test('texts of a recorded page are no templates', () => {
  const steps = [
    { type: 'navigate', url: 'https://shop.test/?q={{inputs.q}}' },
    { type: 'change', selectors: ['aria/Code {{inputs.pin}}'], value: 'a {{run.id}} \\{{x}} {{' },
  ];
  const { workflow } = importRecording(chromeRecordingSchema.parse({ title: 'x', steps }));
  expect(findTemplates(workflow.steps)).toEqual([]);
  const [, change] = workflow.steps as [unknown, { text: string }];
  expect(parseTemplate(change.text)).toEqual([{ kind: 'literal', text: 'a {{run.id}} \\{{x}} {{' }]);
});

test.each([
  [{ type: 'click', selectors: ['xpath///button'] }, 'no usable selector'],
  [{ type: 'emulateNetworkConditions' }, 'no equivalent step'],
  [{ type: 'navigate' }, 'it has no URL'],
])('a workflow does not pass without the step %j', (step, reason) => {
  const { workflow, missing } = importRecording(chromeRecordingSchema.parse({ title: 'x', steps: [step] }));
  expect(missing).toEqual([expect.stringContaining(reason)]);
  expect(lintDefinition(workflowDefinitionSchema.parse(workflow))).toEqual([
    { pointer: '/steps/0', detail: expect.stringMatching(`^Not imported: Step 1 .*${reason}.* Replace this step`) },
  ]);
});

test.each([
  [['aria/Countries[role="listbox"]']],
  [['form > div:nth-of-type(2) > select']],
  [['select#country']],
  [['my-form', 'select.wide']],
  [['#x', 'xpath///*[@data-testid="form"]/div[2]/select[1]']],
  [['pierce/form select[name="country"]']],
])('a change of %j chooses in a select box', (selectors) => {
  const selector = selectors.length > 1 ? [selectors] : selectors;
  const { workflow } = importRecording(
    chromeRecordingSchema.parse({
      title: 'x',
      steps: [{ type: 'change', value: 'de', selectors: [['#known'], ...selector] }],
    }),
  );
  expect(workflow.steps).toMatchObject([{ action: 'selectOption', option: 'de', by: 'value' }]);
});

test.each([
  ['#select'],
  ['.select'],
  ['aria/Select a country'],
  ['div.select > input'],
  ['text/select'],
  // A field with suggestions is a combobox, too.
  ['aria/Country[role="combobox"]'],
  ['x-select'],
])('a change of %s types', (selector) => {
  const steps = [{ type: 'change', value: 'de', selectors: [[selector], ['#known']] }];
  const { workflow } = importRecording(chromeRecordingSchema.parse({ title: 'x', steps }));
  expect(workflow.steps).toMatchObject([{ action: 'fill', text: 'de' }]);
});

test.each([
  [[['text/Approve']], { text: 'Approve', exact: true }],
  [[['aria/Approve[role="button"]'], ['text/Approve all 12 orders']], { role: 'button', name: 'Approve', exact: true }],
  [[['text/Approve all 12 orders']], { text: 'Approve all 12 orders' }],
  [[['my-form', 'text/Approve']], { text: 'Approve', exact: true, within: { css: 'my-form' } }],
])('the selectors %j match the whole text if the recording has it', (selectors, locator) => {
  const { workflow } = importRecording(
    chromeRecordingSchema.parse({ title: 'Approve', steps: [{ type: 'click', selectors }] }),
  );
  const [step] = workflowDefinitionSchema.parse(workflow).steps;
  expect(step).toEqual({ action: 'click', target: [locator] });
});

test('export and import of a workflow give the same workflow', () => {
  const definition = workflowDefinitionSchema.parse({
    name: 'back-and-forth',
    title: 'back and forth',
    browser: { viewport: { width: 900, height: 600 } },
    steps: [
      { action: 'navigate', url: 'https://shop.test/' },
      { action: 'fill', target: [{ label: 'Name', exact: true }, { css: '#name' }], text: 'Robin' },
      { action: 'click', target: [{ role: 'button', name: 'Go', exact: true }], button: 'right' },
      { action: 'click', target: [{ css: 'b', within: { css: 'p' } }], count: 2 },
      { action: 'press', key: 'Control+Enter' },
      { action: 'waitFor', condition: { visible: [{ text: 'Done' }] } },
    ],
  });
  const { recording: exported, notes } = exportRecording(definition);
  expect(notes).toEqual([]);
  const reimported = importRecording(chromeRecordingSchema.parse(exported));
  expect(reimported.notes).toEqual([]);
  expect(workflowDefinitionSchema.parse(reimported.workflow)).toEqual(definition);
});

test('notes name steps without an equivalent in a recording', () => {
  const { notes } = exportRecording(
    workflowDefinitionSchema.parse({
      name: 'w',
      steps: [
        { action: 'extract', target: { css: 'p' }, value: {} },
        { action: 'group', steps: [{ action: 'goBack' }] },
        { action: 'click', target: { css: 'p', nth: 2 } },
      ],
    }),
  );
  expect(notes.map((note) => note.split(':')[0])).toEqual(['Step 1 (extract)', 'Step 2 (group)', 'Step 3 (click)']);
});

test.each<[string, unknown, string]>([
  ['too many steps', { title: 'x', steps: Array(1001).fill({ type: 'close' }) }, '/steps'],
  ['a long selector', { title: 'x', steps: [{ type: 'click', selectors: ['|select.'.repeat(10_000)] }] }, '/steps/0'],
  [
    'a long URL',
    { title: 'x', steps: [{ type: 'navigate', url: `https://a.test/${'x'.repeat(20_000)}` }] },
    '/steps/0/url',
  ],
  ['a long title', { title: 'x'.repeat(20_000), steps: [] }, '/title'],
])('a recording with %s is rejected with its field', (_, file, pointer) => {
  const parseResult = chromeRecordingSchema.safeParse(file);
  expect(parseResult.success).toBe(false);
  if (!parseResult.success) expect(fieldErrors(parseResult.error)[0]?.pointer).toContain(pointer);
});
