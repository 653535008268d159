import { workflowDefinitionSchema, type WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';
import { lintDefinition, checkDefinitionOrThrow } from './lint-workflow.ts';

type Part = Partial<Omit<WorkflowDefinitionInput, 'name'>>;
const click = { action: 'click', target: { text: 'Go' } } as const;
const define = (part: Part) => workflowDefinitionSchema.parse({ name: 'w', steps: [click], ...part });
const inputs = {
  sku: { type: 'string' },
  password: { type: 'string', secret: true },
  order: { type: 'object', properties: { sku: { type: 'string' } } },
  paper: { type: 'file' },
} as const;
const rows = {
  id: 'rows',
  action: 'extract',
  target: { css: 'table' },
  table: { columns: { sku: 'SKU', price: { header: 'Price', type: 'number' } } },
} as const;
const typeText = (text: string) => ({ action: 'fill', target: { label: 'x' }, text }) as const;

test('a valid definition has no problems', () => {
  const good = define({
    inputs: {
      ...inputs,
      size: { type: 'integer', default: 3, minimum: 1 },
      note: { type: 'string', optional: true, default: null },
    },
    steps: [
      rows,
      typeText('{{inputs.password}} {{steps.rows.value.0.sku}}'),
      {
        id: 'sent',
        action: 'http',
        url: 'https://api.test/{{inputs.sku}}',
        headers: { authorization: 'Bearer {{inputs.password}}' },
        json: { deep: ['{{inputs.password}}'] },
      },
      typeText('{{steps.sent.value.body.id}} {{steps.sent.value.status}}'),
      { action: 'upload', target: { css: '#f' }, file: '{{inputs.paper}}' },
      {
        action: 'click',
        target: { within: { hasText: '{{inputs.sku}}', css: 'tr' }, role: 'button' },
        expect: { text: '{{inputs.order.sku}}' },
      },
    ],
    browser: {
      locale: '{{inputs.sku}}',
      httpCredentials: { origin: 'https://a.test', username: 'x', password: '{{inputs.password}}' },
    },
    output: { rows: '{{steps.rows.value}}', run: '{{run.id}}' },
    outputSchema: { type: 'object', properties: { run: { type: 'string', pattern: '^[0-9a-f-]+$' } } },
  });
  expect(lintDefinition(good)).toEqual([]);
  expect(() => checkDefinitionOrThrow(good)).not.toThrow();
});

test('a user value may have the name of a locator field', () => {
  const json = { target: { role: 'buyer' }, to: [{ role: 'boss' }] };
  const inputs = { who: { type: 'string' } } as const;
  const role = { role: '{{inputs.who}}' };
  const steps = [
    { action: 'http', url: 'https://api.test/', json },
    { action: 'click', target: role },
  ] as const;
  expect(lintDefinition(define({ inputs, steps: [...steps] }))).toEqual([]);
});

test.each<[string, Part, string, string]>([
  [
    'an unknown role',
    { steps: [{ action: 'click', target: [{ css: '#go' }, { role: 'buton', name: 'Go' }] }] },
    '/steps/0/target/1/role',
    '"buton" is not an ARIA role: use e.g. button',
  ],
  [
    'an unknown role in a condition',
    { steps: [{ ...click, expect: { visible: { within: { role: 'input' }, text: 'x' } } }] },
    '/steps/0/expect/visible/within/role',
    'button, link, textbox',
  ],
  [
    'unknown input',
    { inputs, steps: [typeText('{{inputs.skew}}')] },
    '/steps/0/text',
    'unknown input "skew". Did you mean sku? Inputs: sku, password, order, paper',
  ],
  ['bad template', { steps: [typeText('{{sku}}')] }, '/steps/0/text', 'not a template'],
  [
    'no part of a text',
    { inputs, steps: [typeText('{{inputs.sku.x}}')] },
    '/steps/0/text',
    'a value of type string has no field "x"',
  ],
  [
    'unknown part of an object',
    { inputs, steps: [typeText('{{inputs.order.skew}}')] },
    '/steps/0/text',
    'use one of sku',
  ],
  [
    'unknown step',
    { steps: [rows, typeText('{{steps.row.value}}')] },
    '/steps/1/text',
    'unknown step "row". Did you mean rows? Earlier steps with a value: rows',
  ],
  ['later step', { steps: [typeText('{{steps.rows.value}}'), rows] }, '/steps/0/text', 'step "rows" comes later'],
  [
    'own value',
    { steps: [{ ...rows, expect: { text: '{{steps.rows.value}}' } }] },
    '/steps/0/expect/text',
    'own value',
  ],
  [
    'step without a value',
    { steps: [{ ...click, id: 'go' }, typeText('{{steps.go.value}}')] },
    '/steps/1/text',
    'a click step',
  ],
  [
    'unknown column',
    { steps: [rows, typeText('{{steps.rows.value.0.name}}')] },
    '/steps/1/text',
    'use one of sku, price',
  ],
  ['no index', { steps: [rows, typeText('{{steps.rows.value.sku}}')] }, '/steps/1/text', 'is not an index'],
  [
    'secret in a URL',
    { inputs, steps: [{ action: 'navigate', url: 'https://x.org/{{inputs.password}}' }] },
    '/steps/0/url',
    'a secret is allowed only',
  ],
  [
    'secret in a selector',
    { inputs, steps: [{ ...typeText('x'), target: { css: '{{inputs.password}}' } }] },
    '/steps/0/target/css',
    'a secret is allowed only',
  ],
  [
    'secret on the clipboard',
    { inputs, steps: [{ action: 'writeClipboard', text: '{{inputs.password}}' }] },
    '/steps/0/text',
    'a secret is allowed only',
  ],
  [
    'part of the copied text',
    { steps: [{ id: 'code', action: 'readClipboard' }, typeText('{{steps.code.value.x}}')] },
    '/steps/1/text',
    'a value of type string has no field',
  ],
  [
    'secret in the URL of a request',
    { inputs, steps: [{ action: 'http', url: 'https://api.test/{{inputs.password}}' }] },
    '/steps/0/url',
    'a secret is allowed only',
  ],
  [
    'invalid JSONPath',
    { inputs, steps: [{ action: 'extract', json: { script: '#x', path: '$.[' }, value: {} }] },
    '/steps/0/json/path',
    'Not a JSONPath',
  ],
  [
    'secret in a title',
    { inputs, steps: [{ ...typeText('x'), title: '{{inputs.password}}' }] },
    '/steps/0/title',
    'a secret is allowed only',
  ],
  [
    'secret in an expectation',
    { inputs, steps: [{ ...typeText('x'), expect: { text: '{{inputs.password}}' } }] },
    '/steps/0/expect/text',
    'a secret is allowed only',
  ],
  [
    'secret in the browser options',
    { inputs, browser: { userAgent: '{{inputs.password}}' } },
    '/browser/userAgent',
    'a secret is allowed only',
  ],
  [
    'browser option with a step value',
    { inputs, steps: [rows], browser: { locale: '{{steps.rows.value}}' } },
    '/browser/locale',
    'step "rows" comes later',
  ],
  ['secret in the output', { inputs, output: ['{{inputs.password}}'] }, '/output/0', 'a secret is allowed only'],
  ['unknown step in the output', { output: '{{steps.rows.value}}' }, '/output', 'unknown step "rows"'],
  ['schema without output', { outputSchema: { type: 'object' } }, '/outputSchema', 'needs an `output`'],
  [
    'pattern of an input',
    { inputs: { a: { type: 'string', pattern: '(' } } },
    '/inputs/a/pattern',
    'Not a regular expression',
  ],
  [
    'nested pattern of an input',
    { inputs: { a: { type: 'array', items: { type: 'string', pattern: '[' } } } },
    '/inputs/a/items/pattern',
    'Not a regular',
  ],
  [
    'pattern of a column',
    { steps: [{ ...rows, table: { columns: { a: { header: 'A', pattern: '*' } } } }] },
    '/steps/0/table/columns/a/pattern',
    'Not a regular',
  ],
  [
    'pattern of a locator',
    { steps: [{ id: 'go', action: 'click', target: [{ role: 'button', pattern: '[' }] }] },
    '/steps/0/target/0/pattern',
    'Not a regular',
  ],
  [
    'pattern of a locator in a condition',
    {
      steps: [
        { id: 'go', action: 'waitFor', condition: { visible: { css: 'p', within: { css: 'b', pattern: '(?=a)' } } } },
      ],
    },
    '/steps/0/condition/visible/within/pattern',
    'Look-ahead',
  ],
  [
    'pattern of the output',
    { output: '1', outputSchema: { pattern: '(?<' } },
    '/outputSchema/pattern',
    'Not a regular',
  ],
  [
    'pattern with look-ahead',
    { inputs: { a: { type: 'string', pattern: '(?=a)b' } } },
    '/inputs/a/pattern',
    'Look-ahead and look-behind, (?=…) (?!…) (?<=…) (?<!…), are not supported: match the text around it',
  ],
  [
    'pattern with a back-reference',
    { output: '1', outputSchema: { pattern: String.raw`(a)\1` } },
    '/outputSchema/pattern',
    'Back-references',
  ],
  [
    'pattern with nested counts',
    { steps: [{ ...rows, table: { columns: { a: { header: 'A', pattern: '(a{1000}){1000}' } } } }] },
    '/steps/0/table/columns/a/pattern',
    'A repetition can have a count of at most 1,000',
  ],
  [
    'patterns without end',
    {
      inputs: Object.fromEntries(
        Array.from({ length: 400 }, (_, index) => [`a${index}`, { type: 'string', pattern: `a{999}b{999}${index}` }]),
      ),
    },
    '/inputs/a300/pattern',
    'A workflow can have at most 300 different patterns',
  ],
  [
    'default of a wrong type',
    { inputs: { a: { type: 'integer', default: 'three' } } },
    '/inputs/a/default',
    'The default must be an integer',
  ],
  [
    'default out of range',
    { inputs: { a: { type: 'integer', default: 3, maximum: 2 } } },
    '/inputs/a/default',
    'The default must be <= 2',
  ],
  [
    'null as default',
    { inputs: { a: { type: 'string', default: null } } },
    '/inputs/a/default',
    'The default must be a string',
  ],
  [
    'invalid CSS selector',
    { steps: [{ action: 'click', target: [{ text: 'Go' }, { css: 'a[' }] }] },
    '/steps/0/target/1/css',
    'Not a CSS selector: ',
  ],
  [
    'invalid CSS selector in a condition',
    { steps: [{ ...click, expect: { visible: { within: { css: 'a:is(b' }, text: 'x' } } }] },
    '/steps/0/expect/visible/within/css',
    'Missing closing parenthesis',
  ],
  [
    'selector of another engine',
    { steps: [{ action: 'click', target: { css: 'text=Go' } }] },
    '/steps/0/target/css',
    'Not a CSS selector: unexpected "=Go"',
  ],
  [
    'unknown input that is named twice',
    { inputs, steps: [typeText('{{inputs.skew}} {{inputs.skew}}')] },
    '/steps/0/text',
    'unknown input "skew"',
  ],
  [
    'upload of an unknown input',
    { inputs, steps: [{ action: 'upload', target: { css: 'x' }, file: '{{inputs.pape}}' }] },
    '/steps/0/file',
    'unknown input "pape"',
  ],
  [
    'upload of something else',
    { inputs, steps: [{ action: 'upload', target: { css: 'x' }, file: '{{inputs.sku}}' }] },
    '/steps/0/file',
    'Inputs of this type: paper',
  ],
  [
    'upload of a path',
    { inputs, steps: [{ action: 'upload', target: { css: 'x' }, file: '/etc/passwd' }] },
    '/steps/0/file',
    'Use an input of type file',
  ],
  [
    'a file of a desktop that is not an input',
    { surface: 'desktop', inputs, steps: [{ action: 'putFile', file: '/etc/passwd' }] },
    '/steps/0/file',
    'Use an input of type file',
  ],
])('%s', (_, part, pointer, detail) => {
  expect(lintDefinition(define(part))).toEqual([{ pointer, detail: expect.stringContaining(detail) }]);
});

test.each([
  'a:has-text("x")',
  "a:has-text('a)b')",
  'b:text-is("(")',
  'b:text-matches("^\\\\(a", "i")',
  'i:visible:near(:text("a)"), 50)',
  'div:visible >> nth=1',
  'a:right-of(:text("x"))',
  'button:has(> svg)',
  '[data-x="a b" i]',
  'li:nth-child(2n+1)',
  '#\\31 0, .a\\:b',
  '{{inputs.sku}}[',
])('%s is a CSS selector', (css) => {
  expect(lintDefinition(define({ inputs, steps: [{ action: 'click', target: { css } }] }))).toEqual([]);
});

test('one error lists all problems', () => {
  const bad = define({ steps: [typeText('{{inputs.a}}'), typeText('{{inputs.b}}')] });
  expect(() => checkDefinitionOrThrow(bad)).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
  expect(() => checkDefinitionOrThrow(bad)).toThrow(/at \/steps\/0\/text: .*\(and 1 more\)/);
});

test('a column named pattern is not a pattern', () => {
  expect(lintDefinition(define({ steps: [{ ...rows, table: { columns: { pattern: 'C++ (' } } }] }))).toEqual([]);
});
