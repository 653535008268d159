import type { Dialect, ModelChoice, ModelRole, ProjectModels } from '@pilothouse/contract';
import { FormProblem } from '../shared/form-problem.ts';
import { numberOf } from '../shared/number-field.ts';

/** Rows of the form: purposes of models, and the default for all others. */
export const modelRoleRows: readonly { role: ModelRole | 'default'; name: string; description: string }[] = [
  { role: 'default', name: 'Everything else', description: 'What has no choice of its own' },
  { role: 'plan', name: 'Plan', description: 'Which steps lead to a goal' },
  { role: 'act', name: 'Act', description: 'The next actions' },
  { role: 'vision', name: 'See', description: 'What a screenshot shows' },
  { role: 'verify', name: 'Verify', description: 'Whether a step worked' },
  { role: 'synthesize', name: 'Synthesize', description: 'Turns recordings into workflows' },
  { role: 'score', name: 'Score', description: 'How good a result is' },
];

/** Numeric fields of a choice. The API validates their ranges. */
export const numbers = [
  { key: 'maxTokens', name: 'Most tokens', isInteger: true },
  { key: 'temperature', name: 'Temperature', isInteger: false },
  { key: 'hedgeMs', name: 'Second call after, ms', isInteger: true },
] as const;

/** Labels of dialects. */
export const dialectNames: Readonly<Record<Dialect, string>> = {
  calls: 'As function calls',
  aura: 'As JSON',
  'ui-tars-1.5': 'UI-TARS 1.5',
  'ui-tars': 'UI-TARS',
  'echo-prism': 'EchoPrism',
  deskpilot: 'DeskPilot',
};

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
  const dialect = Object.keys(dialectNames).find((one) => one === text(modelField(role, 'dialect'))) as
    Dialect | undefined;
  if (use.length === 0 && (options.length > 0 || dialect))
    throw new FormProblem(modelField(role, 'use'), 'Name a model: the rest of the row is of its calls');
  return use.length === 0 ? null : { use, ...(dialect && { dialect }), ...Object.fromEntries(options) };
}

/** Form field of an API error pointer such as `/models/act/use/0`. */
export function modelFieldOf(pointer: string): string | null {
  const [, part, role, key] = pointer.split('/');
  return part === 'models' && role !== undefined && key !== undefined ? modelField(role, key) : null;
}
