import type { ModelChoice, ProjectModels } from '@pilothouse/contract/model/model-settings.schema';
import type { Dialect, ModelRole } from '@pilothouse/contract/model/model.schema';
import { FormProblem, numberOf } from '../shared/form-problem.ts';

/** Rows of the form: purposes of models, and the default for all others. */
export const modelRoleRows: readonly { role: ModelRole | 'default'; name: string; description: string }[] = [
  { role: 'default', name: 'Default', description: 'Used for every purpose without its own model' },
  { role: 'plan', name: 'Plan', description: 'Breaks a goal into steps' },
  { role: 'act', name: 'Act', description: 'Chooses the next actions' },
  { role: 'vision', name: 'Vision', description: 'Reads screenshots' },
  { role: 'verify', name: 'Verify', description: 'Checks whether a step succeeded' },
  { role: 'synthesize', name: 'Synthesize', description: 'Turns recordings into workflows' },
  { role: 'score', name: 'Score', description: 'Scores results' },
];

/** Numeric fields of a choice. The API validates their ranges. */
export const numbers = [
  { key: 'maxTokens', name: 'Max tokens', isInteger: true },
  { key: 'temperature', name: 'Temperature', isInteger: false },
  { key: 'hedgeMs', name: 'Hedge after (ms)', isInteger: true },
] as const;

/** Labels of dialects. */
export const dialectNames: Readonly<Record<Dialect, string>> = {
  calls: 'Function calls',
  aura: 'JSON',
  'ui-tars-1.5': 'UI-TARS 1.5',
  'ui-tars': 'UI-TARS',
  'echo-prism': 'EchoPrism',
  deskpilot: 'DeskPilot',
};

/** Labels of computer tools; `none`: functions of Pilothouse only. */
export const computerToolNames: Readonly<Record<NonNullable<ModelChoice['computerTool']>, string>> = {
  computer_toolset_20260801: 'Anthropic computer',
  computer_20251124: 'Anthropic computer (older models)',
  browser_toolset_20260801: 'Anthropic browser',
  openai_computer: 'OpenAI computer',
  gemini_computer_use: 'Gemini computer use',
  none: 'None',
};

type HiddenSettings = Pick<ModelChoice, 'disabledSafetyPolicies'>;

/** Settings of a choice that the form has no control for, as the value of its field `hidden`. */
export const hiddenSettings = ({ disabledSafetyPolicies }: HiddenSettings): string =>
  disabledSafetyPolicies ? JSON.stringify({ disabledSafetyPolicies }) : '';

/** Name of a form field. */
export const modelField = (role: string, key: string): string => `models.${role}.${key}`;

/** Models of the form; null: none. @param text returns the text of a field @throws FormProblem */
export function modelsOf(text: (field: string) => string): ProjectModels | null {
  const choices = modelRoleRows.flatMap(({ role }) => {
    const choice = choiceOf(role, text);
    return choice ? [[role, choice] as const] : [];
  });
  const trace = text('models.trace') === 'full' ? { trace: 'full' as const } : {};
  const models: ProjectModels = { ...Object.fromEntries(choices), ...trace };
  return Object.keys(models).length === 0 ? null : models;
}

function choiceOf(role: string, text: (field: string) => string): ModelChoice | null {
  const use = text(modelField(role, 'use'))
    .split(/[\s,]+/)
    .filter(Boolean);
  const options = numbers.flatMap(({ key, isInteger }) => {
    const field = modelField(role, key);
    const value = numberOf(field, text(field), { isInteger });
    return value === null ? [] : [[key, value] as const];
  });
  const dialect = Object.keys(dialectNames).find((name) => name === text(modelField(role, 'dialect'))) as
    Dialect | undefined;
  const computerTool = Object.keys(computerToolNames).find(
    (name) => name === text(modelField(role, 'computerTool')),
  ) as ModelChoice['computerTool'];
  // Settings without a control of their own stay as they are.
  const settings = parseHiddenSettings(modelField(role, 'hidden'), text);
  if (use.length === 0 && (options.length > 0 || dialect || computerTool))
    throw new FormProblem(modelField(role, 'use'), 'Enter a model name.');
  if (use.length === 0) return null;
  return {
    use,
    ...(dialect && { dialect }),
    ...(computerTool && { computerTool }),
    ...settings,
    ...Object.fromEntries(options),
  };
}

/** Settings of a hidden field. The API validates their values. @throws FormProblem */
function parseHiddenSettings(field: string, text: (field: string) => string): HiddenSettings {
  const json = text(field);
  if (json === '') return {};
  try {
    const { disabledSafetyPolicies } = JSON.parse(json) as HiddenSettings;
    return disabledSafetyPolicies ? { disabledSafetyPolicies } : {};
  } catch {
    throw new FormProblem(field, 'The settings of the model cannot be read. Reload the page and try again.');
  }
}

/** Form field of an API error pointer such as `/models/act/use/0`. */
export function modelFieldOf(pointer: string): string | null {
  const [, part, role, key] = pointer.split('/');
  return part === 'models' && role !== undefined && key !== undefined ? modelField(role, key) : null;
}
