import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blockActions } from '@pilothouse/contract/workflow/control-flow.schema';
import { stepActions } from '@pilothouse/contract/workflow/step.schema';
import { workflowDefinitionSchema } from '@pilothouse/contract/workflow/workflow.schema';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { workflowJsonSchema } from './json-schema.ts';
import { parseWorkflow } from './parse-workflow.ts';

const schema = workflowJsonSchema();
const validate = new Ajv2020({ strict: false }).compile(schema);

const examples = [
  `name: shortest
steps:
  - { action: navigate, url: https://example.org }`,
  `$schema: ../schema/workflow.schema.json
name: order-supplies
inputs:
  user: { type: string }
  password: { type: string, secret: true }
steps:
  - action: fill
    target: { label: Password }
    text: "{{inputs.password}}"
  - action: click
    target:
      - { role: button, name: Sign in }
      - { css: "#login button" }
    expect: { url: "*/home", hidden: { text: Wrong password } }
  - id: rows
    action: extract
    target: { role: table }
    table:
      columns: { sku: SKU, price: { header: Price, type: number } }
      next: { role: link, name: Next }
output: { rows: "{{steps.rows.value}}" }
outputSchema: { type: object, properties: { rows: { type: array } } }
timeout: 90`,
];

const wrong: [string, string][] = [
  ['no steps', 'name: a'],
  ['empty steps', 'name: a\nsteps: []'],
  ['unknown action', 'name: a\nsteps: [{ action: klick, target: { text: x } }]'],
  ['unknown field', 'name: a\nsteps: [{ action: navigate, url: x, target: { text: x } }]'],
  ['bad name', 'name: A b\nsteps: [{ action: navigate, url: x }]'],
  ['two locators in one', 'name: a\nsteps: [{ action: click, target: { text: x, css: y } }]'],
  ['name without role', 'name: a\nsteps: [{ action: click, target: { css: y, name: z } }]'],
  ['empty condition', 'name: a\nsteps: [{ action: waitFor, condition: {} }]'],
  ['extract of nothing', 'name: a\nsteps: [{ action: extract, target: { text: x } }]'],
  ['extract of two things', 'name: a\nsteps: [{ action: extract, target: { text: x }, value: {}, list: {} }]'],
];

test.each(examples)('the example %j is valid by the JSON schema and by the parser', (text) => {
  expect(validate(parse(text))).toBe(true);
  expect(workflowDefinitionSchema.safeParse(parse(text)).success).toBe(true);
});

test.each(wrong)('%s is invalid by the JSON schema and by the parser', (_, text) => {
  expect(validate(parse(text))).toBe(false);
  expect(workflowDefinitionSchema.safeParse(parse(text)).success).toBe(false);
});

test('the JSON schema has every action, with descriptions for editors', () => {
  const { Node } = schema['$defs'] as { Node: { oneOf: { title: string; description: string }[] } };
  expect(Node.oneOf.map(({ title }) => title)).toEqual([...stepActions, ...blockActions]);
  expect(Node.oneOf.every(({ description }) => description.length > 10)).toBe(true);
});

const folder = join(import.meta.dirname, '../../../../docs/examples');

test.each(readdirSync(folder).filter((file) => /\.(?:ya?ml|json)$/.test(file)))(
  'docs/examples/%s is valid in all ways',
  (file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    expect(validate(parse(text))).toBe(true);
    expect(parseWorkflow(text, { file }).steps.length).toBeGreaterThan(0);
  },
);

test('the published file is up to date (else: node scripts/generate-schema.ts)', () => {
  const file = join(import.meta.dirname, '../../../../docs/schema/workflow.schema.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(JSON.stringify(schema)));
});
