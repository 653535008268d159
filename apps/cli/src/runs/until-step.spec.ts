import { workflowDefinitionSchema, type WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';
import { lintDefinition } from '@pilothouse/core/workflow/lint/lint-workflow';
import { CommandError } from '../output/exit-codes.ts';
import { shortenWorkflow } from './until-step.ts';

const workflow = (fields: Partial<WorkflowDefinitionInput> = {}) =>
  workflowDefinitionSchema.parse({
    name: 'order',
    timeout: 60,
    steps: [
      { action: 'navigate', url: 'http://site/', title: 'Open' },
      { id: 'rows', action: 'extract', target: { css: 'tr' }, list: { sku: { css: 'b' }, stock: { css: 'i' } } },
      {
        action: 'forEach',
        in: 'steps.rows.value.filter(row, row.stock < 10)',
        as: 'row',
        steps: [{ id: 'open', action: 'click', target: { text: '{{vars.row.sku}}' } }],
      },
      { id: 'order', action: 'click', target: { role: 'button', name: 'Order' } },
      { id: 'total', action: 'extract', target: { css: '#total' }, value: {} },
    ],
    output: { rows: '{{steps.rows.value}}', total: '{{steps.total.value}}' },
    outputSchema: {
      type: 'object',
      required: ['total'],
      properties: {
        rows: { type: 'array', items: { type: 'object', properties: { stock: { type: 'integer' } } } },
        total: { type: 'string' },
      },
    },
    ...fields,
  });

const actions = (step: string, keepOpen = false) =>
  shortenWorkflow(workflow(), step, keepOpen).definition.steps.map(({ action }) => action);

test.each([
  ['1', ['navigate', 'observe']],
  ['Open', ['navigate', 'observe']],
  ['rows', ['navigate', 'extract', 'observe']],
  ['forEach', ['navigate', 'extract', 'forEach', 'observe']],
  ['Click button “Order”', ['navigate', 'extract', 'forEach', 'click', 'observe']],
  ['5', ['navigate', 'extract', 'forEach', 'click', 'extract', 'observe']],
])('--until %s ends after that step and observes the page', (step, expected) => {
  expect(actions(step)).toEqual(expected);
});

test('the output is the observation, and refers to no step that is left out', () => {
  const { definition, observeId, lastStep } = shortenWorkflow(workflow(), 'rows', false);
  expect(definition.output).toBe(`{{steps.${observeId}.value}}`);
  expect(definition).not.toHaveProperty('outputSchema');
  expect(definition.timeout).toBe(60);
  expect(lastStep).toBe('2 (Read list tr)');
  expect(lintDefinition(definition)).toEqual([]);
  expect(workflowDefinitionSchema.safeParse(definition).success).toBe(true);
});

test('step outputs keep the types of the output schema', () => {
  const { definition } = shortenWorkflow(workflow(), '3', false);
  expect(definition.steps[1]).toMatchObject({ list: { sku: { css: 'b' }, stock: { css: 'i', type: 'integer' } } });
});

test('--keep-open waits for hours after the observation, without the time limit of the workflow', () => {
  expect(actions('1', true)).toEqual(['navigate', 'observe', 'forEach']);
  const { definition } = shortenWorkflow(workflow(), '1', true);
  expect(definition).not.toHaveProperty('timeout');
  expect(lintDefinition(definition)).toEqual([]);
  expect(workflowDefinitionSchema.safeParse(definition).success).toBe(true);
});

test('inputs that only left-out steps use may be left out', () => {
  const inputs: WorkflowDefinitionInput['inputs'] = {
    site: { type: 'string' },
    limit: { type: 'integer' },
    paper: { type: 'file' },
    password: { type: 'string', secret: true },
    speed: { type: 'string', default: 'slow' },
  };
  const steps: WorkflowDefinitionInput['steps'] = [
    { action: 'navigate', url: '{{inputs.site}}' },
    { action: 'set', vars: { most: 'inputs.limit * 2' } },
    { action: 'fill', target: { label: 'Password' }, text: '{{inputs.password}}' },
    { action: 'upload', target: { label: 'Paper' }, file: '{{inputs.paper}}' },
  ];
  const source = workflow({ inputs, steps, output: undefined, outputSchema: undefined });
  const { definition } = shortenWorkflow(source, '2', false);
  expect(Object.entries(definition.inputs).flatMap(([name, { optional }]) => (optional ? [name] : []))).toEqual([
    'paper',
    'password',
  ]);
  expect(lintDefinition(definition)).toEqual([]);
});

test('the id of the observation is one that the workflow does not use', () => {
  const steps: WorkflowDefinitionInput['steps'] = [
    { action: 'navigate', url: 'http://site/' },
    { action: 'group', steps: [{ id: 'observation', action: 'observe' }] },
  ];
  const shortened = shortenWorkflow(workflow({ steps, output: undefined, outputSchema: undefined }), '2', false);
  expect(shortened.observeId).toBe('observation2');
});

/** The error as people see it. */
const refusal = (step: string, fields: Partial<WorkflowDefinitionInput> = {}): string[] => {
  try {
    shortenWorkflow(workflow(fields), step, false);
  } catch (thrown) {
    if (thrown instanceof CommandError) return [`${thrown.exitCode}`, thrown.message, ...thrown.lines];
    throw thrown;
  }
  throw new Error('It was not refused');
};

test.each(['Log in', '6', '0'])('an unknown step %s lists the steps', (step) => {
  expect(refusal(step)).toEqual([
    '2',
    `Unknown step "${step}". Steps:`,
    '1  Open',
    '2  Read list tr (id rows)',
    '3  forEach',
    '4  Click button “Order” (id order)',
    '5  Read value #total (id total)',
  ]);
});

test.each(['3/1', '3[2]/1', 'open'])('%s is inside of a step: the step around it is named', (step) => {
  expect(refusal(step)).toEqual([
    '2',
    `Step "${step}" is inside step 3: --until supports only top-level steps.`,
    'Give the step around it: --until 3',
  ]);
});

test('a title of several steps is rejected with their numbers', () => {
  const open = { action: 'navigate' as const, url: 'http://site/', title: 'Open' };
  const wait = { action: 'wait' as const, seconds: 1 };
  const source = { steps: [open, wait, open], output: undefined, outputSchema: undefined };
  expect(refusal('Open', source)).toEqual([
    '2',
    '2 steps have the title "Open": give the number.',
    '1  Open',
    '3  Open',
  ]);
});
