import { workflowDefinitionSchema, type WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';
import { exportPlaywright, inputEnvName } from './playwright-test.ts';

type Steps = WorkflowDefinitionInput['steps'];
const exportSteps = (steps: Steps, overrides: Partial<WorkflowDefinitionInput> = {}) =>
  exportPlaywright(workflowDefinitionSchema.parse({ name: 'x', steps, ...overrides }));
const codeOf = (...steps: Steps) => exportSteps(steps).source.replace(/^[\s\S]*test\.setTimeout\(\d+\);\n/, '');

test.each<[string, Steps[number], string]>([
  [
    'a click',
    { action: 'click', target: { role: 'button', name: 'Pay', exact: true }, button: 'right', modifiers: ['Shift'] },
    `page.getByRole("button", { name: "Pay", exact: true }).click({ button: "right", modifiers: ["Shift"] });`,
  ],
  [
    'a chain',
    { action: 'hover', target: [{ testId: 'a' }, { css: '#a', nth: 1 }] },
    `(await firstOf(page.getByTestId("a").filter({ visible: true }), page.locator("#a").filter({ visible: true }).nth(1))).hover();`,
  ],
  [
    'inside a frame',
    { action: 'clear', target: { label: 'Name', within: { css: 'iframe.pay' } } },
    `page.locator("iframe.pay").filter({ visible: true }).contentFrame().getByLabel("Name").filter({ visible: true }).clear();`,
  ],
  [
    'inside a frame that is named by more than its tag',
    { action: 'clear', target: { label: 'Name', within: { css: 'main > iframe[title="a > b"]:first-of-type' } } },
    `:first-of-type").filter({ visible: true }).contentFrame().getByLabel("Name")`,
  ],
  [
    'inside of something else',
    { action: 'clear', target: { label: 'Name', within: { css: 'iframe + .box[title="iframe"]' } } },
    `.box[title=\\"iframe\\"]").filter({ visible: true }).getByLabel("Name")`,
  ],
  ['a dialog', { action: 'handleDialog', accept: false }, `page.once('dialog', (dialog) => void dialog.dismiss());`],
  [
    'a choice',
    { action: 'selectOption', target: { label: 'L' }, option: ['a', 'b'], by: 'label' },
    `.selectOption([{ label: "a" }, { label: "b" }]);`,
  ],
  [
    'keys',
    { action: 'press', key: 'Tab', times: 3 },
    `for (let time = 0; time < 3; time += 1) await page.keyboard.press("Tab");`,
  ],
  [
    'a text to paste',
    { action: 'writeClipboard', text: 'A-1' },
    'await page.evaluate((text) => navigator.clipboard.writeText(text), "A-1");',
  ],
  [
    'the clipboard',
    { id: 'code', action: 'readClipboard' },
    'await page.evaluate(() => navigator.clipboard.readText())',
  ],
  [
    'an absence',
    { action: 'waitFor', condition: { hidden: { text: 'Busy' } } },
    `.toHaveCount(0, { timeout: 30000 });`,
  ],
  [
    'a tab',
    { action: 'switchTab', index: -1 },
    'page = await tab(page, (_one, index, all) => index === all.length - 1);',
  ],
  ['a profile', { action: 'saveProfile', name: 'shop-{{run.id}}' }, 'const profile1 = `shop-${run.id}`;'],
])('%s', (_title, step, line) => expect(codeOf(step)).toContain(line));

test('branches with a page return the values of their steps', () => {
  const { source } = exportSteps([
    {
      id: 'both',
      action: 'parallel',
      branches: {
        left: [
          { action: 'navigate', url: 'https://a.test/' },
          { id: 'title', action: 'extract', target: { css: 'h1' }, value: {} },
          { action: 'fill', target: { label: 'Q' }, text: '{{steps.title.value}}' },
        ],
        right: [{ action: 'navigate', url: 'https://b.test/' }],
      },
    },
  ]);
  expect(source).toContain('type Page');
  expect(source).toContain('(async (page: Page, steps: Record<string, any>) => {');
  expect(source).toContain('return { title: steps.title ?? null };');
  expect(source).toContain('})(await page.context().newPage(), { ...steps }),');
  expect(source).toContain('(async (page: Page) => {');
  expect(source).toContain('steps.both = { left: leftAnswer, right: rightAnswer };');
});

test('control flow in a branch has its own values and variables', () => {
  const { source, problems } = exportSteps([
    { action: 'set', vars: { sku: 'inputs.none' } },
    {
      id: 'both',
      action: 'parallel',
      branches: {
        left: [
          {
            id: 'rows',
            action: 'forEach',
            in: ['a', 'b'],
            steps: [{ action: 'navigate', url: 'https://a.test/{{vars.item}}' }],
            collect: '{{vars.item}}',
          },
        ],
        right: [{ action: 'navigate', url: 'https://b.test/' }],
      },
    },
  ]);
  expect(problems).toEqual([]);
  expect(source).toContain('(async (page: Page, steps: Record<string, any>, vars: Record<string, any>) => {');
  expect(source).toMatch(/for \(const \[index\d*, item\d*\] of \(\["a", ?"b"\] as any\[\]\)\.entries\(\)\) \{/);
  expect(source).toContain('return { rows: steps.rows ?? null };');
  expect(source).toContain('})(await page.context().newPage(), { ...steps }, { ...vars }),');
});

test('a branch has the output of the workflow that it calls', () => {
  const source = workflowDefinitionSchema.parse({
    name: 'calls',
    steps: [
      {
        id: 'both',
        action: 'parallel',
        branches: {
          left: [{ id: 'title', action: 'call', workflow: 'read', inputs: { to: 'a' } }],
          right: [{ action: 'navigate', url: 'https://b.test/' }],
        },
      },
    ],
    workflows: {
      read: {
        inputs: { to: { type: 'string' } },
        steps: [
          { action: 'navigate', url: 'https://a.test/{{inputs.to}}' },
          { id: 'h', action: 'extract', target: { css: 'h1' }, value: {} },
        ],
        output: '{{steps.h.value}}',
      },
    },
  });
  const { source: code, problems } = exportPlaywright(source);
  expect(problems).toEqual([]);
  expect(code).toContain('steps.title = await (async (inputs: any) => {');
  expect(code).toContain('return { title: steps.title ?? null };');
});

test.each<[string, Steps[number], string]>([
  ['a number of an element', { action: 'click', target: { elementIndex: 3 } }, '/steps/0/target'],
  ['a neighbour', { action: 'click', target: { css: 'a', near: { text: 'x' } } }, '/steps/0/target/near'],
  ['pixels', { action: 'drag', target: { css: 'a' }, by: { x: 1 } }, '/steps/0/by'],
  ['JSON of the page', { action: 'extract', json: { script: '#d' }, value: {} }, '/steps/0/json'],
  ['an expression', { action: 'loop', until: 'size(vars) > 1', steps: [{ action: 'goBack' }] }, '/steps/0/until'],
  ['a workflow of the project', { action: 'call', workflow: 'other' }, '/steps/0/workflow'],
  ['another tab', { action: 'closeTab', index: 0 }, '/steps/0'],
])('%s is unsupported', (_title, step, pointer) => {
  expect(exportSteps([step]).problems.map((problem) => problem.pointer)).toEqual([pointer]);
});

test('a device and a profile are unsupported', () => {
  const browser = { device: 'Pixel 7', profile: 'shop' };
  const { problems } = exportSteps([{ action: 'goBack' }], { browser });
  expect(problems.map(({ pointer }) => pointer)).toEqual(['/browser/device', '/browser/profile']);
});

test('secrets come from the environment, and texts are escaped', () => {
  const { source } = exportSteps([{ action: 'fill', target: { css: '`${x}`' }, text: '{{inputs.apiKey}}-${y}`\\' }], {
    inputs: { apiKey: { type: 'string', secret: true }, size: { type: 'number', default: 1.5 } },
    title: 'a\u2028b */ "c"',
  });
  expect(source).toContain('apiKey: env("INPUT_API_KEY"),');
  expect(source).toContain('size: JSON.parse(env("INPUT_SIZE", "1.5")),');
  expect(source).toContain('page.locator("`${x}`")');
  expect(source).toContain('.fill(`${inputs.apiKey}-\\${y}\\`\\\\`)');
  expect(source).toContain('test("a\\u2028b */ \\"c\\""');
  expect(inputEnvName('purchase_order')).toBe('INPUT_PURCHASE_ORDER');
});

test('only used helpers are included', () => {
  const { source } = exportSteps([{ action: 'goBack' }]);
  expect(source).not.toMatch(/function|const containing|steps|vars/);
});
