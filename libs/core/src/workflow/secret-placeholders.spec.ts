import type { Json } from '@pilothouse/contract/primitives.schema';
import type { Step } from '@pilothouse/contract/workflow/step.schema';
import { renderStep, renderTemplates, revealSecrets, type TemplateScope } from './secret-placeholders.ts';

const scope: TemplateScope = {
  inputs: { sku: 'A-1', quantity: 3, urgent: false, order: { lines: [{ sku: 'B-2' }] }, note: null },
  secrets: new Set(['password']),
  steps: { rows: { value: [{ sku: 'C-3', price: 1.5 }] }, empty: { value: [] } },
  run: { id: '0199c1a0-0000-7000-8000-000000000001', epoch: 2 },
};

describe('renderTemplates', () => {
  test.each<[Json, Json]>([
    ['{{inputs.sku}}', 'A-1'],
    ['{{inputs.quantity}}', 3],
    ['{{inputs.urgent}}', false],
    ['{{inputs.note}}', null],
    ['{{ inputs.order }}', { lines: [{ sku: 'B-2' }] }],
    ['{{inputs.order.lines.0.sku}}', 'B-2'],
    ['{{steps.rows.value}}', [{ sku: 'C-3', price: 1.5 }]],
    ['{{steps.rows.value.0.price}}', 1.5],
    ['{{run.epoch}}', 2],
    ['q={{inputs.quantity}}&n={{inputs.note}}', 'q=3&n='],
    ['{{inputs.order}}!', '{"lines":[{"sku":"B-2"}]}!'],
    ['{{inputs.sku}}{{run.epoch}}', 'A-12'],
    [{ '{{inputs.sku}}': ['{{inputs.sku}}', 1, null, true] }, { '{{inputs.sku}}': ['A-1', 1, null, true] }],
    ['{{ inputs.password }}', '{{inputs.password}}'],
    ['{{inputs.sku}}:{{inputs.password}}', 'A-1:{{inputs.password}}'],
    ['\\{{inputs.sku}}', '{{inputs.sku}}'],
  ])('%j → %j', (value, rendered) => expect(renderTemplates(value, scope)).toEqual(rendered));

  test.each<[Json, string]>([
    ['{{inputs.skew}}', 'unknown input "skew". Inputs: sku, quantity, urgent, order, note, password'],
    ['{{steps.row.value}}', 'step "row" has no value yet. Steps with a value: rows, empty'],
    ['{{inputs.order.line}}', 'unknown field "line". Fields: lines'],
    ['{{steps.empty.value.0}}', 'a list of 0 has no element "0"'],
    ['{{steps.rows.value.length}}', 'a list of 1 has no element "length"'],
    ['{{inputs.sku.length}}', 'a string has no field "length"'],
    ['{{inputs.note.x}}', 'null has no field "x"'],
    ['{{inputs.constructor}}', 'unknown input "constructor"'],
    ['{{inputs.order.__proto__}}', 'unknown field "__proto__"'],
    ['{{inputs.password.x}}', 'a secret has no fields'],
  ])('%j is refused: %s', (value, message) => {
    expect(() => renderTemplates({ a: [value] }, scope)).toThrow(
      expect.objectContaining({ code: 'TEMPLATE_INVALID', message: expect.stringContaining(message) }),
    );
    expect(() => renderTemplates({ a: [value] }, scope)).toThrow('(at /a/0)');
  });

  test('text of a page never becomes a placeholder of a secret', () => {
    const hostile = { ...scope, steps: { x: { value: '{{ inputs.password }}' }, half: { value: '{{inputs.' } } };
    for (const text of [
      '{{steps.x.value}}',
      'a {{steps.x.value}}',
      '{{steps.half.value}}password}}',
      '\\{{inputs.password}}',
    ]) {
      expect(() => renderTemplates(text, hostile)).toThrow(expect.objectContaining({ code: 'TEMPLATE_INVALID' }));
    }
    expect(() =>
      renderTemplates('{{steps.x.value}}', { ...hostile, steps: { x: { value: [{ a: '{{inputs.password}}' }] } } }),
    ).toThrow('remove it from the value');
  });
});

describe('renderStep', () => {
  test.each<[Step, Partial<Step>]>([
    [{ action: 'fill', target: { label: 'Quantity' }, text: '{{inputs.quantity}}' }, { text: '3' }],
    [{ action: 'fill', target: { label: 'Note' }, text: '{{inputs.note}}' }, { text: '' }],
    [{ action: 'fill', target: { label: 'Password' }, text: '{{inputs.password}}' }, { text: '{{inputs.password}}' }],
    [{ action: 'selectOption', target: { css: '#s' }, option: '{{inputs.quantity}}' }, { option: '3' }],
    [
      { action: 'waitFor', condition: { text: 'Order {{inputs.sku}}' }, expect: { url: '*/{{run.epoch}}' } },
      { condition: { text: 'Order A-1' }, expect: { url: '*/2' } },
    ],
  ])('%j', (step, expected) => expect(renderStep(step, scope)).toMatchObject(expected));

  test('an empty value for a required text is an error with its location', () => {
    expect(() => renderStep({ action: 'navigate', url: '{{inputs.note}}' }, scope)).toThrow(
      expect.objectContaining({ code: 'TEMPLATE_INVALID', fields: [expect.objectContaining({ pointer: '/url' })] }),
    );
  });

  test('a list selects several options', () => {
    const lists = { ...scope, inputs: { colors: ['red', 'blue'] } };
    const step: Step = { action: 'selectOption', target: { css: '#s' }, option: '{{inputs.colors}}' };
    expect(renderStep(step, lists)).toMatchObject({ option: ['red', 'blue'] });
  });
});

test('revealSecrets requests each secret once and changes nothing else', async () => {
  const revealedNames: string[] = [];
  const text = '{{inputs.password}}/{{inputs.password}}/{{inputs.other}}/$&';
  const revealed = await revealSecrets(text, new Set(scope.secrets.keys()), async (name) => {
    revealedNames.push(name);
    return 'p$&w';
  });
  expect(revealed).toBe('p$&w/p$&w/{{inputs.other}}/$&');
  expect(revealedNames).toEqual(['password']);
});
