import { projectModelsSchema } from '@pilothouse/contract/model/model-settings.schema';
import { dialects, modelRoles } from '@pilothouse/contract/model/model.schema';
import { dialectNames, hiddenSettings, modelFieldOf, modelRoleRows, modelsOf } from './model-form.ts';

const form = (fields: Record<string, string>) => modelsOf((field) => fields[field] ?? '');

test('there is a row for each model role', () =>
  expect(modelRoleRows.map(({ role }) => role)).toEqual(['default', ...modelRoles]));

test('there is a name for each dialect', () => expect(Object.keys(dialectNames).sort()).toEqual([...dialects].sort()));

test('an empty form selects no models', () => expect(form({})).toBeNull());

test('reads the models in order', () => {
  const models = form({
    'models.default.use': 'gemini/gemini-2.5-flash, openai/gpt-5-mini',
    'models.act.use': 'anthropic/claude',
    'models.act.maxTokens': '2000',
    'models.act.temperature': '0.2',
    'models.act.dialect': 'ui-tars-1.5',
    'models.trace': 'full',
  });
  expect(models).toEqual({
    default: { use: ['gemini/gemini-2.5-flash', 'openai/gpt-5-mini'] },
    act: { use: ['anthropic/claude'], dialect: 'ui-tars-1.5', maxTokens: 2000, temperature: 0.2 },
    trace: 'full',
  });
  expect(projectModelsSchema.parse(models)).toEqual(models);
});

test('reads the computer tool, and keeps the safety policies, which have no control', () => {
  const disabledSafetyPolicies = ['COMMUNICATION_TOOL'] as const;
  const hidden = hiddenSettings({ disabledSafetyPolicies: [...disabledSafetyPolicies] });
  expect(
    form({
      'models.act.use': 'openai/x',
      'models.act.computerTool': 'openai_computer',
      'models.act.hidden': hidden,
    }),
  ).toEqual({ act: { use: ['openai/x'], computerTool: 'openai_computer', disabledSafetyPolicies } });
  expect(form({ 'models.act.use': 'openai/x', 'models.act.computerTool': '' })).toEqual({ act: { use: ['openai/x'] } });
  expect(hiddenSettings({})).toBe('');
});

test('reads only the known hidden settings', () => {
  const hidden = JSON.stringify({ disabledSafetyPolicies: [], use: ['openai/y'], maxTokens: 5 });
  expect(form({ 'models.act.use': 'openai/x', 'models.act.hidden': hidden })).toEqual({
    act: { use: ['openai/x'], disabledSafetyPolicies: [] },
  });
});

test.each([
  ['models.act.maxTokens', { 'models.act.use': 'openai/x', 'models.act.maxTokens': '1.5' }],
  ['models.act.temperature', { 'models.act.use': 'openai/x', 'models.act.temperature': 'warm' }],
  ['models.plan.use', { 'models.plan.hedgeMs': '500' }],
  ['models.vision.use', { 'models.vision.dialect': 'aura' }],
  ['models.vision.use', { 'models.vision.computerTool': 'openai_computer' }],
  ['models.act.hidden', { 'models.act.use': 'openai/x', 'models.act.hidden': '{' }],
  ['models.act.hidden', { 'models.act.use': 'openai/x', 'models.act.hidden': 'null' }],
])('names the invalid field %s', (field, fields) =>
  expect(() => form(fields)).toThrow(expect.objectContaining({ field })),
);

test('finds the form field of an API error', () => {
  expect(modelFieldOf('/models/act/use/0')).toBe('models.act.use');
  expect(modelFieldOf('/models/vision/temperature')).toBe('models.vision.temperature');
  expect(modelFieldOf('/keep/runsDays')).toBeNull();
});
