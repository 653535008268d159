import type { ValueSchema } from '@pilothouse/contract/workflow/value.schema';
import { workflowDefinitionSchema, type WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';
import { inferFieldTypes } from './step-types.ts';

const target = { css: 'p' };
const stepsOf = (part: Omit<WorkflowDefinitionInput, 'name'>) =>
  inferFieldTypes(workflowDefinitionSchema.parse({ name: 'w', ...part })).steps;

const row: ValueSchema = {
  type: 'object',
  properties: {
    sku: { type: 'string' },
    price: { type: 'number' },
    due: { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] },
    cost: { type: 'object', properties: { amount: { type: 'number' }, currency: { type: 'string' } } },
  },
};

test('extracted fields have the types of the output', () => {
  const steps = stepsOf({
    steps: [
      { id: 'total', action: 'extract', target, value: {} },
      {
        id: 'rows',
        action: 'extract',
        target,
        list: { sku: {}, price: { css: 'b' }, due: { optional: true }, cost: {} },
      },
      { id: 'table', action: 'extract', target, table: { columns: { sku: 'SKU', price: 'Price' } } },
      { id: 'own', action: 'extract', target, value: { type: 'string' } },
      { id: 'apart', action: 'extract', target, value: {} },
    ],
    output: {
      total: '{{steps.total.value}}',
      rows: '{{steps.rows.value}}',
      table: '{{steps.table.value}}',
      own: '{{steps.own.value}}',
      apart: 'about {{steps.apart.value}}',
    },
    outputSchema: {
      type: 'object',
      properties: {
        total: { type: 'integer' },
        rows: { type: 'array', items: row },
        table: { type: 'array', items: row },
        own: { type: 'number' },
        apart: { type: 'number' },
      },
    },
  });
  expect(steps).toMatchObject([
    { value: { type: 'integer' } },
    {
      list: {
        price: { css: 'b', type: 'number' },
        due: { type: 'date', optional: true },
        cost: { type: 'money' },
      },
    },
    { table: { columns: { sku: 'SKU', price: { header: 'Price', type: 'number' } } } },
    { value: { type: 'string' } },
    {},
  ]);
  expect(steps[1]).not.toHaveProperty('list.sku.type');
  expect(steps[4]).not.toHaveProperty('value.type');
});

test('types pass through loop iterations and called workflows', () => {
  const steps = stepsOf({
    steps: [
      {
        id: 'all',
        action: 'forEach',
        in: [1, 2],
        steps: [{ id: 'price', action: 'extract', target, value: {} }],
        collect: { price: '{{steps.price.value}}' },
      },
    ],
    output: '{{steps.all.value}}',
    outputSchema: { type: 'array', items: row },
  });
  expect(steps).toMatchObject([{ steps: [{ value: { type: 'number' } }] }]);
  const { workflows } = inferFieldTypes(
    workflowDefinitionSchema.parse({
      name: 'w',
      steps: [{ action: 'call', workflow: 'inner' }],
      workflows: {
        inner: {
          steps: [{ id: 'n', action: 'extract', target, value: {} }],
          output: '{{steps.n.value}}',
          outputSchema: { type: 'integer' },
        },
      },
    }),
  );
  expect(workflows).toMatchObject({ inner: { steps: [{ value: { type: 'integer' } }] } });
});
