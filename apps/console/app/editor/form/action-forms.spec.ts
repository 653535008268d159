import { blockActions } from '@pilothouse/contract/workflow/control-flow.schema';
import { stepActions } from '@pilothouse/contract/workflow/step.schema';
import { workflowJsonSchema } from '@pilothouse/core/workflow/json-schema';
import { surfacesOfStep } from '@pilothouse/core/workflow/lint/lint-surface';
import { actionsOn, fieldsIn, fits, formsOf, acceptsSteps } from './action-forms.ts';

const forms = formsOf(workflowJsonSchema(), surfacesOfStep);
const fieldOf = (action: string, name: string) =>
  fieldsIn(forms, forms.actions[action]?.fields).find((field) => field.name === name);

test('every action has a form, with help for its own fields', () => {
  expect(Object.keys(forms.actions).sort()).toEqual([...stepActions, ...blockActions].sort());
  for (const { help } of Object.values(forms.actions)) expect(help).not.toBe('');
});

test('each surface has its own actions, and the common ones', () => {
  const names = (surface: string) => actionsOn(forms, surface).map(([name]) => name);
  expect(names('desktop')).toEqual(expect.arrayContaining(['openApp', 'switchWindow', 'click', 'forEach']));
  expect(names('browser')).toEqual(expect.arrayContaining(['navigate', 'switchTab', 'click', 'forEach', 'goal']));
  for (const name of ['navigate', 'switchTab', 'pdf', 'saveProfile']) expect(names('desktop')).not.toContain(name);
  for (const name of ['openApp', 'closeWindow']) expect(names('browser')).not.toContain(name);
});

test.each([
  ['navigate', 'url', { kind: 'text', long: true }],
  ['navigate', 'timeout', { kind: 'number' }],
  ['click', 'button', { kind: 'choice', options: ['left', 'right', 'middle'] }],
  ['click', 'target', { kind: 'one-or-many', item: { kind: 'shape', shape: 'Locator' } }],
  ['waitFor', 'condition', { kind: 'shape', shape: 'Condition' }],
  ['click', 'idempotent', { kind: 'flag' }],
  ['loop', 'until', { kind: 'union', controls: [{ kind: 'text' }, { kind: 'shape', shape: 'Condition' }] }],
  ['try', 'catch', { kind: 'steps' }],
  ['forEach', 'collect', { kind: 'yaml' }],
])('the field %s.%s', (action, name, control) => expect(fieldOf(action, name)?.control).toEqual(control));

test('required fields and blocks come from the contract', () => {
  expect(fieldOf('click', 'target')?.required).toBe(true);
  expect(fieldOf('click', 'count')?.required).toBeUndefined();
  expect([...stepActions, ...blockActions].filter((action) => acceptsSteps(forms, action))).toEqual(
    expect.arrayContaining(['group', 'forEach', 'paginate', 'loop', 'try']),
  );
  expect(acceptsSteps(forms, 'click')).toBe(false);
});

test('nested locators share one form', () => {
  const within = fieldsIn(forms, forms.shapes.Locator).find(({ name }) => name === 'within');
  expect(within?.control).toEqual({ kind: 'shape', shape: 'Locator' });
});

test('values that a control cannot edit are edited as YAML', () => {
  const target = fieldOf('click', 'target')?.control ?? { kind: 'yaml' };
  expect([{ css: 'a' }, [{ css: 'a' }], 'a', [1]].map((value) => fits(target, value))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('all forms are small, because they are sent with the page', () =>
  expect(JSON.stringify(forms).length).toBeLessThan(36_000));
